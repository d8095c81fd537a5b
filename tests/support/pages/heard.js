// What a screen reader reads of each page, in its order: role, name, state and level, kept in `heard/` in English and in Arabic, so
// that a change of it is seen in a review. UPDATE_HEARD=1 writes it anew. In Arabic, also the direction of what is not Arabic; and
// what paper shows. Then the same pages in both languages with names that are hard to show beside others. Buys in the demo, which
// nothing else should have changed before.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync, spawnSync } = require("node:child_process");
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { API, SIM, SHOP, SECRET, PHONE, DESKTOP, json, until, mail, visit, walk } = require("./common.js");
const { isolated, ordered, shown } = require("./direction.js");

const NORTHWIND = { slug: "northwind", id: "b3cd5540-79c7-4e4f-867c-e0444d03ada6", course: "ad035fc9-afd5-49f2-85d8-8ac83dd05a77", key: "course-v1:Northwind+DS210+2026" };
const LINDGREN = { id: "b38980ff-b28a-4d4d-ad68-a7045a03a67b", course: "e90c8dfd-1757-4985-a549-8c3455a7996b" };
const ADDRESS = { name: "Ada Lovelace", line1: "Storgatan 1", city: "Lund", country: "SE" };
const NAMES = ["Ada Lovelace", "Northwind Institute", "Lindgren Akademi", "Statistics You Can Defend", "Mira Lindqvist"];
const FOLDER = join(__dirname, "heard");

const MONTHS = {
  en: "January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec",
  ar: "يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر",
};
/** What differs from run to run, with what stands for it. */
const CHANGING = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID"],
  [/heard\.\d+@/g, "heard@"],
  [/\bpi_\w+/g, "REFERENCE"],
  [/\b[A-Z]{2,3}\d\d-\d{6}\b/g, "NUMBER"],
  [new RegExp(`\\b(${MONTHS.en})\\.? \\d{1,2}(, \\d{4})?`, "g"), "DATE"],
  [new RegExp(`\\d{1,2} (${MONTHS.ar})( \\d{4})?`, "g"), "DATE"],
  [/\d{4}-\d\d-\d\d|\d{1,2}\u200f\/\d{1,2}\u200f\/\d{4}/g, "DATE"],
  [/\d{1,2}:\d\d(:\d\d)?( (AM|PM|ص|م))?/g, "TIME"],
];
/** What also differs on pages that sum up what has happened. */
const COUNTED = [...CHANGING, [/"[0-9a-f]{8}\b/g, '"ID'], [/(?<!level=)\d([\d.,\u066b\u066c]*\d)?/g, "#"]];

/** The tree of a page without addresses, with what changes replaced, and rows and entries once that then are the same. */
async function tree(page, changing) {
  await page.evaluate(() => document.querySelectorAll(".calls").forEach((one) => one.remove()));
  let text = await page.locator("body").ariaSnapshot();
  for (const [pattern, word] of changing) text = text.replace(pattern, word);
  const above = [{ depth: -1, children: [] }];
  for (const line of text.split("\n")) {
    const node = { depth: line.search(/\S/), line: line.replace(/:$/, ""), children: [] };
    while (above.at(-1).depth >= node.depth) above.pop();
    if (!/^\s*- \/url:/.test(line)) above.at(-1).children.push(node);
    above.push(node);
  }
  const written = (nodes) => {
    const all = nodes.map(({ line, children }) => children.length > 0 ? `${line}:\n${written(children)}` : `${line}\n`);
    const isAgain = (one, at) => one === all[at - 1] && /\n./.test(one);
    return all.filter((one, at) => !isAgain(one, at)).slice(0, all.length > 100 ? 3 : undefined).join("");
  };
  return written(above[0].children);
}

/** Compares what is heard of a page with what is kept. Returns the difference. */
async function hear(page, name, language, changing = CHANGING) {
  const path = join(FOLDER, `${name}.${language}.yaml`);
  const now = await tree(page, changing);
  if (process.env.UPDATE_HEARD) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path, now);
  }
  const { stdout, stderr } = spawnSync("diff", ["-U2", `--label=${name}.${language}`, "--label=now", path, "-"], { input: now, encoding: "utf8" });
  return stdout || stderr ? [stdout || stderr] : [];
}

/** What is not heard or shown as it should be, of a page that is open. */
async function heard(page, name, language, changing) {
  const faults = await hear(page, name, language, changing);
  if (language !== "ar") return faults;
  for (const [what, found] of [["is not isolated", await page.evaluate(isolated, NAMES)], ["is out of order", await page.evaluate(ordered)]]) {
    faults.push(...new Set(found.map((text) => `${name}.${language}: ${what}: ${text}`)));
  }
  return faults;
}

