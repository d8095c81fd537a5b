"""Mollie: requests and objects against the models of mollie-api-py, which here refuse unknown fields."""

import json
import re
import urllib.parse

import pydantic
from mollie.types import basemodel

# Before the models are imported: each takes its settings from this class.
basemodel.BaseModel.model_config["extra"] = "forbid"

from mollie import models  # noqa: E402

# With the type of the body, or of the query of a list.
PAYMENT, REFUND = r"/payments/[^/]+", r"/payments/[^/]+/refunds/[^/]+"
CALLS = [
    ("POST", r"/payments", models.PaymentRequest, models.PaymentResponse),
    ("GET", PAYMENT, None, models.PaymentResponse),
    ("DELETE", PAYMENT, None, models.PaymentResponse),
    ("POST", PAYMENT + r"/refunds", models.RefundRequest, models.RefundResponse),
    ("GET", PAYMENT + r"/refunds", models.ListRefundsRequest, models.ListRefundsResponseBody),
    ("GET", REFUND, None, models.RefundResponse),
    ("DELETE", REFUND, None, None),
    ("GET", PAYMENT + r"/chargebacks", models.ListChargebacksRequest, models.ListChargebacksResponseBody),
    ("GET", PAYMENT + r"/chargebacks/[^/]+", None, models.EntityChargeback),
    ("GET", r"/settlements", models.ListSettlementsRequest, models.ListSettlementsResponseBody),
    ("GET", r"/settlements/[^/]+", None, models.EntitySettlement),
]
ENTITIES = {
    "payment": models.PaymentResponse,
    "refund": models.RefundResponse,
    "chargeback": models.EntityChargeback,
}


def call(record):
    path = re.sub(r"^/mollie(/v2)?", "", record["path"])
    for method, pattern, sent, answered in CALLS:
        if record["method"] == method and re.fullmatch(pattern, path):
            return sent, answered
    return None


def refused(model, value):
    try:
        model.model_validate(value)
    except pydantic.ValidationError as error:
        for one in error.errors():
            yield f"{model.__name__}: {'.'.join(map(str, one['loc']))}: {one['msg']}"


def request(record):
    found = call(record)
    query = dict(urllib.parse.parse_qsl(record["query"] or "", keep_blank_values=True))
    if not found:
        yield f"knows no {record['method']} {record['path']}"
    elif found[0] and record["method"] == "GET":
        yield from refused(found[0], {**query, "paymentId": "tr_1"} if "payments" in record["path"] else query)
    elif found[0]:
        yield from refused(found[0], json.loads(record["request"]))
    elif record["request"] or query:
        yield f"{record['method']} {record['path']} takes neither a body nor a query"


def answer(record):
    found = call(record)
    if found and found[1]:
        yield from refused(found[1], record["answer"])


def event(value):
    yield from refused(models.EntityWebhookEvent, value)
    if "_embedded" in value:  # not in the simple payload
        entity = value["_embedded"]["entity"]
        yield from refused(ENTITIES[entity["resource"]], entity)
