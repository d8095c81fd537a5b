"""Stripe: requests against stripe.params, objects against the classes of stripe-python."""

import ast
import functools
import importlib
import inspect
import re
import types
import typing
import urllib.parse

import pydantic
import stripe
import typing_extensions
from stripe._stripe_object import UntypedStripeObject

PARAMETERS = [
    ("POST", r"/v1/payment_intents", "PaymentIntentCreateParams"),
    ("GET", r"/v1/payment_intents/[^/]+", "PaymentIntentRetrieveParams"),
    ("POST", r"/v1/payment_intents/[^/]+/cancel", "PaymentIntentCancelParams"),
    ("POST", r"/v1/customers", "CustomerCreateParams"),
    ("POST", r"/v1/customers/[^/]+", "CustomerUpdateParams"),
    ("POST", r"/v1/customer_sessions", "CustomerSessionCreateParams"),
    ("POST", r"/v1/refunds", "RefundCreateParams"),
    ("GET", r"/v1/refunds", "RefundListParams"),
    ("GET", r"/v1/refunds/[^/]+", "RefundRetrieveParams"),
    ("GET", r"/v1/payouts", "PayoutListParams"),
    ("GET", r"/v1/balance_transactions", "BalanceTransactionListParams"),
    ("GET", r"/v1/disputes", "DisputeListParams"),
    ("GET", r"/v1/disputes/[^/]+", "DisputeRetrieveParams"),
]
OBJECTS = {
    "balance_transaction": stripe.BalanceTransaction,
    "charge": stripe.Charge,
    "customer": stripe.Customer,
    "customer_session": stripe.CustomerSession,
    "dispute": stripe.Dispute,
    "event": stripe.Event,
    "payment_intent": stripe.PaymentIntent,
    "payout": stripe.Payout,
    "refund": stripe.Refund,
}


def path_of(record):
    return record["path"].removeprefix("/stripe")


def nested(pairs):
    """{"a[b]": "c"} as {"a": {"b": "c"}}; a[] and a[0] are lists."""
    tree = {}
    for name, value in pairs:
        names = re.findall(r"[^\[\]]+|(?<=\[)(?=\])", name)
        place = tree
        for name, following in zip(names, names[1:]):
            place = place.setdefault(name, {})
        place[names[-1] if names[-1] else str(len(place))] = value
    return lists(tree)


def lists(tree):
    if not isinstance(tree, dict):
        return tree
    if tree and all(name.isdigit() for name in tree):
        return [lists(value) for value in tree.values()]
    return {name: lists(value) for name, value in tree.items()}


class Map:
    """In place of stripe's own untyped object, which pydantic cannot check."""

    def __class_getitem__(cls, of):
        return typing.Dict[str, of]


@functools.cache
def strict(name):
    """A validator of one of stripe's TypedDicts that refuses unknown fields."""
    module = importlib.import_module("stripe.params._" + re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower())
    module.UntypedStripeObject = Map
    # Options of the library, such as api_key, are no parameters.
    options = set(stripe.RequestOptions.__annotations__)
    for kind in list(vars(module).values()):
        if typing_extensions.is_typeddict(kind) and kind.__module__ == module.__name__:
            kind.__pydantic_config__ = pydantic.ConfigDict(extra="forbid")
            kind.__annotations__ = {one: of for one, of in kind.__annotations__.items() if one not in options}
            kind.__optional_keys__ -= options
    return pydantic.TypeAdapter(getattr(module, name))


def empty(tree, place=""):
    if isinstance(tree, dict):
        for name, value in tree.items():
            yield from empty(value, f"{place}.{name}")
    elif tree == "":
        yield place


