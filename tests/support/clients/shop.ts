// Uses the types of openapi-typescript as a shop does; only compiled, with all strict checks.

import createClient from "openapi-fetch";
import type { components, paths } from "./openapi.js";

const client = createClient<paths>({ headers: { clientapisecret: "" } });

/** Where the buyer pays. */
export function payment(reply: components["schemas"]["CheckoutReply"]): string {
  if (reply.status === "free") return reply.cart_id;
  switch (reply.gateway) {
    case "stripe":
      return reply.client_secret;
    case "mollie":
      return reply.redirect_url;
    case "razorpay":
    case "curlec":
      return reply.order_id;
    case "external":
      return reply.payment_reference;
  }
}

export async function titles(): Promise<unknown[]> {
  const { data, error } = await client.GET("/storeapi/discovery/courses/", { params: { query: { fields: "full" } } });
  if (error) return [error.code, error.detail];
  const modes = data.courses.flatMap((course) => course.available_course_modes ?? []);
  const metadata = await client.GET("/storeapi/discovery/marketing-page-metadata/");
  const heroes = metadata.data?.map(({ marketing_page_metadata: page }) => page.hero) ?? [];
  return [...modes.map((mode) => mode.price.toFixed(2)), ...heroes];
}
