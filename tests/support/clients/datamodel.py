"""Reads a storefront's answers with the models of datamodel-code-generator (pydantic). Any answer that they refuse raises."""

import json
import os
import urllib.error
import urllib.request

import storefront_models as models

NORTHWIND, LINDGREN, KINABALU = (
    "b3cd5540-79c7-4e4f-867c-e0444d03ada6",
    "b38980ff-b28a-4d4d-ad68-a7045a03a67b",
    "842a8b9b-3d64-474d-8bd9-1ad9e0f08bcf",
)
CHECKOUTS = [
    (NORTHWIND, "28b0b164-7eb3-4aba-aac1-d7498b344ed4", "verified", models.IntentCheckout),
    (LINDGREN, "e90c8dfd-1757-4985-a549-8c3455a7996b", "verified", models.RedirectCheckout),
    (KINABALU, "86a6c8c3-436a-41b8-abc0-2ca720f5f5b6", "verified", models.OrderCheckout),
    (NORTHWIND, "28b0b164-7eb3-4aba-aac1-d7498b344ed4", "audit", models.FreeCheckout),
]
ADDRESS = {"name": "Ada", "line1": "Storgata 1", "city": "Oslo", "postal_code": "0150", "country": "NO"}
BACKEND, WITH_KEY = {"clientapisecret": os.environ["SECRET"]}, {"organisationapikey": os.environ["KEY"]}


def call(model, path, headers=BACKEND, body=None):
    """The answer as the model reads it, and the answer itself."""
    headers = headers | {"content-type": "application/json"}
    body = body and json.dumps(body).encode()
    request = urllib.request.Request(f"{os.environ['STOREFRONT']}/storeapi/{path}", body, headers)
    try:
        answer = json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:
        answer = json.load(error)
    return model.model_validate(answer)


light = call(models.CourseList, "discovery/courses/?limit=100").courses
assert light and all(course.overview is None for course in light)
full = call(models.CourseList, "discovery/courses/?limit=100&fields=full").courses
assert len(full) == len(light) and all(course.available_course_modes is not None for course in full)
for fields, branded in [("basic", False), ("full", True)]:
    organisations = call(models.OrganisationList, f"discovery/organisations/?fields={fields}").organisations
    assert any(bool(organisation.logo_url) for organisation in organisations) == branded

carts = []
for organisation, course, mode, kind in CHECKOUTS:
    items = [{"type": "course", "id": course, "mode": mode}]
    basket = {"email": "datamodel@example.com", "organisation_id": organisation, "items": items, "billing_address": ADDRESS}
    reply = call(models.CheckoutReply, "discovery/guest/checkout/", body=basket).root
    assert type(reply) is kind, reply
    carts.append(reply.cart_id)

order = call(models.Order, f"payment/orders/{carts[2]}/", WITH_KEY)
assert order.email == "datamodel@example.com", order
assert call(models.OrderList, "payment/orders/?limit=100", WITH_KEY).orders
assert call(models.EventPage, "events/", WITH_KEY).next

missing = call(models.NotFoundProblem, "discovery/course/course-v1:No+Such+Course/")
assert missing.code.value == "not_found", missing
