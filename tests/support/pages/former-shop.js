// Moves a small former shop in to the demo, and takes pictures of what is here then: an order in the learner's history, at the desk and
// in the ledger, and a code that was bought there.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { API, SIM, SHOP, DESKTOP, json, visit, desk } = require("./common.js");

const SITE = "shop.northwind.example";
const [COURSE, TITLE, PRICE] = ["course-v1:Northwind+DS101+2026", "Foundations of Data Science with Python", "149.00"];
const NUMBER = "NORTH-100038";
const CODE = "6JDSFQX6PPLN7YX6";

/** What the clients of both databases print: two orders of a learner, of which one was paid back, and three codes of an office. */
function exported([ada, office]) {
  const placed = "2021-03-04T10:00:00.000000Z";
  const product = { t: "product", title: TITLE, course: COURSE, course_name: TITLE, partner_id: 1, price: PRICE, currency: "USD" };
  const order = (id, user, line, paid, refunded = "0.00") => [
    { t: "order", id, number: `NORTH-${100000 + id}`, site_id: 2, partner_id: 1, user_id: user, status: "Complete", currency: "USD", total: paid, placed, invoiced: 0 },
    { t: "line", id: id * 10, order_id: id, title: `Seat in ${TITLE} with verified certificate`, ...line },
    { t: "payment", id, order_id: id, processor: "paypal", reference: `PAYID-${id}`, currency: "USD", debited: paid, refunded },
  ];
  const back = { id: 39, order_id: 39, amount: PRICE };
  return [
    { t: "begin", format: 1, missing: null },
    { t: "site", id: 2, domain: SITE, partner_id: 1, short_code: "north", name: "Northwind" },
    { ...product, id: 11, class: "seat", certificate: "verified", verified_id: 1, sku: "FCEAF06" },
    { ...product, id: 13, class: "enrollment-code", seat_type: "verified", sku: "A1B2C3D" },
    { t: "user", id: 7, username: "ada", lms_id: ada.user_id },
    { t: "user", id: 8, username: "office", lms_id: office.user_id },
    ...order(38, 7, { product_id: 11, sku: "FCEAF06", quantity: 1, before: PRICE, paid: "111.75" }, "111.75"),
    ...order(39, 7, { product_id: 11, sku: "FCEAF06", quantity: 1, before: PRICE, paid: PRICE }, PRICE, PRICE),
    { t: "refund", status: "Complete", created: "2021-03-10T10:00:00.000000Z", changed: "2021-03-10T10:00:00.000000Z", ...back },
    { t: "refund_line", refund_id: 39, line_id: 390, amount: PRICE },
    { t: "refunded", reference: "8XY1", at: "2021-03-10T10:00:00.000000Z", ...back },
    ...order(40, 8, { product_id: 13, sku: "A1B2C3D", quantity: 3, before: "447.00", paid: "447.00" }, "447.00"),
    ...[CODE, "4ASTBG34N33LKWTU", "5LUDWE4T7Q7PGPOW"].map((code, id) => ({
      t: "code", id, code, usage: "Single use", from: placed, until: "2031-03-04T10:00:00.000000Z", orders: 0, offer_id: 1, applications: 0,
      kind: "Percentage", value: "100.00", line_id: 400 })),
    { t: "end" },
    { t: "begin_platform", format: 1, missing: null },
    ...[[ada, "ada", "Ada Lovelace"], [office, "office", "Engines & Sons"]].map(([{ user_id, email }, username, name]) => (
      { t: "account", id: user_id, username, email, name, retired: 0 })),
    { t: "end_platform" },
  ];
}

async function signIn(page, email) {
  await page.goto(SHOP);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The learner finds the order, and redeems a code of the office. */
async function shop(browser, email) {
  const visitor = await visit(browser, DESKTOP);
  const { page, look } = visitor;
  await signIn(page, email);
  await page.getByRole("link", { name: "My orders" }).click();
  await page.getByText("111.75").first().waitFor();
  await look();
  await visitor.shoot("moving-in-shop-desktop");
  await page.goto(`${SHOP}/course/${COURSE}`);
  await page.getByRole("button", { name: "Add to the basket" }).click();
  await page.getByLabel("Voucher").fill(CODE);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("status").getByText("accepted", { exact: true }).waitFor();
  await visitor.shoot("moving-in-code-desktop");
  await page.getByRole("button", { name: "Take the courses" }).click();
  await page.waitForURL(/\/order\//);
  await page.getByRole("status").getByText("complete").waitFor();
  assert.deepEqual(visitor.complaints, []);
  await visitor.close();
}

/** Finance finds the order by its number, and its movements in the ledger. */
async function finance(browser) {
  const { page, look, shoot, close } = await desk(browser, DESKTOP, "mira@northwind.example");
  await page.goto(`${API}/console/northwind/search/?q=${NUMBER}`);
  await page.getByText(`Sold by ${SITE}`).waitFor();
  await look();
  await shoot("moving-in-console-desktop");
  await page.goto(`${API}/console/northwind/reports/?from=2021-01-01&to=2021-12-31`);
  await page.getByText(NUMBER).waitFor();
  await look();
  await shoot("moving-in-ledger-desktop");
  await close();
}

async function movedIn(browser) {
  const people = [];
  for (const name of ["ada", "office"]) {
    const email = `${name}@${Date.now().toString(36)}.example`;
    people.push({ email, ...await json("POST", `${SIM}/_sim/users`, { email, hint: false }) });
  }
  const folder = mkdtempSync(`${tmpdir()}/former-shop-`);
  const file = `${folder}/export.jsonl`;
  writeFileSync(file, exported(people).map((row) => JSON.stringify(row)).join("\n"));
  const words = ["worker", "move-in", "ecommerce", "--site", SITE, "--organisation", "northwind", "--apply", "--codes", file];
  execFileSync("deploy/demo", words, { stdio: ["ignore", "ignore", "inherit"] });
  rmSync(folder, { recursive: true });
  await shop(browser, people[0].email);
  await finance(browser);
}

module.exports = { movedIn };
