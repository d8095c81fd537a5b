"""Calls a storefront through the client of openapi-python-client. It gives None for an answer that its models leave out."""

import os

from storefront_client import AuthenticatedClient, models
from storefront_client.api.catalog import get_course, list_courses, list_marketing_metadata, list_organisations
from storefront_client.api.checkout import check_out_as_guest
from storefront_client.api.extensions import get_order, list_events, list_orders
from storefront_client.models import ListCoursesFields, ListOrganisationsFields, Mode
from storefront_client.types import UNSET

NORTHWIND, LINDGREN, KINABALU = (
    "b3cd5540-79c7-4e4f-867c-e0444d03ada6",
    "b38980ff-b28a-4d4d-ad68-a7045a03a67b",
    "842a8b9b-3d64-474d-8bd9-1ad9e0f08bcf",
)
CHECKOUTS = [
    (NORTHWIND, "28b0b164-7eb3-4aba-aac1-d7498b344ed4", Mode.VERIFIED, models.IntentCheckout),
    (LINDGREN, "e90c8dfd-1757-4985-a549-8c3455a7996b", Mode.VERIFIED, models.RedirectCheckout),
    (KINABALU, "86a6c8c3-436a-41b8-abc0-2ca720f5f5b6", Mode.VERIFIED, models.OrderCheckout),
    (NORTHWIND, "28b0b164-7eb3-4aba-aac1-d7498b344ed4", Mode.AUDIT, models.FreeCheckout),
]
ADDRESS = models.BillingAddress(name="Ada", line1="Storgata 1", city="Oslo", postal_code="0150", country="NO")


def client(header, value):
    return AuthenticatedClient(os.environ["STOREFRONT"], value, auth_header_name=header, prefix="")


backend, with_key = client("clientapisecret", os.environ["SECRET"]), client("organisationapikey", os.environ["KEY"])

light = list_courses.sync(client=backend, limit=100).courses
assert light and all(course.overview is UNSET for course in light)
full = list_courses.sync(client=backend, limit=100, fields=ListCoursesFields.FULL).courses
assert len(full) == len(light) and all(course.available_course_modes is not UNSET for course in full)
for fields, branded in [(ListOrganisationsFields.BASIC, False), (ListOrganisationsFields.FULL, True)]:
    organisations = list_organisations.sync(client=backend, fields=fields).organisations
    assert any(bool(organisation.logo_url) for organisation in organisations) == branded
metadata = [one.marketing_page_metadata for one in list_marketing_metadata.sync(client=backend)]
assert any(one["hero"]["title"] for one in metadata if "hero" in one)

carts = []
for organisation, course, mode, kind in CHECKOUTS:
    request = models.GuestCheckoutRequest(
        email="openapi-python-client@example.com",
        organisation_id=organisation,
        items=[models.CheckoutItem(type_=models.ItemType.COURSE, id=course, mode=mode)],
        billing_address=ADDRESS,
    )
    reply = check_out_as_guest.sync(client=backend, body=request)
    assert type(reply) is kind, reply
    carts.append(reply.cart_id)

order = get_order.sync(carts[2], client=with_key)
assert order.email == "openapi-python-client@example.com", order
assert list_orders.sync(client=with_key, limit=100).orders
assert list_events.sync(client=with_key).next_

missing = get_course.sync("course-v1:No+Such+Course", client=backend)
assert type(missing) is models.NotFoundProblem and missing.status == 404, missing
refused = get_order.sync(carts[2], client=client("organisationapikey", "sk_wrong"))
assert type(refused) is models.UnauthenticatedProblem, refused
