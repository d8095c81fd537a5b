// Works on the tickets that a support desk gets most, and counts: each press of a button, a link or a summary is a click, and so is
// Enter in a field. More clicks than the goal fail; the seconds are a machine's, and only printed. Uses the demo on its fixed ports.
"use strict";
const assert = require("node:assert/strict");
const { API, SIM, SECRET, DESKTOP, json, until, visit, walk } = require("./common.js");

const NORTHWIND = { slug: "northwind", id: "b3cd5540-79c7-4e4f-867c-e0444d03ada6", course: "ad035fc9-afd5-49f2-85d8-8ac83dd05a77" };
// It writes invoices.
const KINABALU = { slug: "kinabalu", id: "842a8b9b-3d64-474d-8bd9-1ad9e0f08bcf", course: "6ea9e4e2-eeee-437f-a69c-385c6a394046" };
const ADDRESS = { name: "Ada Lovelace", company: "Engines & Sons", line1: "12 St James's Square", city: "London", country: "GB" };

const mails = (email) => json("GET", `${SIM}/_sim/emails?to=${encodeURIComponent(email)}`);

/** A guest's paid order, whose buyer has an account or none. */
async function buy(seller, name, hasAccount) {
  const email = `${name}.${Date.now()}@tickets.example`;
  if (hasAccount) await json("POST", `${SIM}/_sim/users`, { email, hint: false });
  const checkout = await json("POST", `${API}/storeapi/discovery/guest/checkout/`, {
    email, organisation_id: seller.id, items: [{ type: "course", id: seller.course, mode: "verified" }], billing_address: ADDRESS,
  }, { ...SECRET, "x-visitor-id": crypto.randomUUID() });
  const reference = checkout.client_secret?.split("_secret")[0] ?? checkout.payment_id ?? checkout.order_id;
  await json("POST", `${SIM}/_sim/payments/${reference}/pay`, {});
  await until("the mails of an order", async () => (await mails(email)).length >= (hasAccount ? 1 : 2));
  return email;
}

/** A clerk at the start page of a console, whose clicks are counted. */
async function clerk(browser, seller, email) {
  const visitor = await visit(browser, DESKTOP);
  const { page } = visitor;
  await page.goto(`${SIM}/_sim/login?next=${encodeURIComponent(`${API}/console/${seller.slug}/`)}`);
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("searchbox").waitFor();
  const desk = { page, clicks: 0, close: visitor.close };
  desk.click = (element) => { desk.clicks += 1; return element.click(); };
  // The console opens what alone is found.
  desk.open = async (text) => {
    desk.clicks += 1;
    await page.getByRole("searchbox").fill(text);
    await page.getByRole("searchbox").press("Enter");
    await page.waitForURL(/\/(search|orders)\//);
    if (page.url().includes("/search/")) await desk.click(page.locator("th a[href*='/orders/']").first());
    await page.waitForURL(/\/orders\//);
  };
  desk.submit = (form) => desk.click(page.locator(`form[action$="/${form}/"] button[type=submit]`).last());
  desk.done = () => page.locator(".done").waitFor({ timeout: 10_000 })
    .catch(async () => assert.fail(`not done: ${(await page.locator("main").innerText()).slice(0, 200)}`));
  return desk;
}

const TICKETS = {
  "no account: the invitation again": {
    goal: 3, seller: NORTHWIND, clerk: "noor",
    async prepare() { const email = await buy(NORTHWIND, "newcomer", false); return { email, before: (await mails(email)).length }; },
    async solve(desk, { email }) {
      await desk.open(email);
      await desk.submit("invitation");
      await desk.done();
    },
    check: ({ email, before }) => until("another invitation", async () => (await mails(email)).length > before),
  },
  "the wrong run: another one of the list": {
    goal: 5, seller: NORTHWIND, clerk: "noor",
    prepare: async () => ({ email: await buy(NORTHWIND, "mover", true) }),
    async solve(desk, { email }) {
      const { page } = desk;
      await desk.open(email);
      await desk.click(page.locator("a[href*='/move/?position=']").first());
      await desk.click(page.locator("button[name=course]").first());
      await page.locator("[name=reason]").fill("Meant the other run");
      // Of another price.
      await page.locator("[name=waive]").check();
      await desk.submit("move");
      await desk.done();
    },
  },
  "the VAT ID on the invoice": {
    goal: 6, seller: KINABALU, clerk: "mira",
    async prepare() { const email = await buy(KINABALU, "company", true); return { email, before: (await mails(email)).length }; },
    async solve(desk, { email }) {
      await desk.open(email);
      await desk.click(desk.page.locator("a[href$='/invoice/']").first());
      await desk.page.locator("[name=tax_id]").fill("GB123456789");
      await desk.submit("invoice");
      await desk.done();
    },
    check: ({ email, before }) => until("the corrected invoice", async () => (await mails(email)).length > before),
  },
  "half of the price back": {
    goal: 5, seller: NORTHWIND, clerk: "sam",
    prepare: async () => ({ email: await buy(NORTHWIND, "half", true) }),
    async solve(desk, { email }) {
      const { page } = desk;
      await desk.open(email);
      await desk.click(page.locator("summary", { hasText: "Refund" }));
      await page.locator("[name=amount]").first().fill("99.50");
      await page.locator("[name=reason]").first().fill("Half of it was cancelled");
      await desk.click(page.getByRole("button", { name: "Show what will happen" }));
      await desk.submit("refund");
      await desk.done();
    },
  },
  "a mistyped address, with every mail": {
    goal: 4, seller: NORTHWIND, clerk: "noor",
    async prepare() { const email = await buy(NORTHWIND, "mistyped", false); return { email, right: `right.${email}` }; },
    async solve(desk, { email, right }) {
      const { page } = desk;
      await desk.open(email);
      await desk.click(page.locator("summary", { hasText: "Correct the address" }));
      await page.locator("form[action$='/address/'] [name=email]").fill(right);
      await desk.submit("address");
      await desk.done();
      await desk.submit("receipt");
      await desk.done();
    },
    check: ({ right }) => until("invitation and receipt", async () => (await mails(right)).length >= 2),
  },
};

async function tickets(browser) {
  const rows = [];
  for (const [name, { goal, seller, clerk: who, prepare, solve, check }] of Object.entries(TICKETS)) {
    const ticket = await prepare();
    const desk = await clerk(browser, seller, `${who}@northwind.example`);
    const begun = Date.now();
    const end = await solve(desk, ticket).then(() => "", (error) => `not solved: ${error.message.replace(/\s+/g, " ")}`);
    const seconds = ((Date.now() - begun) / 1000).toFixed(1);
    const mailed = end || !check ? end : await check(ticket).then(() => "", ({ message }) => message);
    rows.push({ ticket: name, clicks: desk.clicks, goal, seconds, fault: mailed || (desk.clicks > goal ? "too many clicks" : "") });
    await desk.close();
  }
  console.table(rows);
  assert.deepEqual(rows.filter(({ fault }) => fault), []);
}

walk({ "the clicks and seconds of a ticket": tickets });
