// The api's other pages for buyers, as they use them: the payment and the status of an order in three languages, the
// withdrawal by keyboard alone in two, the page to which upgrade buttons lead, the history of orders; and the simulators' pages.
"use strict";
const assert = require("node:assert/strict");
const { API, SIM, SECRET, PHONE, DESKTOP, json, until, mail, visit, tab, walk } = require("./common.js");

const NORTHWIND = "b3cd5540-79c7-4e4f-867c-e0444d03ada6";
const LINDGREN = "b38980ff-b28a-4d4d-ad68-a7045a03a67b";
const STATISTICS = { type: "course", id: "ad035fc9-afd5-49f2-85d8-8ac83dd05a77", mode: "verified" };
const WOOD = { type: "course", id: "e90c8dfd-1757-4985-a549-8c3455a7996b", mode: "verified" };
const ADDRESS = { name: "Ada Lovelace", line1: "Storgatan 1", city: "Lund", country: "SE" };

const address = (name) => `${name}.${Date.now()}.${Math.floor(Math.random() * 1e6)}@example.org`;
const fulfilled = (cart) => until(`cart ${cart} fulfilled`, async () => {
  const { status } = await json("GET", `${API}/storeapi/payment/status/${cart}/`, undefined, SECRET);
  return ["held", "fulfilled"].includes(status);
});

/** A guest buys a course of Lindgren from the EU, with consents. Returns the address, the order and the receipt's mail. */
async function bought(language) {
  const email = address("withdraw");
  const basket = {
    email, language, organisation_id: LINDGREN, items: [WOOD], billing_address: ADDRESS, consents: { terms: true, begin_now: true },
  };
  const checkout = await json("POST", `${API}/storeapi/discovery/guest/checkout/`, basket, SECRET);
  await fetch(`${SIM}/_sim/payments/${checkout.payment_id}/pay`, { method: "POST", body: "{}" });
  await fulfilled(checkout.cart_id);
  const receipt = await mail(email, new RegExp(checkout.cart_id));
  return { email, cart: checkout.cart_id, receipt };
}

/** The payment page and the status page of a learner's order, on a phone. */
async function ordered(browser, language, { dir, paid, colorScheme }) {
  const email = address("pay");
  const user = await json("POST", `${SIM}/_sim/users`, { email, hint: false, organisations: ["northwind"] });
  const learner = { authorization: `JWT ${user.jwt}`, orgName: "northwind" };
  await json("PUT", `${API}/storeapi/payment/cart/`, { items: [STATISTICS], billing_address: ADDRESS, language }, learner);
  const checkout = await json("POST", `${API}/storeapi/payment/checkout/`, undefined, learner);
  // The page is in the order's language, whatever the browser's is.
  const visitor = await visit(browser, PHONE, { locale: "nl-NL", colorScheme });
  const { page, look } = visitor;
  await page.goto(checkout.redirect_url);
  const shown = () => page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);
  assert.deepEqual(await shown(), [language, dir]);
  await page.locator("#card").waitFor();
  await look();
  await page.locator("#card").fill("4242 4242 4242 4242");
  await visitor.shoot(`pay-${language}-phone`);
  await tab(page, page.locator("#pay"), 5);
  await page.keyboard.press("Enter");
  await page.locator("#message.good").waitFor();
  await look();
  await fulfilled(checkout.cart_id);
  await page.context().addCookies([{ name: "sessionid", value: user.sessionid, url: API }]);
  await page.goto(`${API}/storeapi/payment/status/${checkout.cart_id}/`);
  assert.deepEqual(await shown(), [language, dir]);
  await page.getByRole("status").getByText(paid).waitFor();
  await look();
  assert.deepEqual(visitor.complaints, []);
  await visitor.close();
}

/** Withdraws with the link of a receipt, by keyboard alone, after a form that was sent too early. */
async function withdrawn(browser, viewport, language, words) {
  const { email, cart, receipt } = await bought(language);
  const link = receipt.text.match(/\S+\/withdraw\/\?\S+/)[0];
  const visitor = await visit(browser, viewport, { locale: language });
  const { page, look } = visitor;
  await page.goto(link);
  assert.equal(await page.evaluate(() => document.documentElement.lang), language);
  await page.getByRole("heading", { name: words.title }).waitFor();
  await look();
  // The link says whose order it is: neither is asked for.
  await page.getByText(cart, { exact: true }).waitFor();
  await page.getByText(email, { exact: true }).waitFor();
  await tab(page, page.getByRole("button", { name: words.next }));
  await page.keyboard.press("Enter");
  // The link to a fault leads to its field.
  await page.getByRole("alert").waitFor();
  await look();
  await tab(page, page.getByRole("alert").getByRole("link", { name: words.noName }));
  await page.keyboard.press("Enter");
  await page.keyboard.type("Ada Lovelace");
  await visitor.shoot(`withdraw-${language}-${viewport === PHONE ? "phone" : "desktop"}`);
  await page.keyboard.press("Enter");
  await tab(page, page.getByRole("button", { name: words.confirm }));
  await look();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: words.received }).waitFor();
  await look();
  // Acknowledged on paper, so to speak, and carried out at once: the link proves the buyer.
  await mail(email, words.acknowledged);
  await mail(email, words.refund);
  const { status } = await json("GET", `${API}/storeapi/payment/status/${cart}/`, undefined, SECRET);
  assert.equal(status, "refunded");
  assert.deepEqual(visitor.complaints.filter((text) => !/status of 400/.test(text)), []);
  await visitor.close();
}

