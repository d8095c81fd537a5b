// Buys in the example shop as people do, through each gateway, at phone and desktop width, and lets axe look at every page.
// Takes the browser's path; uses the demo on its fixed ports.
"use strict";
const assert = require("node:assert/strict");
const { chromium } = require("playwright-core");
const { source: axe } = require("axe-core");

const SHOP = "http://127.0.0.1:8070";
const SIM = "http://127.0.0.1:8090";
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };
const COURSES = {
  stripe: "course-v1:Northwind+DS210+2026", mollie: "course-v1:Lindgren+SNK210+2026",
  razorpay: "course-v1:Saraswati+HI-SAN110+2026", curlec: "course-v1:Kinabalu+MS-PEM120+2026",
};

/** Opens the shop; every page is checked for what axe finds serious, for its width, and for errors of scripts. */
async function visit(browser, viewport) {
  const isMobile = viewport === PHONE;
  const context = await browser.newContext({ viewport, isMobile, hasTouch: isMobile });
  const page = await context.newPage();
  const complaints = [];
  // The simulated provider's page has no icon.
  const isOurs = (line) => line.location().url.startsWith(SHOP);
  page.on("console", (line) => line.type() === "error" && isOurs(line) && complaints.push(line.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  const look = async () => {
    // Not `innerWidth`: a phone zooms out of a page that is too wide.
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= viewport.width, `${page.url()} is ${width} pixels wide`);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes[0].html]), [], page.url());
  };
  return { page, complaints, look, close: () => context.close() };
}

async function choose({ page, look }, course) {
  await page.goto(`${SHOP}/course/${course}`);
  await look();
  await page.getByRole("button", { name: /Add to the basket/ }).and(page.locator(":visible")).last().click();
  await page.getByRole("heading", { name: "Check out" }).waitFor();
  await look();
}

