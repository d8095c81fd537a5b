// Calls a storefront through the client of openapi-generator (typescript-fetch). Any answer that it cannot read throws.

import {
  CatalogApi, CheckoutApi, CheckoutItem, Configuration, ExtensionsApi, ListCoursesFieldsEnum, ListOrganisationsFieldsEnum,
  ResponseError, instanceOfFreeCheckout, instanceOfIntentCheckout, instanceOfOrderCheckout, instanceOfRedirectCheckout,
} from "./client/index.js";

const [northwind, lindgren, kinabalu] = [
  "b3cd5540-79c7-4e4f-867c-e0444d03ada6", "b38980ff-b28a-4d4d-ad68-a7045a03a67b", "842a8b9b-3d64-474d-8bd9-1ad9e0f08bcf",
];
const checkouts: [string, string, CheckoutItem["mode"], (reply: object) => boolean][] = [
  [northwind, "28b0b164-7eb3-4aba-aac1-d7498b344ed4", "verified", instanceOfIntentCheckout],
  [lindgren, "e90c8dfd-1757-4985-a549-8c3455a7996b", "verified", instanceOfRedirectCheckout],
  [kinabalu, "86a6c8c3-436a-41b8-abc0-2ca720f5f5b6", "verified", instanceOfOrderCheckout],
  [northwind, "28b0b164-7eb3-4aba-aac1-d7498b344ed4", "audit", instanceOfFreeCheckout],
];
const billingAddress = { name: "Ada", line1: "Storgata 1", city: "Oslo", postalCode: "0150", country: "NO" };

function assert(holds: unknown, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

function configuration(header: string, value: string): Configuration {
  return new Configuration({ basePath: process.env.STOREFRONT, headers: { [header]: value } });
}
const backend = configuration("clientapisecret", process.env.SECRET ?? "");
const withKey = configuration("organisationapikey", process.env.KEY ?? "");
const [catalog, checkout] = [new CatalogApi(backend), new CheckoutApi(backend)];

const light = (await catalog.listCourses({ limit: 100 })).courses;
assert(light.length > 0 && light.every((course) => course.overview === undefined), light);
const full = (await catalog.listCourses({ limit: 100, fields: ListCoursesFieldsEnum.Full })).courses;
assert(full.length === light.length && full.every((course) => course.availableCourseModes !== undefined), full);
for (const fields of [ListOrganisationsFieldsEnum.Basic, ListOrganisationsFieldsEnum.Full]) {
  const { organisations } = await catalog.listOrganisations({ fields });
  assert(organisations.some((one) => one.logoUrl) === (fields === ListOrganisationsFieldsEnum.Full), organisations);
}

const carts: string[] = [];
for (const [organisationId, id, mode, isOfKind] of checkouts) {
  const reply = await checkout.checkOutAsGuest({
    guestCheckoutRequest: {
      email: "typescript-fetch@example.com", organisationId, items: [{ type: "course", id, mode }], billingAddress,
    },
  });
  assert(isOfKind(reply), reply);
  carts.push(reply.cartId);
}

const orders = new ExtensionsApi(withKey);
const order = await orders.getOrder({ cartId: carts[2]! });
assert(order.email === "typescript-fetch@example.com", order);
assert((await orders.listEvents()).events.length > 0, "no events");

try {
  await catalog.getCourse({ openedxCourseId: "course-v1:No+Such+Course" });
  throw new Error("an unknown course was found");
} catch (error) {
  assert(error instanceof ResponseError && error.response.status === 404, String(error));
  assert((await error.response.json()).code === "not_found", "another code");
}