def request(record):
    for method, pattern, name in PARAMETERS:
        if record["method"] == method and re.fullmatch(pattern, path_of(record)):
            break
    else:
        yield f"knows no {record['method']} {path_of(record)}"
        return
    text = record["query"] if record["method"] == "GET" else record["request"]
    sent = nested(urllib.parse.parse_qsl(text or "", keep_blank_values=True))
    try:
        strict(name).validate_python(sent)
    except pydantic.ValidationError as error:
        for one in error.errors():
            yield f"{name}: {'.'.join(map(str, one['loc']))}: {one['msg']}"
    for place in empty(sent):
        if not place.startswith(".metadata."):
            yield f"{name}: {place[1:]} is an empty text"


@functools.cache
def names(module):
    """What annotations of the module may name: also the classes that it imports for type checkers alone."""
    source = ast.parse(inspect.getsource(importlib.import_module(module)))
    lines = [line for line in ast.walk(source) if isinstance(line, ast.ImportFrom)]
    hidden = [(line.module, one) for line in lines for one in line.names if line.module.startswith("stripe.")]
    imported = {
        one.asname or one.name: getattr(importlib.import_module(origin), one.name) for origin, one in hidden
    }
    return {**vars(typing), **imported, **vars(importlib.import_module(module))}


@functools.cache
def fields(kind):
    """The fields of an object's class with their types, which may still be names."""
    annotations = inspect.get_annotations(kind)
    return {name: of for name, of in annotations.items() if typing.get_origin(of) is not typing.ClassVar}


def resolved(of, kind):
    if isinstance(of, typing.ForwardRef):
        of = of.__forward_arg__
    return eval(of, {**names(kind.__module__), **vars(kind)}) if isinstance(of, str) else of


def mismatches(value, of, place, kind):
    """What of a value does not fit the type of a field of the class `kind`."""
    of = resolved(of, kind)
    origin, arguments = typing.get_origin(of), typing.get_args(of)
    if origin in (typing.Union, types.UnionType):
        yield from of_union(value, arguments, place, kind)
    elif origin is typing_extensions.Literal:
        if value not in arguments:
            yield f"{place}: {value!r} is none of {arguments}"
    elif origin in (list, stripe.ListObject):
        items = value if origin is list else value["data"]
        for one in items:
            yield from mismatches(one, arguments[0], f"{place}[]", kind)
    elif origin in (dict, UntypedStripeObject):
        if not isinstance(value, dict):
            yield f"{place}: {value!r} is no object"
    elif issubclass(of, stripe.StripeObject):
        yield from differences(value, of, place)
    elif not isinstance(value, of) or isinstance(value, bool) != (of is bool):
        yield f"{place}: {value!r} is no {of.__name__}"


def of_union(value, arguments, place, kind):
    tried = [list(mismatches(value, one, place, kind)) for one in arguments]
    if not all(tried):
        return
    # An object is compared with the class that fits it best, not with the id in whose place it stands.
    nested_ones = [one for one in tried if any(not text.startswith(f"{place}: ") for text in one)]
    yield from min(nested_ones or tried, key=len)


def differences(value, kind, place=None):
    """What of an object does not fit its class: unknown fields, missing ones, other types."""
    place = place or kind.__name__
    if not isinstance(value, dict):
        yield f"{place}: {value!r} is no object"
        return
    known = fields(kind)
    for name in value.keys() - known.keys():
        yield f"{place}.{name}: unknown field"
    for name, of in known.items():
        of = resolved(of, kind)
        if name in value:
            yield from mismatches(value[name], of, f"{place}.{name}", kind)
        elif type(None) not in typing.get_args(of):
            yield f"{place}.{name}: missing field"


def of_any_kind(value):
    if value.get("object") == "list":
        for one in value["data"]:
            yield from of_any_kind(one)
    elif value.get("object") in OBJECTS:
        yield from differences(value, OBJECTS[value["object"]])
    else:
        yield f"knows no object {value.get('object')!r}"


def answer(record):
    yield from of_any_kind(record["answer"])


def event(value):
    without_object = {**value, "data": {**value["data"], "object": {}}}
    yield from differences(without_object, stripe.Event)
    yield from of_any_kind(value["data"]["object"])
