// Walks through the catalog's pages with the storefront's parts in their slots, against the demo's api on another origin. Takes
// `chromium`, then parts of the names of the steps to run.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { readFileSync, writeFileSync, mkdtempSync } = require("node:fs");
const http = require("node:http");
const { tmpdir } = require("node:os");
const path = require("node:path");
const { API, SIM, SECRET, PHONE, DESKTOP, json, until, visit, walk } = require("../pages/common.js");

const BUILT = path.resolve("target/catalog-slots/host");
/** The catalog's origin, and the storefront's public one. */
const CATALOG = "http://127.0.0.1:8071";
const STORE = "http://127.0.0.1:8072";
const BOTH = "course-v1:Northwind+DS101+2026"; // audit and verified, in the program Data Analyst Path
const PAID = "course-v1:Northwind+DS210+2026"; // verified and professional
const FULL = "course-v1:Northwind+SQL.120+2026"; // audit and verified; has one place here
const TAXED = "course-v1:Lindgren+TRA101+2026"; // prices with VAT
const AUDIT = "course-v1:Northwind+HIS170+2024"; // nothing to buy
const INVITED = "course-v1:Northwind+EXE500+2026";

/** What the storefront's proxy sees of its visitor, and whether it answers. */
const proxy = { country: "US", isUp: true, requests: [] };

/** Serves the host page, as the catalog's address does. */
function catalog(request, response) {
  const { pathname } = new URL(request.url, CATALOG);
  const file = /^\/host\.(js|css)$/.exec(pathname);
  if (file) {
    response.writeHead(200, { "content-type": file[1] === "js" ? "text/javascript" : "text/css" });
    response.end(readFileSync(path.join(BUILT, pathname)));
    return;
  }
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(`<!doctype html><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
    <link rel="stylesheet" href="/host.css"><div id="root"></div><script>window.MFE_CONFIG = { STOREFRONT_URL: "${STORE}" };</script>
    <script src="/host.js"></script>`);
}

/** Stands for the storefront's proxy, which knows the visitor's country. */
function store(request, response) {
  proxy.requests.push({ url: request.url, headers: request.headers });
  if (!proxy.isUp) {
    response.writeHead(503).end();
    return;
  }
  const headers = { ...request.headers, "x-country": proxy.country };
  const forwarded = http.request(`${API}${request.url}`, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  request.pipe(forwarded);
}

const about = (key, query = "") => `${CATALOG}/catalog/courses/${key}/about?${query}`;
const offers = () => proxy.requests.filter(({ url }) => url.startsWith("/storeapi/discovery/offers/"));
/** The text of a part of a page, its lines and kinds of blanks as one blank. */
const plain = (text) => text.replaceAll(/\s+/g, " ").trim();
const text = async (page, name) => plain(await page.locator(name).innerText());
const buy = (page) => page.getByRole("link", { name: /^Buy the/ });

/** Presses the tabulator, which must reach these elements one after the other; each shows its focus, buttons by a border of their own. */
async function tabThrough(page, ...elements) {
  for (const element of elements) {
    await page.keyboard.press("Tab");
    const [has, ...marks] = await element.evaluate((one) => {
      const { outlineStyle, boxShadow } = getComputedStyle(one);
      return [one === document.activeElement, outlineStyle, boxShadow, getComputedStyle(one, "::before").borderTopStyle];
    });
    assert.ok(has, `the keyboard does not reach ${element}`);
    assert.notDeepEqual(marks, ["none", "none", "none"], `the focus on ${element} cannot be seen`);
  }
}

/** The only place of a course, taken; it takes one more place where there is a limit. */
async function fill(key) {
  const line = readFileSync("deploy/demo-catalog/catalog.jsonl", "utf8").split("\n").find((one) => one.includes(`"${key}"`) && one.includes('"kind":"course"'));
  const file = path.join(mkdtempSync(path.join(tmpdir(), "slots-")), "course.jsonl");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(line), capacity: 1 }));
  execFileSync("deploy/demo", ["worker", "catalog", "import", file], { stdio: "pipe" });
  const { id } = await json("GET", `${API}/storeapi/discovery/course/${encodeURIComponent(key)}/`, undefined, SECRET);
  await json("POST", `${API}/storeapi/enrollments/client/enroll/`, { email: `full.${Date.now()}@example.org`, course_id: id, mode: "verified" }, SECRET);
}

