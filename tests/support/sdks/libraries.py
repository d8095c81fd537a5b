"""Runs the providers' own libraries against the simulators: each creates a payment, reads it as paid, and refunds a part."""

import json
import pathlib
import re
import sys
import urllib.request

import mollie.api.client
import razorpay
import stripe

base = sys.argv[1]


def pay(reference):
    request = urllib.request.Request(f"{base}/_sim/payments/{reference}/pay", b"{}", method="POST")
    return json.load(urllib.request.urlopen(request))


def check_versions_of_stripe():
    """Stripe changes fields with the name of a version (`endive`), and its library knows the newest one."""
    newest = stripe.api_version.rsplit(".", 1)[-1]
    for file in ("worker/src/gateways/stripe/mod.rs", "tests/simulators/src/payments/stripe/events.rs"):
        named = set(re.findall(r'"\d{4}-\d{2}-\d{2}\.(\w+)"', pathlib.Path(file).read_text(encoding="utf-8")))
        assert named == {newest}, f"{file} has {named}, the library {stripe.api_version}"


def with_stripe():
    client = stripe.StripeClient("sk_test_demo_northwind", base_addresses={"api": f"{base}/stripe"})
    params = {"amount": 19900, "currency": "usd", "metadata": {"transaction_id": "sdk-1"}}
    intent = client.v1.payment_intents.create(params, {"idempotency_key": "sdk-1"})
    again = client.v1.payment_intents.create(params, {"idempotency_key": "sdk-1"})
    assert intent.id == again.id and intent.status == "requires_payment_method"
    try:
        client.v1.payment_intents.create({**params, "amount": 1}, {"idempotency_key": "sdk-1"})
        raise AssertionError("another request under the same key was taken")
    except stripe.IdempotencyError:
        pass
    pay(intent.id)
    assert client.v1.payment_intents.retrieve(intent.id).status == "succeeded"
    refund = client.v1.refunds.create({"payment_intent": intent.id, "amount": 900})
    assert refund.amount == 900


def with_mollie():
    client = mollie.api.client.Client(api_endpoint=f"{base}/mollie")
    client.set_api_key("test_demo_lindgren")
    payment = client.payments.create({
        "amount": {"currency": "EUR", "value": "129.00"}, "description": "A course",
        "redirectUrl": "https://store.example/back", "metadata": {"transaction_id": "sdk-2"},
    })
    assert payment.is_open() and payment.checkout_url.endswith(payment.id)
    pay(payment.id)
    assert client.payments.get(payment.id).is_paid()


def with_razorpay(name, key, secret, currency):
    client = razorpay.Client(auth=(key, secret), base_url=f"{base}/{name}")
    order = client.order.create({"amount": 49900, "currency": currency, "receipt": "sdk-3"})
    assert client.order.all({"receipt": "sdk-3"})["items"][0]["id"] == order["id"]
    pay(order["id"])
    assert client.order.fetch(order["id"])["status"] == "paid"
    attempt = client.order.payments(order["id"])["items"][0]
    assert client.payment.refund(attempt["id"], {"amount": 900})["amount"] == 900


check_versions_of_stripe()
for name, check in [
    ("stripe", with_stripe),
    ("mollie", with_mollie),
    ("razorpay", lambda: with_razorpay("razorpay", "rzp_test_demo_saraswati", "demo-key-secret-saraswati", "INR")),
    ("curlec", lambda: with_razorpay("curlec", "rzp_test_demo_kinabalu", "demo-key-secret-kinabalu", "MYR")),
]:
    check()
    print(f"{name}: its library creates, reads and refunds")
