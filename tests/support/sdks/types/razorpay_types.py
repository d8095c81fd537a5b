"""Razorpay and Curlec: requests and objects as TypeScript literals for the types of the npm package `razorpay`.

The compiler refuses unknown fields of a literal. The package's types of answers demand fields that Razorpay leaves out
or answers as null, so objects are checked as deep partials, with null allowed (strictNullChecks is off)."""

import json
import re

HEAD = """import { RazorpayPaginationOptions } from "razorpay/dist/types/api";
import { Disputes } from "razorpay/dist/types/disputes";
import { Orders } from "razorpay/dist/types/orders";
import { Payments } from "razorpay/dist/types/payments";
import { Refunds } from "razorpay/dist/types/refunds";
import { Settlements } from "razorpay/dist/types/settlements";

type Part<T> = T extends (infer U)[] ? Part<U>[] : T extends object ? { [K in keyof T]?: Part<T[K]> } : T;
"""
ENTITIES = {
    "order": "Orders.RazorpayOrder",
    "payment": "Payments.RazorpayPayment",
    "refund": "Refunds.RazorpayRefund",
    "dispute": "Disputes.RazorpayDispute",
    "settlement": "Settlements.RazorpaySettlement",
}
QUERIES = [
    (r"/orders", "Orders.RazorpayOrderQuery"),
    (r"/payments/[^/]+/refunds", "RazorpayPaginationOptions"),
    (r"/disputes", "RazorpayPaginationOptions"),
    (r"/settlements", "RazorpayPaginationOptions"),
    (r"/settlements/recon/combined", "Settlements.RazorpaySettlementReconBaseRequestBody"),
]
BODIES = [
    (r"/orders", "Orders.RazorpayOrderCreateRequestBody"),
    (r"/payments/[^/]+/refund", "Refunds.RazorpayRefundCreateRequestBody"),
]
# By type, so that the same literal is written once.
literals = {}


def add(kind, value):
    # Razorpay answers empty notes as an empty list, and its types do not say so.
    if isinstance(value, dict) and value.get("notes") == []:
        value = {**value, "notes": {}}
    literals.setdefault((kind, json.dumps(shape(value), sort_keys=True)), value)


def shape(value):
    """What matters to a type: texts other than short words and numbers are all alike."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    if isinstance(value, str) and re.fullmatch(r"[a-z_]{1,20}", value):
        return value
    return type(value).__name__


def typescript():
    lines = [
        f"export const value{number}: {kind} = {json.dumps(value)};"
        for number, ((kind, _), value) in enumerate(literals.items())
    ]
    return HEAD + "\n".join(lines) + "\n"


def request(record):
    path = re.sub(r"^/(razorpay|curlec)(/v1)?", "", record["path"])
    if record["method"] == "GET":
        if record["query"]:
            kinds = [kind for pattern, kind in QUERIES if re.fullmatch(pattern, path)]
            if kinds:
                pairs = dict(pair.split("=", 1) for pair in record["query"].split("&"))
                add(kinds[0], {name: int(text) if text.isdigit() else text for name, text in pairs.items()})
            else:
                yield f"knows no query at {path}"
        return
    for pattern, kind in BODIES:
        if re.fullmatch(pattern, path):
            add(kind, json.loads(record["request"]))
            return
    yield f"knows no {record['method']} {path}"


def entity(value):
    if value.get("entity") == "collection":
        for one in value["items"]:
            yield from entity(one)
    elif "entity_id" in value:
        # The type has an object of notes where the answer has a text, null or an empty list.
        add("Part<Settlements.RazorpaySettlementRecon>", {**value, "notes": {}})
    elif value.get("entity") in ENTITIES:
        add(f"Part<{ENTITIES[value['entity']]}>", value)
    else:
        yield f"knows no entity {value.get('entity')!r}"


def answer(record):
    yield from entity(record["answer"])


def event(value):
    known = {"entity", "account_id", "event", "contains", "payload", "created_at"}
    for name in value.keys() - known:
        yield f"event: unknown field {name}"
    for inner in value["payload"].values():
        yield from entity(inner["entity"])