/** Waits until a paid order gives access. */
const fulfilled = (cart) => until(`the cart ${cart} is fulfilled`, async () => {
  const { status } = await json("GET", `${API}/storeapi/payment/status/${cart}/`, undefined, SECRET);
  return status === "fulfilled";
});

/** The shop, from its list to a guest's order. */
async function shop(page, language, check) {
  const faults = [];
  const listen = async (name) => faults.push(...await check(page, `shop-${name}`, language));
  await page.goto(`${SHOP}/`);
  await listen("list");
  await page.goto(`${SHOP}/course/${NORTHWIND.key}`);
  await listen("course");
  await page.locator(".buy button.large").click();
  await page.locator("#checkout").waitFor();
  await listen("basket");
  await page.locator("input[name=email]").fill(`heard.${Date.now()}@example.org`);
  await page.locator("button.large").click();
  await page.getByLabel("Card number").fill("4242 4242 4242 4242");
  await listen("pay");
  await page.locator("#pay").click();
  await page.waitForURL(/\/order\//);
  await fulfilled(new URL(page.url()).pathname.split("/")[2]);
  await page.reload();
  await listen("order");
  await page.emulateMedia({ media: "print" });
  const shown = await page.locator("nav, .foot form, .skip").evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.tagName));
  await page.emulateMedia({ media: "screen" });
  return [...faults, ...shown.map((one) => `shop-order: paper shows ${one}`)];
}

/** The api's own pages: a withdrawal, and a learner's buy page, order and history. */
async function buyers(page, language, check) {
  const faults = [];
  const listen = async (name) => faults.push(...await check(page, name, language));
  const email = `heard.${Date.now()}@example.org`;
  const basket = { email, language, organisation_id: LINDGREN.id, items: [{ type: "course", id: LINDGREN.course, mode: "verified" }], billing_address: ADDRESS, consents: { terms: true, begin_now: true } };
  const guest = await json("POST", `${API}/storeapi/discovery/guest/checkout/`, basket, SECRET);
  // An address without an account: its course waits for one.
  await json("POST", `${SIM}/_sim/payments/${guest.payment_id}/pay`, {});
  const { text } = await mail(email, new RegExp(guest.cart_id));
  await page.goto(text.match(/\S+\/withdraw\/\?\S+/)[0]);
  await listen("withdrawal");
  const learner = `heard.${Date.now()}@example.net`;
  const user = await json("POST", `${SIM}/_sim/users`, { email: learner, hint: false, organisations: [NORTHWIND.slug] });
  await page.context().addCookies([{ name: "sessionid", value: user.sessionid, url: API }]);
  await page.goto(`${API}/storeapi/payment/buy/?sku=${NORTHWIND.course}.verified`);
  await listen("buy");
  const headers = { authorization: `JWT ${user.jwt}`, orgName: NORTHWIND.slug };
  await json("PUT", `${API}/storeapi/payment/cart/`, { items: [{ type: "course", id: NORTHWIND.course, mode: "verified" }], billing_address: ADDRESS, language }, headers);
  const checkout = await json("POST", `${API}/storeapi/payment/checkout/`, undefined, headers);
  await page.goto(checkout.redirect_url);
  await page.getByLabel("Card number").fill("4242 4242 4242 4242");
  await listen("pay");
  await page.locator("#pay").click();
  await fulfilled(checkout.cart_id);
  await page.goto(`${API}/storeapi/payment/status/${checkout.cart_id}/`);
  await listen("order");
  await page.goto(`${API}/storeapi/payment/history/`);
  await listen("history");
  await page.context().clearCookies();
  return faults;
}

/** A learner's paid order. */
async function buy(email, name) {
  await json("POST", `${SIM}/_sim/users`, { email, hint: false });
  const items = [{ type: "course", id: NORTHWIND.course, mode: "verified" }];
  const basket = { email, organisation_id: NORTHWIND.id, items, billing_address: { ...ADDRESS, name } };
  const checkout = await json("POST", `${API}/storeapi/discovery/guest/checkout/`, basket, { ...SECRET, "x-visitor-id": crypto.randomUUID() });
  await json("POST", `${SIM}/_sim/payments/${checkout.client_secret.split("_secret")[0]}/pay`, {});
  await fulfilled(checkout.cart_id);
  return checkout.cart_id;
}

