// A client of the storefront API for a shop's backend: typed by the OpenAPI description (`api.d.ts`, which is generated).
// The client secret stays on the server: never send this code to a browser with it.

import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

/** Types of the API by their names, such as `Schemas["ListedCourse"]`. */
export type Schemas = components["schemas"];

/** What a checkout answers. `status`, and then `gateway`, narrow it to what the buyer pays with. */
export type Checkout = Schemas["CheckoutReply"];

/** What a client answers with: JSON, and problems. Without it, routes that can also answer with pages would have unions. */
export type Media = "application/json" | "application/problem+json";

/** The visitor for whom the backend calls: the API limits each of them, and prices are those of the country. */
export interface Visitor {
  /** Network address, as the backend's trusted proxy names it. */
  address?: string | undefined;
  /** An id of the backend's own for this browser, such as a random UUID in a cookie. */
  id?: string | undefined;
  /** ISO 3166-1 alpha-2, from the proxy: never chosen by the visitor, because it decides the prices. */
  country?: string | undefined;
  /** The course platform's cookie `sessionid`, if the learner is signed in. */
  session?: string | undefined;
}

export interface Settings {
  /** Base URL of the API. */
  url: string;
  /** The client secret. */
  secret: string;
}

/** A client for one visitor. Make one for each request of a browser: it keeps nothing. */
export function storefront({ url, secret }: Settings, visitor: Visitor = {}): Client<paths, Media> {
  const headers: Record<string, string> = { clientapisecret: secret };
  if (visitor.address) headers["X-Visitor-Address"] = visitor.address;
  if (visitor.id) headers["X-Visitor-Id"] = visitor.id;
  if (visitor.country) headers["X-Visitor-Country"] = visitor.country;
  if (visitor.session) headers["Cookie"] = `sessionid=${visitor.session}`;
  // A redirect would take the secret along, to any host.
  return createClient<paths, Media>({ baseUrl: url.replace(/\/+$/, ""), headers, redirect: "error" });
}

/** A refusal or fault of the API, as an error to throw. */
export class StorefrontError extends Error {
  readonly problem: Schemas["Problem"];

  constructor(problem: Schemas["Problem"]) {
    super(problem.detail);
    this.name = "StorefrontError";
    this.problem = problem;
  }
}

/** What to tell a visitor: the field and the fault of each one that was refused, else the problem's own sentence. */
export function messages({ detail, errors }: Schemas["Problem"]): string[] {
  return errors?.length ? errors.map(({ field, message }) => `${field} ${message}`) : [detail];
}

/** The data of an answer. Throws what the API refused as a `StorefrontError`, and what is not the API's, such as a proxy's page. */
export function data<T>({ data, error, response }: { data?: T; error?: Schemas["Problem"]; response: Response }): T {
  if (data !== undefined) return data;
  if (response.status === 204) return data as T;
  if (typeof error === "object" && "code" in error) throw new StorefrontError(error);
  throw new Error(`${response.url} answered ${response.status} without a problem`);
}
