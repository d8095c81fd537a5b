// Sells a course of the demo to a guest: reads the catalog, prices the basket, checks out, pays at the simulated Stripe, and waits
// until the order is complete.   STOREFRONT_URL, CLIENT_API_SECRET and SIM_URL have the demo's values if they are not set.

import { randomUUID } from "node:crypto";
import { type Checkout, type Schemas, data, messages, storefront } from "../src/index.ts";

const { STOREFRONT_URL, CLIENT_API_SECRET, SIM_URL } = process.env;
const settings = {
  url: STOREFRONT_URL ?? "http://127.0.0.1:8080",
  secret: CLIENT_API_SECRET ?? "demo-client-secret-demo-client-secret",
};
const api = storefront(settings, { address: "203.0.113.7", id: randomUUID() });

const query = { org: "northwind", search: "statistics you can defend", fields: "full" } as const;
const { courses } = data(await api.GET("/storeapi/discovery/courses/", { params: { query } }));
const course = courses[0];
const mode = course?.available_course_modes?.find(({ price }) => price > 0);
if (!course || !mode) throw new Error("the demo sells no such course");

const detail = { path: { openedx_course_id: course.openedx_course_id } };
const { organisation_id } = data(await api.GET("/storeapi/discovery/course/{openedx_course_id}/", { params: detail }));
const basket: Schemas["CheckoutRequest"] = {
  organisation_id,
  items: [{ type: "course", id: course.id, mode: mode.modeSlug }],
};
const quote = data(await api.POST("/storeapi/discovery/quote/", { body: basket }));
console.log(`${course.display_name}: ${quote.total_price} ${quote.currency}`);

const email = `sale.${Date.now()}@example.org`;
const checkout = data(
  await api.POST("/storeapi/discovery/guest/checkout/", {
    body: { ...basket, email },
    params: { header: { "Idempotency-Key": randomUUID() } },
  }),
);
console.log(next(checkout));

/** What the buyer does next. Each branch knows its fields. */
function next(reply: Checkout): string {
  if (reply.status === "free") return `order ${reply.cart_id} is complete`;
  switch (reply.gateway) {
    case "stripe":
      return `pay with Stripe's script: ${reply.client_secret}, ${reply.publishable_key}`;
    case "mollie":
      return `pay at ${reply.redirect_url}`;
    case "razorpay":
    case "curlec":
      return `pay order ${reply.order_id} with the script of ${reply.gateway}`;
    case "external":
      return `transfer with the reference ${reply.payment_reference} by ${reply.due_on}`;
  }
}

// The buyer's part, at the simulated provider.
if (checkout.status === "success" && checkout.gateway === "stripe") {
  const intent = checkout.client_secret.replace(/_secret_.*$/, "");
  const paid = await fetch(`${SIM_URL ?? "http://127.0.0.1:8090"}/_sim/payments/${intent}/pay`, { method: "POST" });
  if (!paid.ok) throw new Error(`the payment was refused: ${paid.status} ${await paid.text()}`);
}
// An address without an account has `pending_registration` for its items; only a free cart would be `held`.
const order = { path: { cart_id: checkout.cart_id } };
for (let tries = 0; ; tries += 1) {
  const { status } = data(await api.GET("/storeapi/payment/status/{cart_id}/", { params: order }));
  console.log(`order ${checkout.cart_id}: ${status}`);
  if (status === "fulfilled") break;
  if (tries === 50) throw new Error("the order is not complete");
  await new Promise((resolve) => setTimeout(resolve, 200));
}

const refusal = await api.POST("/storeapi/discovery/guest/checkout/", { body: { ...basket, email: "no address" } });
if (!refusal.error) throw new Error("an address without @ was accepted");
console.log(`refused: ${messages(refusal.error).join("; ")}`);
