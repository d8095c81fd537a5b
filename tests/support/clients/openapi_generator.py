"""Calls a storefront through the client of openapi-generator (python). Any answer that it cannot read raises."""

import os

import storefront_client as api

NORTHWIND, LINDGREN, KINABALU = (
    "b3cd5540-79c7-4e4f-867c-e0444d03ada6",
    "b38980ff-b28a-4d4d-ad68-a7045a03a67b",
    "842a8b9b-3d64-474d-8bd9-1ad9e0f08bcf",
)
CHECKOUTS = [
    (NORTHWIND, "28b0b164-7eb3-4aba-aac1-d7498b344ed4", "verified", api.IntentCheckout),
    (LINDGREN, "e90c8dfd-1757-4985-a549-8c3455a7996b", "verified", api.RedirectCheckout),
    (KINABALU, "86a6c8c3-436a-41b8-abc0-2ca720f5f5b6", "verified", api.OrderCheckout),
    (NORTHWIND, "28b0b164-7eb3-4aba-aac1-d7498b344ed4", "audit", api.FreeCheckout),
]
ADDRESS = api.BillingAddress(name="Ada", line1="Storgata 1", city="Oslo", postal_code="0150", country="NO")

configuration = api.Configuration(host=os.environ["STOREFRONT"])
configuration.api_key["clientapisecret"] = os.environ["SECRET"]
client = api.ApiClient(configuration)
catalog, checkout, extensions = api.CatalogApi(client), api.CheckoutApi(client), api.ExtensionsApi(client)

light = catalog.list_courses(limit=100).courses
assert light and all(course.overview is None for course in light)
full = catalog.list_courses(limit=100, fields="full").courses
assert len(full) == len(light) and all(course.available_course_modes is not None for course in full)
assert catalog.get_course(full[0].openedx_course_id).display_name == full[0].display_name
for fields, branded in [("basic", False), ("full", True)]:
    organisations = catalog.list_organisations(fields=fields).organisations
    assert any(bool(organisation.logo_url) for organisation in organisations) == branded
heroes = catalog.list_marketing_metadata()
assert any(one.marketing_page_metadata["hero"]["title"] for one in heroes if "hero" in one.marketing_page_metadata)

carts = []
for organisation, course, mode, kind in CHECKOUTS:
    request = api.GuestCheckoutRequest(
        email="openapi-generator@example.com",
        organisation_id=organisation,
        items=[api.CheckoutItem(type="course", id=course, mode=mode)],
        billing_address=ADDRESS,
    )
    reply = checkout.check_out_as_guest(request).actual_instance
    assert type(reply) is kind, reply
    carts.append(reply.cart_id)
    assert str(extensions.get_cart_status(reply.cart_id).cart_id) == str(reply.cart_id)

with_key = api.Configuration(host=os.environ["STOREFRONT"])
with_key.api_key["organisationapikey"] = os.environ["KEY"]
extensions = api.ExtensionsApi(api.ApiClient(with_key))
order = extensions.get_order(carts[2])
assert order.email == "openapi-generator@example.com" and order.gateway == "curlec", order
assert extensions.list_orders(limit=100).orders
extensions.list_events()

try:
    catalog.get_course("course-v1:No+Such+Course")
    raise AssertionError("an unknown course was found")
except api.exceptions.NotFoundException as error:
    assert type(error.data) is api.NotFoundProblem and error.data.code == "not_found", error.data
try:
    catalog.list_courses(order_by="colour.asc")
    raise AssertionError("an unknown order was taken")
except (api.exceptions.BadRequestException, ValueError) as error:
    assert "order_by" in str(error)