async function fillAddress(page, country) {
  for (const [label, text] of [["Name", "Ada Lovelace"], ["Street", "12 St James's Square"], ["City", "London"]]) {
    await page.getByLabel(label, { exact: true }).fill(text);
  }
  await page.getByLabel(/^Country \(/).fill(country);
}

const PAY = {
  async stripe(page) {
    await page.getByLabel("Card number").fill("4242 4242 4242 4242");
    await page.getByRole("button", { name: "Pay" }).first().click();
  },
  async mollie(page) {
    await page.waitForURL((url) => url.href.startsWith(SIM));
    await page.getByRole("button", { name: "Pay" }).click();
  },
  async razorpay(page) {
    await page.getByRole("button", { name: "Pay" }).first().click();
    await page.locator("dialog").getByRole("button", { name: "Pay", exact: true }).click();
  },
};
PAY.curlec = PAY.razorpay;

/** A guest buys a course through a gateway. */
async function sale(browser, gateway, viewport, picture) {
  const visitor = await visit(browser, viewport);
  const { page, look } = visitor;
  await choose(visitor, COURSES[gateway]);
  if (picture) await page.screenshot({ path: picture });
  await page.getByLabel("Email address").fill(`shop.${gateway}.${Date.now()}@example.org`);
  await fillAddress(page, gateway === "mollie" ? "SE" : "GB");
  await page.getByRole("button", { name: /^Buy for/ }).click();
  await PAY[gateway](page);
  await page.waitForURL(/\/order\//);
  // A guest sees no more: the rest would tell whether the address has an account.
  await page.getByRole("status").getByText("complete").waitFor();
  await look();
  assert.deepEqual(visitor.complaints, []);
  await visitor.close();
}

/** A learner signs in, buys, sees the invoice, and refunds. */
async function own(browser, viewport, picture) {
  const visitor = await visit(browser, viewport);
  const { page, look } = visitor;
  await page.goto(SHOP);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Email address").fill(`shop.learner.${Date.now()}@example.org`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Your orders" }).waitFor();
  await choose(visitor, COURSES.curlec);
  await page.getByRole("button", { name: /^Buy for/ }).click();
  await PAY.curlec(page);
  await page.waitForURL(/\/order\//);
  await page.getByRole("status").getByText("fulfilled").waitFor();
  const invoice = page.getByRole("link", { name: /^KL\d\d-\d{6}$/ });
  for (let tries = 0; !(await invoice.isVisible()) && tries < 50; tries += 1) {
    await page.waitForTimeout(200);
    await page.reload();
  }
  if (picture) await page.screenshot({ path: picture });
  const document = await page.request.get(await invoice.getAttribute("href"));
  assert.equal(document.headers()["content-type"], "application/pdf");
  await look();
  await page.getByRole("button", { name: /^Refund/ }).click();
  await page.getByText("refunded").first().waitFor();
  await page.getByRole("link", { name: "My orders" }).click();
  await page.getByRole("link", { name: /:/ }).first().waitFor();
  await look();
  assert.deepEqual(visitor.complaints, []);
  await visitor.close();
}

/** A company buys seats, follows the link in its mail, assigns two of them and takes one back. */
async function seats(browser, viewport, picture) {
  const visitor = await visit(browser, viewport);
  const { page, look } = visitor;
  const now = Date.now();
  const [office, person, stranger] = ["office", "ada", "new"].map((name) => `shop.${name}.${now}@engines.example`);
  await page.request.post(`${SIM}/_sim/users`, { data: { email: person } });
  await page.goto(`${SHOP}/course/${COURSES.curlec}`);
  await page.getByLabel("Seats for others").last().fill("3");
  await page.getByRole("button", { name: /Add to the basket/ }).last().click();
  await page.getByText(/3 seats/).waitFor();
  await look();
  await page.getByLabel("Email address").fill(office);
  await page.getByLabel("Company").fill("Engines & Sons");
  await fillAddress(page, "MY");
  await page.getByRole("button", { name: /^Buy for/ }).click();
  await PAY.curlec(page);
  await page.waitForURL(/\/order\//);
  await page.getByRole("status").getByText("complete").waitFor();
  const link = async () => {
    const mails = await (await page.request.get(`${SIM}/_sim/emails?to=${office}`)).json();
    return mails.map(({ text }) => text.match(/\S+voucher_id=\S+/)?.[0]).find(Boolean);
  };
  for (let tries = 0; !(await link()) && tries < 50; tries += 1) await page.waitForTimeout(200);
  await page.goto(await link());
  await page.getByRole("status").getByText("3 of 3 seats left").waitFor();
  await page.getByLabel(/^Email addresses/).fill(`${person}\n${stranger}\nno address`);
  await page.getByRole("button", { name: "Assign" }).click();
  await page.getByText(`${person}: enrolled`).waitFor();
  await page.getByText(`${stranger}: pending_registration`).waitFor();
  await page.getByRole("status").getByText("1 of 3 seats left").waitFor();
  await look();
  if (picture) await page.screenshot({ path: picture });
  await page.getByRole("button", { name: `Take back the seat of ${stranger}` }).click();
  await page.getByRole("status").getByText("2 of 3 seats left").waitFor();
  assert.equal((await page.content()).includes("token=0"), false, "a token is among the calls");
  // The buyer signs in with the address, and finds the seats without the link.
  await page.goto(SHOP);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Email address").fill(office);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "My seats" }).click();
  await page.getByText("2 of 3 seats left").waitFor();
  await look();
  await page.getByRole("link", { name: /\(professional\)/ }).click();
  const code = await page.locator("code").first().textContent();
  await page.getByRole("button", { name: "Remind those who have not registered" }).click();
  await page.getByRole("status").getByText("2 of 3 seats left").waitFor();
  // The buyer takes a seat with the code.
  await choose(visitor, COURSES.curlec);
  await page.getByLabel("Voucher").fill(code);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("status").getByText("accepted", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Take the courses" }).click();
  await page.waitForURL(/\/order\//);
  await page.getByRole("status").getByText("fulfilled").waitFor();
  assert.deepEqual(visitor.complaints, []);
  await visitor.close();
}

/** The catalog is searched, filtered by tag and seen from another country; a wrong voucher is told apart. */
async function catalog(browser, viewport, picture) {
  const visitor = await visit(browser, viewport);
  const { page, look } = visitor;
  await page.goto(SHOP);
  await look();
  await page.screenshot({ path: picture });
  await page.getByLabel("Search").fill("statistics");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("link", { name: /^Statistics You Can Defend/ }).waitFor();
  await page.getByLabel("Search").fill("");
  await page.getByLabel("Tag").selectOption("Statistics");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText("5 courses", { exact: true }).waitFor();
  await page.getByLabel("Country").selectOption("IN");
  await page.getByRole("button", { name: "Set" }).click();
  await page.getByText("What this page asked the API").waitFor();
  await page.locator("summary").first().press("Enter");
  await page.getByText("x-visitor-country: IN").first().waitFor();
  assert.equal((await page.content()).includes("demo-client-secret"), false, "the secret is in the page");
  await page.goto(`${SHOP}/programs`);
  await look();
  await page.getByRole("link", { name: "Data Analyst Path" }).click();
  await look();
  await page.getByRole("button", { name: /Add to the basket/ }).click();
  await page.getByRole("cell", { name: "Data Analyst Path (verified)" }).waitFor();
  await page.getByRole("button", { name: "Remove Data Analyst Path" }).click();
  await page.getByText("It is empty.").waitFor();
  await choose(visitor, COURSES.stripe);
  await page.getByLabel("Voucher").fill("NO-SUCH-CODE");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("not accepted: unknown").waitFor();
  await look();
  assert.deepEqual(visitor.complaints, []);
  await visitor.close();
}

async function main() {
  const browser = await chromium.launch({ executablePath: process.argv[2], args: ["--no-sandbox"] });
  try {
    for (const [width, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
      const picture = (name) => `docs/shop-${name}-${width}.png`;
      await catalog(browser, viewport, picture("catalog"));
      console.log(`PASS the shop's catalog on a ${width}`);
      for (const gateway of Object.keys(COURSES)) {
        await sale(browser, gateway, viewport, gateway === "stripe" && picture("basket"));
        console.log(`PASS a sale through ${gateway} on a ${width}`);
      }
      await own(browser, viewport, picture("order"));
      console.log(`PASS a learner's order, invoice and refund on a ${width}`);
      await seats(browser, viewport, picture("seats"));
      console.log(`PASS a company's seats on a ${width}`);
    }
  } finally {
    await browser.close();
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
