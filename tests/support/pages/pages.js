// Drives the hosted payment page as buyers do. Takes the browser's path; calls the demo on its fixed ports.
"use strict";
const assert = require("node:assert/strict");
const { API, SIM, PHONE, DESKTOP, json, visit, picture, walk } = require("./common.js");

const SHOPS = {
  northwind: { gateway: "stripe", course: "ad035fc9-afd5-49f2-85d8-8ac83dd05a77" },
  lindgren: { gateway: "mollie", course: "e90c8dfd-1757-4985-a549-8c3455a7996b" },
  saraswati: { gateway: "razorpay", course: "e5bc177b-68ce-47bf-9875-e08475ec0df9" },
  kinabalu: { gateway: "curlec", course: "6ea9e4e2-eeee-437f-a69c-385c6a394046" },
};

const ADDRESS = { name: "Ada Lovelace", line1: "12 St James's Square", line2: "", city: "London", country: "GB" };

/** Checks out a learner's cart of an organisation; returns the URL to which the buyer is sent. */
async function cart(organisation, language = "en") {
  const email = `page.${Date.now()}.${Math.floor(Math.random() * 1e6)}@example.org`;
  const organisations = Object.keys(SHOPS);
  const user = await json("POST", `${SIM}/_sim/users`, { email, hint: false, organisations });
  const learner = { authorization: `JWT ${user.jwt}`, orgName: organisation };
  const items = [{ type: "course", id: SHOPS[organisation].course, mode: "verified" }];
  await json("PUT", `${API}/storeapi/payment/cart/`, { items, billing_address: ADDRESS, language }, learner);
  const checkout = await json("POST", `${API}/storeapi/payment/checkout/`, undefined, learner);
  assert.equal(checkout.gateway, SHOPS[organisation].gateway);
  const status = () => json("GET", `${API}/storeapi/payment/status/${checkout.cart_id}/`, undefined, learner);
  return { url: checkout.redirect_url, status, email };
}

/** Opens a page, which is checked. */
async function open(browser, url, viewport, locale = "en-US") {
  const { page, complaints, look, close } = await visit(browser, viewport, { locale });
  await page.goto(url);
  await look();
  return { page, complaints, look, close };
}

const thanks = (page) => page.getByText("Thank you, your payment has arrived").waitFor();

async function stripe(browser, viewport, shot) {
  const bought = await cart("northwind");
  const { page, complaints, close } = await open(browser, bought.url, viewport);
  await page.getByText("Total").waitFor();
  // After a declined card, the buyer can use another one.
  await page.getByLabel("Card number").fill("4000 0000 0000 0002");
  await page.getByRole("button", { name: /^Pay/ }).click();
  await page.getByText("Your card was declined").waitFor();
  assert.equal((await bought.status()).status, "pending_payment");
  await page.reload();
  await page.getByLabel("Card number").fill("4242 4242 4242 4242");
  await picture(page, shot);
  await page.getByRole("button", { name: "Pay $199.00" }).click();
  await thanks(page);
  // The fields show the whole billing address, and a card gets what the fields do not ask for.
  const { shown, confirmed } = await page.evaluate(() => ({ ...window.Stripe }));
  const { name, line1, city, country } = ADDRESS;
  assert.deepEqual(shown.billingDetails, { name, email: bought.email, address: { line1, city, country } });
  const sent = confirmed.payment_method_data.billing_details;
  assert.deepEqual(sent, { name, email: bought.email, address: { line1, city } });
  assert.ok(["paid", "fulfilled"].includes((await bought.status()).status));
  // Reopened, the page shows the same result and offers no second payment.
  await page.reload();
  await thanks(page);
  assert.equal(await page.getByRole("button", { name: /^Pay/ }).isVisible(), false);
  assert.deepEqual(complaints, []);
  await close();
}

/** Paid in another tab: the first one notices, and says so. */
async function elsewhere(browser, viewport) {
  const bought = await cart("northwind");
  const { page, close } = await open(browser, bought.url, viewport);
  await page.getByLabel("Card number").waitFor();
  const other = await page.context().newPage();
  await other.goto(bought.url);
  await other.getByLabel("Card number").fill("4242 4242 4242 4242");
  await other.getByRole("button", { name: /^Pay/ }).click();
  await thanks(other);
  await page.getByLabel("Card number").fill("4242 4242 4242 4242");
  await page.getByRole("button", { name: /^Pay/ }).click();
  await thanks(page);
  await close();
}