const steps = {
  async "a course with audit and verified offers both, by keyboard, at each width"(browser) {
    for (const viewport of [DESKTOP, PHONE]) {
      const visitor = await visit(browser, viewport);
      const { page } = visitor;
      await page.goto(about(BOTH));
      await buy(page).waitFor();
      assert.equal(await text(page, ".pgn__card-footer"), "Enroll now Buy the certificate $149.00");
      const link = new URL(await buy(page).getAttribute("href"));
      assert.deepEqual([link.origin, link.pathname, [...link.searchParams]], [STORE, "/storeapi/payment/buy/", [["course", BOTH], ["mode", "verified"]]]);
      assert.match(await text(page, "aside"), /^Price \$149\.00 Program Data Analyst Path: \$349\.00$/);
      await visitor.look();
      const name = `catalog-course-${viewport === PHONE ? "phone" : "desktop"}`;
      await visitor.shoot(name, { x: 0, y: 0, width: viewport.width, height: viewport === PHONE ? 600 : 290 });
      await page.reload();
      await buy(page).waitFor();
      await tabThrough(page, page.getByRole("button", { name: "Enroll now" }), buy(page), page.getByRole("link", { name: /^Program/ }));
      await page.getByRole("button", { name: "Enroll now" }).click();
      await page.getByRole("status").getByText("You are enrolled").waitFor();
      assert.deepEqual(visitor.complaints, []);
      await visitor.close();
    }
  },

  async "a guest signs in at the platform, comes back to the page for buying, and back to the catalog"(browser) {
    const visitor = await visit(browser, DESKTOP);
    const { page } = visitor;
    await page.goto(about(PAID, "paid"));
    await buy(page).waitFor();
    assert.equal(await text(page, ".pgn__card-footer"), "Buy the course $199.00", "a course without a free mode has one button");
    const [signIn] = await Promise.all([
      page.waitForRequest((request) => request.isNavigationRequest() && request.url().includes("/login?")),
      buy(page).click(),
    ]);
    const next = new URL(new URL(signIn.url()).searchParams.get("next"));
    assert.equal(next.searchParams.get("course"), PAID);
    const user = await json("POST", `${SIM}/_sim/users`, { email: `slots.${Date.now()}@example.org`, hint: false, organisations: ["northwind"] });
    await page.context().addCookies([{ name: "sessionid", value: user.sessionid, url: API }]);
    await page.goto(next.href);
    await page.getByText("$199.00").first().waitFor();
    // The same learner, signed in: one step.
    await page.goto(about(PAID, "paid"));
    await buy(page).click();
    await page.waitForURL(/\/storeapi\/payment\/buy\//);
    await page.getByText("$199.00").first().waitFor();
    await page.goBack();
    await buy(page).waitFor();
    await page.goto(about(BOTH));
    await page.getByRole("link", { name: /^Program/ }).click();
    await page.getByText("Data Analyst Path").first().waitFor();
    await page.getByText("$349.00").first().waitFor();
    await visitor.close();
  },

  async "prices are those of the visitor's country, with tax and discount"(browser) {
    for (const [country, key, language, shown] of [
      ["IN", BOTH, "en", "Enroll now Buy the certificate Price before the discount: $149.00 Price: $89.40"],
      ["DE", TAXED, "de", "Enroll now Zertifikat kaufen 59,00 € inkl. 19 % Steuer"],
      ["SE", TAXED, "sv", "Enroll now Köp intyget 59,00 € inkl. 25 % skatt"],
      ["NG", BOTH, "fr", "Enroll now Acheter le certificat Prix avant la remise : 149,00 $US Prix : 67,05 $US"],
    ]) {
      Object.assign(proxy, { country });
      const { page, close } = await visit(browser, PHONE);
      await page.goto(about(key, `lang=${language}`));
      await page.locator(".pgn__card-footer a").waitFor();
      assert.equal(await text(page, ".pgn__card-footer"), shown, country);
      await close();
    }
    Object.assign(proxy, { country: "US" });
  },

  async "every language has its words, and Arabic is laid out from right to left"(browser) {
    const messages = JSON.parse(readFileSync("deploy/catalog-slots/src/messages.json", "utf8"));
    assert.equal(Object.keys(messages).length, 9);
    for (const [language, words] of Object.entries(messages)) {
      // Side by side, so that their order shows; `look` makes the window as narrow as a phone.
      const visitor = await visit(browser, DESKTOP);
      const { page } = visitor;
      await page.goto(about(BOTH, `lang=${language}`));
      await page.getByRole("link", { name: words["buy-certificate"] }).waitFor();
      const program = words.program.split("{")[0].trim();
      await page.getByRole("link", { name: program }).waitFor();
      if (language === "ar") {
        const [enroll, link] = await Promise.all([page.getByRole("button"), page.locator(".pgn__card-footer a")].map((one) => one.boundingBox()));
        assert.ok(enroll.x >= link.x + link.width, "the first button is on the right");
      }
      await visitor.look();
      await visitor.close();
    }
    // A variant of a language that nobody translated for itself, and a language without texts.
    for (const [language, words] of [["es-419", "Comprar el certificado"], ["pt-pt", "Comprar o certificado"], ["uk", "Buy the certificate"]]) {
      const { page, close } = await visit(browser, PHONE);
      await page.goto(about(BOTH, `lang=${language}`));
      await page.getByRole("link", { name: words }).waitFor();
      await close();
    }
  },

  async "cards show prices, with one request for all of them and no credentials"(browser) {
    const keys = [BOTH, PAID, AUDIT, INVITED, TAXED];
    const query = keys.map((key) => `course=${encodeURIComponent(key)}`).join("&");
    for (const list of ["courses", ""]) {
      const visitor = await visit(browser, list ? DESKTOP : PHONE);
      const { page } = visitor;
      const cookies = [CATALOG, STORE].map((url) => ({ name: "sessionid", value: "secret-of-a-learner", url }));
      await page.context().addCookies(cookies);
      proxy.requests = [];
      await page.goto(`${CATALOG}/catalog/${list}?${query}`);
      await page.locator(".storefront-card-price").nth(2).waitFor();
      const shown = await page.locator(".storefront-card-price").allInnerTexts();
      assert.deepEqual(shown.map(plain), ["$149.00", "$199.00", "€59.00"]);
      assert.equal(offers().length, 1);
      const [{ url, headers }] = offers();
      assert.deepEqual(new URL(url, STORE).searchParams.getAll("course"), keys);
      assert.deepEqual([headers.cookie, headers.authorization, headers.referer], [undefined, undefined, undefined]);
      await visitor.look();
      assert.deepEqual(visitor.complaints, []);
      await visitor.close();
    }
  },

  async "a full course is sold out, and one that is not sold stays as the platform shows it"(browser) {
    await fill(FULL);
    const { page, close } = await visit(browser, PHONE);
    await until("the course is full", async () => {
      await page.goto(about(FULL));
      return page.getByRole("status").getByText("Certificate: sold out").waitFor({ timeout: 1000 }).then(() => true, () => false);
    });
    assert.equal(await text(page, ".pgn__card-footer"), "Enroll now Certificate: sold out");
    assert.match(await text(page, "aside"), /^Price Sold out/);
    await page.goto(about(FULL, "paid"));
    await page.getByRole("status").getByText("Sold out").waitFor();
    assert.equal(await text(page, ".pgn__card-footer"), "Sold out");
    await page.goto(`${CATALOG}/catalog/courses?course=${encodeURIComponent(FULL)}`);
    assert.equal(await text(page, ".storefront-card-price"), "Sold out");
    for (const key of [AUDIT, INVITED, "course-v1:No+Such+Course"]) {
      await Promise.all([page.waitForResponse((answer) => answer.url().includes("/offers/") && answer.ok()), page.goto(about(key))]);
      await page.waitForTimeout(100);
      assert.equal(await text(page, ".pgn__card-footer"), "Enroll now", key);
      assert.match(await text(page, "aside"), /^Price Free$/, key);
    }
    await close();
  },

  async "without the storefront the catalog works as before, and asks again"(browser) {
    const { page, close } = await visit(browser, PHONE);
    proxy.isUp = false;
    // Without CORS headers the 503 does not reach the page: for it, the request has failed.
    await Promise.all([page.waitForEvent("requestfailed"), page.goto(about(BOTH))]);
    assert.equal(await text(page, ".pgn__card-footer"), "Enroll now");
    await page.getByRole("button", { name: "Enroll now" }).click();
    await page.getByRole("status").waitFor();
    proxy.isUp = true;
    await page.goto(about(BOTH));
    await buy(page).waitFor();
    await close();
  },

  async "what data says is text, whatever it contains"(browser) {
    const evil = "<img src=x onerror=\"window.broken = true\"> & <b>bold</b>";
    const { page, close } = await visit(browser, DESKTOP);
    await page.route(`${STORE}/**`, async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      body.offers.forEach((offer) => { offer.programs.forEach((program) => { program.name = evil; program.id = `javascript:alert(1)"><script>`; }); });
      await route.fulfill({ response: answer, json: body });
    });
    await page.goto(about(BOTH));
    const link = page.locator("aside a");
    await link.waitFor();
    assert.equal(await link.innerText(), `Program ${evil}:`);
    assert.ok((await link.getAttribute("href")).startsWith(`${STORE}/storeapi/payment/buy/?program=javascript`));
    assert.deepEqual(await page.evaluate(() => [window.broken, document.querySelectorAll("aside img, aside b, aside script").length]), [undefined, 0]);
    await close();
  },
};

async function main() {
  const servers = [[catalog, CATALOG], [store, STORE]].map(([serve, at]) => http.createServer(serve).listen(new URL(at).port, "127.0.0.1"));
  await walk(steps);
  servers.forEach((server) => { server.close(); server.closeAllConnections(); });
}

main();