/** Without proof, the holder of the address can object. */
async function objected(browser) {
  const { email, cart } = await bought("en");
  const visitor = await visit(browser, PHONE);
  const { page, look } = visitor;
  await page.goto(`${API}/storeapi/payment/withdraw/?lang=en`);
  await page.getByLabel("Order or invoice number").fill(cart);
  await page.getByLabel("Your name").fill("A Stranger");
  await page.getByLabel("Your email address").fill(email);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Change it" }).click();
  assert.equal(await page.getByLabel("Your name").inputValue(), "A Stranger");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Confirm withdrawal" }).click();
  await page.getByRole("heading", { name: "Your withdrawal was received" }).waitFor();
  const told = await mail(email, /did not declare/);
  await page.goto(told.text.match(/\S+\/objection\/\S+/)[0]);
  await look();
  await page.getByRole("button", { name: "I did not declare this" }).click();
  await page.getByText("The seller will look at this first").waitFor();
  await look();
  await visitor.close();
}

/** The page of the platform's upgrade buttons, its consents, and the history that leads to the order. */
async function upgraded(browser, viewport) {
  const visitor = await visit(browser, viewport);
  const { page, look } = visitor;
  const email = address("buy");
  await json("POST", `${SIM}/_sim/users`, { email, hint: false, organisations: ["northwind"] });
  await page.goto(`${SIM}/_sim/login?next=${encodeURIComponent(`${API}/storeapi/payment/history/`)}`);
  await page.getByLabel("Email address").fill(email);
  await look();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("You have not bought anything yet").waitFor();
  await look();
  await page.goto(`${API}/storeapi/payment/buy/?sku=${STATISTICS.id}.verified`);
  await page.getByRole("heading", { name: "Northwind Institute" }).waitFor();
  await look();
  await tab(page, page.getByRole("button", { name: "Continue to payment" }));
  await page.keyboard.press("Enter");
  await page.getByLabel("Card number").fill("4242 4242 4242 4242");
  await page.getByRole("button", { name: /^Pay/ }).click();
  await page.getByText("Thank you, your payment has arrived").waitFor();
  await page.goto(`${API}/storeapi/payment/history/`);
  await page.getByText("Statistics You Can Defend").waitFor();
  await look();
  await page.goto(`${API}/storeapi/payment/buy/?sku=${STATISTICS.id}.verified`);
  await page.getByRole("heading", { name: "You have this already" }).waitFor();
  await look();
  await page.goto(`${API}/storeapi/payment/buy/?sku=nothing.verified`);
  await page.locator("#message.bad").waitFor();
  await look();
  await page.goto(`${API}/storeapi/payment/status/00000000-0000-4000-8000-000000000000/`);
  await page.getByRole("heading", { name: "Order not found" }).waitFor();
  await look();
  await visitor.close();
}

/** The simulators' page, as a mail client: the parts and widths of a mail, and its attachments. */
async function mailbox(browser, viewport) {
  const { email } = await bought("sv");
  const visitor = await visit(browser, viewport);
  const { page, look } = visitor;
  await page.goto(`${SIM}/_sim/`);
  await look();
  await page.getByRole("link", { name: new RegExp(`Ditt kvitto.*${email}`) }).click();
  await page.getByRole("heading", { name: "Ditt kvitto från Lindgren Akademi" }).waitFor();
  const shown = page.frameLocator("iframe");
  await shown.getByRole("img", { name: "Lindgren Akademi" }).waitFor();
  const size = await page.request.get(`${SIM}/_sim/assets/lindgren/logo.png`);
  assert.equal(size.headers()["content-type"], "image/png");
  await look();
  await page.getByRole("link", { name: "Wide", exact: true }).click();
  await page.locator(".wide iframe").waitFor();
  await page.getByRole("link", { name: "Text part" }).click();
  await page.locator("pre").getByText("Tack för ditt köp").waitFor();
  await look();
  const attachment = await page.request.get(`${SIM}${await page.getByRole("link", { name: /\.pdf$/ }).getAttribute("href")}`);
  assert.equal(attachment.headers()["content-type"], "application/pdf");
  await visitor.close();
}

const EN = {
  title: "Withdraw from contract here", next: "Continue", noName: "Enter your name.",
  confirm: "Confirm withdrawal", received: "Your withdrawal was received", acknowledged: /has received your withdrawal/, refund: /has refunded/,
};
const DE = {
  title: "Vertrag widerrufen", next: "Weiter", noName: "Geben Sie Ihren Namen ein.",
  confirm: "Widerruf bestätigen", received: "Ihr Widerruf ist eingegangen", acknowledged: /Widerruf/, refund: /erstattet/,
};

walk({
  "paying in English, dark": (browser) => ordered(browser, "en", { dir: "ltr", paid: "your payment has arrived", colorScheme: "dark" }),
  "paying in Arabic": (browser) => ordered(browser, "ar", { dir: "rtl", paid: "شكرًا", colorScheme: "light" }),
  "paying in Hindi": (browser) => ordered(browser, "hi", { dir: "ltr", paid: "धन्यवाद", colorScheme: "light" }),
  "withdrawing by keyboard in English on a desktop": (browser) => withdrawn(browser, DESKTOP, "en", EN),
  "withdrawing by keyboard in German on a phone": (browser) => withdrawn(browser, PHONE, "de", DE),
  "an objection": objected,
  "an upgrade button and the history on a phone": (browser) => upgraded(browser, PHONE),
  "an upgrade button and the history on a desktop": (browser) => upgraded(browser, DESKTOP),
  "the mailbox on a phone": (browser) => mailbox(browser, PHONE),
  "the mailbox on a desktop": (browser) => mailbox(browser, DESKTOP),
});