async function order(browser, organisation, viewport) {
  const bought = await cart(organisation);
  const { page, complaints, close } = await open(browser, bought.url, viewport);
  await page.getByRole("button", { name: /^Pay/ }).click();
  assert.equal(await page.locator("dialog").evaluate((box) => getComputedStyle(box).borderTopWidth), "7px");
  await page.getByRole("button", { name: "Fail" }).click();
  await page.getByText("Payment failed").waitFor();
  await page.getByRole("button", { name: "Pay", exact: true }).click();
  await thanks(page);
  assert.deepEqual(complaints, []);
  await close();
}

async function redirect(browser, viewport) {
  const bought = await cart("lindgren");
  const { page, close } = await open(browser, bought.url, viewport);
  await page.getByRole("button", { name: "Pay" }).click();
  // Back in the example shop, which finds the order by the cart's id.
  await page.waitForURL(/:8070\/order\/[0-9a-f-]{36}$/);
  await close();
  for (let tries = 0; (await bought.status()).status !== "fulfilled"; tries += 1) {
    assert.ok(tries < 50, "the cart is not fulfilled");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** "Try it out" on the page of the OpenAPI document runs the open operation, also without the final slash. */
async function docs(browser) {
  const { page, complaints, close } = await visit(browser, DESKTOP);
  await page.goto(`${API}/storeapi/docs`);
  await page.locator("#operations-catalog-list_courses").waitFor();
  await picture(page, "api-docs");
  await page.getByRole("button", { name: "Authorize" }).first().click();
  const secret = page.locator(".auth-container").filter({ hasText: "clientapisecret" });
  await secret.locator("input").fill("demo-client-secret-demo-client-secret");
  await secret.getByRole("button", { name: /Apply|Authorize/ }).click();
  await page.locator(".modal-ux").getByRole("button", { name: "Close" }).first().click();
  for (const [operation, path] of [["list_programs", "programs"], ["list_courses", "courses"]]) {
    const opened = page.locator(`#operations-catalog-${operation}`);
    await opened.locator(".opblock-summary-control").click();
    await opened.getByRole("button", { name: "Try it out" }).click();
    const asked = page.waitForRequest(/\/storeapi\/discovery\//);
    await opened.getByRole("button", { name: "Execute" }).click();
    assert.equal(new URL((await asked).url()).pathname, `/storeapi/discovery/${path}/`);
    await opened.locator(".live-responses-table .response-col_status").getByText("200").waitFor();
  }
  assert.deepEqual(complaints, []);
  await close();
}

/** Amounts are written as the order's language does, whatever the browser's is. */
async function locales(browser) {
  for (const [language, amount] of [["de", "199,00\u00a0$"], ["en-IN", "$199.00"], ["fr", "199,00\u00a0$US"]]) {
    const { url } = await cart("northwind", language);
    const { page, complaints, close } = await open(browser, url, DESKTOP, "ja-JP");
    assert.equal(await page.locator("tfoot .amount").textContent(), amount);
    assert.deepEqual(complaints, []);
    await close();
  }
}

/** The page runs no injected script. */
async function locked(browser) {
  const { url } = await cart("northwind");
  const { page, close } = await open(browser, url, DESKTOP);
  const blocked = await page.evaluate(async () => {
    const violated = new Promise((resolve) => document.addEventListener("securitypolicyviolation", (event) => resolve(event.violatedDirective)));
    const script = document.createElement("script");
    script.textContent = "window.smuggled = true";
    document.body.append(script);
    return [await violated, window.smuggled === undefined];
  });
  assert.deepEqual(blocked, ["script-src-elem", true]);
  await close();
}

walk({
  "Stripe on a phone": (browser) => stripe(browser, PHONE, "pay-phone"),
  "Stripe on a desktop": (browser) => stripe(browser, DESKTOP, "pay-desktop"),
  "Razorpay on a phone": (browser) => order(browser, "saraswati", PHONE),
  "Curlec on a desktop": (browser) => order(browser, "kinabalu", DESKTOP),
  "paid in another tab": (browser) => elsewhere(browser, PHONE),
  "Mollie on a phone": (browser) => redirect(browser, PHONE),
  "other locales": locales,
  "a foreign script": locked,
  "the OpenAPI document's page": docs,
});