/** The console, as somebody with every role. */
async function desk(page, language, check, buyer) {
  const faults = [];
  const listen = async (name, changing) => faults.push(...await check(page, `console-${name}`, language, changing));
  const carts = [];
  for (let times = 0; times < 2; times += 1) {
    const email = `heard.${Date.now()}@example.com`;
    carts.push(await buy(email, buyer));
    await mail(email, /./);
  }
  // Its mail needs a person.
  const unreachable = `heard.${Date.now()}@example.edu`;
  await json("POST", `${SIM}/_sim/faults`, { target: "smtp", path: unreachable, kind: "status", status: 550, count: 1 });
  await buy(unreachable, "Ada Lovelace");
  const root = `${API}/console/${NORTHWIND.slug}/`;
  await page.goto(`${SIM}/_sim/login?next=${encodeURIComponent(root)}`);
  await page.getByLabel("Email address").fill("mira@northwind.example");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("#main").waitFor();
  await until("the case of the mail", async () => { await page.goto(root); return page.locator(".case", { hasText: unreachable }).isVisible(); });
  await listen("start", COUNTED);
  await page.goto(`${root}search/?q=${encodeURIComponent(buyer)}`);
  await listen("search");
  await page.goto(`${root}orders/${carts[0]}/`);
  // Jobs run side by side, so what they did has no fixed order.
  await page.locator(".timeline").evaluate((list) => {
    const words = (one) => one.querySelector("p").textContent;
    list.append(...[...list.children].sort((one, other) => words(one) < words(other) ? -1 : 1));
  });
  await listen("order");
  await page.goto(`${root}reports/`);
  await listen("reports", COUNTED);
  return faults;
}

/** Opens every page in a language. */
async function opened(browser, language, check, buyer) {
  const visitor = await visit(browser, language === "ar" ? PHONE : DESKTOP, { locale: language === "ar" ? "ar" : "en-US" });
  const faults = [];
  for (const pages of [shop, buyers, desk]) faults.push(...await pages(visitor.page, language, check, buyer));
  await visitor.close();
  return faults;
}

async function listened(browser, language) {
  const faults = await opened(browser, language, heard, `Heard Twice ${language}`);
  assert.ok(faults.length === 0, `${faults.join("\n")}\nA difference that is meant: UPDATE_HEARD=1 tests/pages heard, and read it`);
}

/** Names of two organisations, of a course of each, and of a buyer, in each direction. */
const OF_BOTH_DIRECTIONS = [
  ["Northwind, Inc.", "1st Academy!", "Programming in C++", "50%–60%: what A/B tests say?", "Ada L."],
  ["أكاديمية النور.", "معهد «الأفق»!", "البرمجة بلغة C++", "50%–60%: ماذا تقول الأرقام؟", "آدا ل."],
];

const imported = (records) => {
  const file = "target/pages/names.jsonl";
  writeFileSync(file, records.map((record) => JSON.stringify(record)).join("\n"));
  execFileSync("deploy/demo", ["worker", "catalog", "import", file], { stdio: ["ignore", "ignore", "inherit"] });
};

/** Opens every page with each list of names in the place of the demo's. */
async function named(browser) {
  const ids = [NORTHWIND.id, LINDGREN.id, NORTHWIND.course, LINDGREN.course];
  const catalog = readFileSync(".demo/catalog.jsonl", "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const records = catalog.filter(({ id }) => ids.includes(id));
  assert.equal(records.length, ids.length);
  const faults = [];
  try {
    for (const names of OF_BOTH_DIRECTIONS) {
      imported(records.map((record) => ({ ...record, [record.kind === "course" ? "display_name" : "name"]: names[ids.indexOf(record.id)] })));
      let seen = 0;
      const check = async (page, name, language) => {
        const text = await page.locator("body").innerText();
        seen += names.filter((one) => text.includes(one)).length;
        return (await page.evaluate(shown, names)).map((text) => `${name}.${language}: is not shown as it is alone: ${text}`);
      };
      for (const language of ["en", "ar"]) faults.push(...await opened(browser, language, check, names.at(-1)));
      assert.ok(seen >= 20, `only ${seen} names on all pages`);
    }
  } finally {
    imported(records);
  }
  assert.deepEqual([...new Set(faults)], []);
}

walk({
  "what is heard in English": (browser) => listened(browser, "en"),
  "what is heard in Arabic, and its directions": (browser) => listened(browser, "ar"),
  "names of both directions, in English and Arabic": (browser) => named(browser),
});
