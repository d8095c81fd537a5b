// Buys in the example shop as people do, through each gateway, at phone and desktop width, and lets axe look at every page.
// Takes the browser's path; uses the demo on its fixed ports.
"use strict";
const assert = require("node:assert/strict");
const { SIM, SHOP, PHONE, DESKTOP, visit, fit, walk } = require("./common.js");

const COURSES = {
  stripe: "course-v1:Northwind+DS210+2026", mollie: "course-v1:Lindgren+SNK210+2026",
  razorpay: "course-v1:Saraswati+HI-SAN110+2026", curlec: "course-v1:Kinabalu+MS-PEM120+2026",
};

async function choose({ page, look }, course) {
  await page.goto(`${SHOP}/course/${course}`);
  await look();
  await page.getByRole("button", { name: "Add to the basket" }).click();
  await page.getByRole("heading", { name: "Check out" }).waitFor();
  await look();
}

async function fillAddress(page, country) {
  for (const [label, text] of [["Name", "Ada Lovelace"], ["Street", "12 St James's Square"], ["City", "London"]]) {
    await page.getByLabel(new RegExp(`^${label}`)).fill(text);
  }
  await page.locator("select[autocomplete=country]").selectOption(country);
}

/** A buyer in the EU agrees: to the terms, which can be read, and to an immediate start. No box is ticked before. */
async function consent({ page, look }) {
  const boxes = page.locator(".consents input");
  assert.deepEqual(await boxes.evaluateAll((all) => all.map(({ name, checked }) => [name, checked])), [["consent_terms", false], ["consent_begin_now", false]]);
  const terms = await page.getByRole("link", { name: "Read the terms of sale" }).getAttribute("href");
  assert.equal((await page.request.get(terms)).status(), 200);
  await look();
  for (const box of await boxes.all()) await box.check();
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
  if (picture) await visitor.shoot(picture);
  await page.getByLabel("Email address").fill(`shop.${gateway}.${Date.now()}@example.org`);
  await fillAddress(page, gateway === "mollie" ? "SE" : "GB");
  if (gateway === "mollie") await consent(visitor);
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
  await page.getByRole("heading", { name: "You have no orders yet" }).waitFor();
  await choose(visitor, COURSES.curlec);
  await page.getByRole("button", { name: /^Buy for/ }).click();
  await PAY.curlec(page);
  await page.waitForURL(/\/order\//);
  await page.getByRole("status").getByText("complete").waitFor();
  const invoice = page.getByRole("link", { name: /^KL\d\d-\d{6}$/ });
  for (let tries = 0; !(await invoice.isVisible()) && tries < 50; tries += 1) {
    await page.waitForTimeout(200);
    await page.reload();
  }
  if (picture) await visitor.shoot(picture);
  const document = await page.request.get(await invoice.getAttribute("href"));
  assert.equal(document.headers()["content-type"], "application/pdf");
  await look();
  await page.getByRole("button", { name: /^Ask for a refund/ }).click();
  await page.getByText("refunded").first().waitFor();
  await page.getByRole("link", { name: "My orders" }).click();
  await page.getByText("refunded", { exact: true }).first().waitFor();
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
  await page.getByText("Buy seats for a team").click();
  await page.getByLabel("Number of seats for others").fill("3");
  await page.getByRole("button", { name: "Add to the basket" }).click();
  await page.getByText("· 3 seats").waitFor();
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
  await page.getByText(`${stranger}: waiting for an account`).waitFor();
  await page.getByRole("status").getByText("1 of 3 seats left").waitFor();
  await look();
  if (picture) await visitor.shoot(picture);
  await page.getByRole("button", { name: `Take back ${stranger}` }).click();
  await page.getByText("The seat was taken back. You can give it to somebody else.").waitFor();
  await page.getByRole("status").getByText("2 of 3 seats left").waitFor();
  assert.equal((await page.locator(".calls").innerHTML()).includes("token=0"), false, "a token is among the calls");
  // The buyer signs in with the address, and finds the seats without the link.
  await page.goto(SHOP);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Email address").fill(office);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "My seats" }).click();
  await page.getByText("2 of 3 seats left").waitFor();
  await look();
  await page.getByRole("link", { name: /\(/ }).click();
  const code = await page.locator("code").first().textContent();
  await page.getByRole("button", { name: "Remind those who have not registered" }).click();
  await page.getByText("Nobody was reminded: no seat waits for a registration.").waitFor();
  await page.getByRole("status").getByText("2 of 3 seats left").waitFor();
  // The buyer takes a seat with the code.
  await choose(visitor, COURSES.curlec);
  await page.getByLabel("Voucher").fill(code);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("status").getByText("accepted", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Take the courses" }).click();
  await page.waitForURL(/\/order\//);
  await page.getByRole("status").getByText("complete").waitFor();
  assert.deepEqual(visitor.complaints, []);
  await visitor.close();
}

/** The catalog is searched, filtered by tag and seen from another country; a wrong voucher is told apart. */
async function catalog(browser, viewport, picture) {
  const visitor = await visit(browser, viewport);
  const { page, look } = visitor;
  await page.goto(SHOP);
  await look();
  await visitor.shoot(picture);
  await page.getByRole("searchbox").fill("statistics");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("link", { name: /^Statistics You Can Defend/ }).waitFor();
  await page.goto(SHOP);
  await page.getByRole("link", { name: /^Statistics( \d+)?$/ }).click();
  await page.getByRole("status").getByText("5 courses").waitFor();
  await page.getByLabel("Sort by").selectOption("price");
  await page.getByRole("button", { name: "Sort" }).click();
  await page.getByRole("status").getByText("5 courses").waitFor();
  await look();
  await page.getByRole("searchbox").fill("nothing has this name");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText("Nothing was found").waitFor();
  await look();
  await page.getByLabel("Country (demonstration)").selectOption({ label: "India" });
  await page.getByRole("button", { name: "Set" }).click();
  await page.getByText("What this page asked the API").waitFor();
  await page.locator(".calls summary").first().press("Enter");
  await page.getByText("x-visitor-country: IN").first().waitFor();
  assert.equal((await page.content()).includes("demo-client-secret"), false, "the secret is in the page");
  await page.goto(`${SHOP}/programs`);
  await look();
  await page.getByRole("link", { name: "Data Analyst Path" }).click();
  await look();
  await page.getByText("You save").waitFor();
  await page.getByRole("button", { name: "Add to the basket" }).click();
  await page.locator(".line strong").getByText("Data Analyst Path").waitFor();
  await page.getByRole("button", { name: "Remove Data Analyst Path" }).click();
  await page.getByText("Your basket is empty").waitFor();
  await choose(visitor, COURSES.stripe);
  await page.getByLabel("Voucher").fill("NO-SUCH-CODE");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("This code is not known.").waitFor();
  await look();
  assert.deepEqual(visitor.complaints, []);
  await visitor.close();
}

/** Every page that a guest can open without buying, in two languages, light and dark: axe, widths, and the way out of each fault. */
async function faces(browser, viewport, name) {
  for (const [locale, colorScheme] of [["de-DE", "light"], ["ar", "dark"], ["hi-IN", "dark"]]) {
    const visitor = await visit(browser, viewport, { locale, colorScheme });
    const { page, look } = visitor;
    for (const path of ["/", "/programs", `/course/${COURSES.razorpay}`, "/basket", "/nothing", "/order/no-order", "/seats/no-pool"]) {
      await page.goto(SHOP + path);
      const [lang, dir] = await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);
      assert.deepEqual([lang, dir], [locale, locale === "ar" ? "rtl" : "ltr"], path);
      assert.equal(await page.locator("select[name=language]").inputValue(), locale.slice(0, 2));
      await look();
    }
    await page.goto(`${SHOP}/course/${COURSES.mollie}`);
    if (locale !== "hi-IN") await visitor.shoot(`shop-course-${locale.slice(0, 2)}-${name}`);
    await page.locator(".buy button.large").click();
    await page.locator("#checkout").waitFor();
    await look();
    // The language of the switch is kept, and the page stays.
    await page.locator("select[name=language]").selectOption("sv");
    await page.locator(".foot form").first().getByRole("button").click();
    await page.getByRole("heading", { name: "Din varukorg" }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/basket");
    assert.deepEqual(visitor.complaints, []);
    await visitor.close();
  }
}

/** What a visitor with a slow phone waits for: Lighthouse's "slow 4G" (1.6 Mbit/s, 150 ms) and a processor four times slower. */
async function speed(browser) {
  const pages = ["/", "/programs", `/course/${COURSES.stripe}`, "/basket"];
  for (const path of pages) {
    const visitor = await visit(browser, PHONE);
    const { page } = visitor;
    await page.goto(`${SHOP}/course/${COURSES.stripe}`);
    await page.locator(".buy button.large").click();
    const client = await page.context().newCDPSession(page);
    await client.send("Network.enable");
    await client.send("Network.clearBrowserCache");
    await client.send("Network.emulateNetworkConditions", { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 });
    await client.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    let [bytes, pictures] = [0, 0];
    const kinds = new Map();
    client.on("Network.responseReceived", ({ requestId, type }) => kinds.set(requestId, type));
    client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (kinds.get(requestId) === "Image") pictures += encodedDataLength;
      else bytes += encodedDataLength;
    });
    await page.addInitScript(() => {
      window.shift = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.paint = entry.startTime; })).observe({ type: "largest-contentful-paint", buffered: true });
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.shift += entry.value; })).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(SHOP + path, { waitUntil: "networkidle" });
    const { paint, shift } = await page.evaluate(() => ({ paint: window.paint, shift: window.shift }));
    console.log(`     ${path}: largest paint ${(paint / 1000).toFixed(2)} s, layout shift ${shift.toFixed(3)}, ${Math.round(bytes / 1000)} kB and ${Math.round(pictures / 1000)} kB of pictures`);
    assert.ok(paint <= 1_500 && shift < 0.005 && bytes <= 150_000, path);
    await visitor.close();
  }
}

/** What the shop refuses has a page, in the visitor's language, with a way on; and the link to withdraw is on every page. */
async function faults(browser, viewport) {
  const visitor = await visit(browser, viewport, { locale: "fr-FR" });
  const { page, look } = visitor;
  for (const [method, path, status, words] of [
    ["GET", "/nothing", 404, "Cette page n’existe pas"],
    ["POST", "/language", 403, "Ce formulaire venait d’ailleurs"],
    ["GET", "/basket/voucher", 405, "Impossible de lire cela"],
    ["GET", "/order/no-order", 404, "Cette page n’existe pas"],
  ]) {
    // A form of another site.
    if (method === "POST") await page.goto("about:blank");
    if (method === "POST") await page.setContent(`<form method="post" action="${SHOP}${path}"><button>Post</button></form>`);
    const [answer] = await Promise.all([
      page.waitForResponse((one) => one.url() === SHOP + path),
      method === "POST" ? page.getByRole("button").click() : page.goto(SHOP + path),
    ]);
    assert.equal(answer.status(), status, path);
    await page.getByRole("heading", { name: words }).waitFor();
    await page.getByRole("link", { name: "Voir les cours" }).waitFor();
    await look();
  }
  const withdraw = page.getByRole("contentinfo").getByRole("link", { name: "Renoncer au contrat ici" });
  await withdraw.click();
  await page.waitForURL(/\/storeapi\/payment\/withdraw\/\?lang=fr/);
  await visitor.close();
}

/** What a buyer has typed into the checkout. */
const TYPED = { "Email address": "ada@example.org", "Street": "12 St James's Square", "City": "London" };

async function type(page) {
  for (const [label, text] of Object.entries(TYPED)) await page.getByLabel(new RegExp(`^${label}`)).fill(text);
}

async function isTyped(page, what) {
  const names = { "Email address": "email", Street: "line1", City: "city" };
  for (const [label, text] of Object.entries(TYPED)) {
    assert.equal(await page.locator(`#checkout-form [name=${names[label]}]`).inputValue(), text, `${label} after ${what}`);
  }
}

/** A form never loses what was typed: by a voucher, another language, a refusal, signing in, another page, and the way back. */
async function typed(browser, viewport) {
  const visitor = await visit(browser, viewport);
  const { page, look } = visitor;
  await choose(visitor, COURSES.mollie);
  await type(page);
  await page.getByLabel("Voucher").fill("NO-SUCH-CODE");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("This code is not known.").waitFor();
  await isTyped(page, "a voucher");
  // Who presses Enter in the field of the code means the code, and takes nothing out of the basket.
  await page.getByLabel("Voucher").fill("ANOTHER-CODE");
  await page.getByLabel("Voucher").press("Enter");
  await page.getByText("This code is not known.").waitFor();
  assert.equal(await page.getByLabel("Voucher").inputValue(), "ANOTHER-CODE");
  await isTyped(page, "Enter");
  await page.getByLabel("Voucher").fill("");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("This code is not known.").waitFor({ state: "hidden" }); // the new page is there
  await page.locator("select[name=language]").selectOption("de");
  await page.locator(".foot").getByRole("button", { name: "Change" }).click();
  await page.getByRole("heading", { name: "Ihr Warenkorb" }).waitFor();
  await isTyped(page, "another language");
  // A provider that needs the whole address: the fields are marked before the button, and the form comes back.
  await page.getByText("für die Zahlung brauchen wir die Felder mit *").waitFor();
  assert.equal(await page.locator("[name=name]").evaluate((field) => field.required), true);
  await page.locator("select[autocomplete=country]").selectOption("GB");
  await page.locator("#checkout-form").evaluate((form) => { form.noValidate = true; });
  await page.getByRole("button", { name: /^Kaufen/ }).click();
  await page.getByRole("alert").getByText("Bitte korrigieren Sie:").waitFor();
  await page.getByText("Bitte füllen Sie dieses Feld aus.").first().waitFor();
  await look();
  await isTyped(page, "a refusal");
  await page.getByRole("alert").getByRole("link", { name: "Name" }).click();
  await page.keyboard.type("Ada Lovelace");
  // To another page, and back with what was not sent yet.
  await page.getByLabel("Postleitzahl").fill("SW1Y 4JH");
  await page.goto(`${SHOP}/programs`);
  await page.goBack();
  await isTyped(page, "the way back");
  assert.equal(await page.locator("[name=postal_code]").inputValue(), "SW1Y 4JH");
  await page.getByRole("button", { name: "Anmelden" }).last().click();
  await page.getByLabel("Email address").fill(`shop.back.${Date.now()}@example.org`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Ihr Warenkorb" }).waitFor();
  assert.equal(await page.locator("[name=name]").inputValue(), "Ada Lovelace");
  assert.deepEqual(visitor.complaints, []);
  await visitor.close();
}

/** Fills the checkout of a course, and opens its payment. */
async function begin(visitor, course) {
  const { page } = visitor;
  await choose(visitor, course);
  await page.getByLabel("Email address").fill(`shop.pay.${Date.now()}@example.org`);
  await page.getByRole("button", { name: /^Buy for/ }).click();
  await page.waitForURL(/\/pay\//);
}

/** A payment has an address: a reload and the way back ask for nothing, and another tab that has paid is noticed. */
async function address(browser, viewport) {
  const visitor = await visit(browser, viewport);
  const { page, look } = visitor;
  await begin(visitor, COURSES.stripe);
  await look();
  const url = page.url();
  await page.reload();
  await page.getByLabel("Card number").waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Check out" }).waitFor();
  await page.goForward();
  const other = await page.context().newPage();
  await other.goto(url);
  await PAY.stripe(other);
  await other.waitForURL(/\/order\//);
  await other.getByRole("status").getByText("complete").waitFor();
  await other.close();
  // The first tab, when it is used next.
  await page.bringToFront();
  await page.getByLabel("Card number").fill("4242 4242 4242 4242").catch(() => {});
  await page.getByRole("button", { name: "Pay" }).first().click().catch(() => {});
  await page.waitForURL(/\/order\//);
  await page.getByRole("status").getByText("complete").waitFor();
  // Back leads to no payment, and to no warning.
  await page.goBack();
  await page.goto(url);
  await page.waitForURL(/\/order\//);
  assert.deepEqual(visitor.complaints.filter((text) => !/status of 4\d\d/.test(text)), []);
  await visitor.close();
}

/** Without scripts, or without the provider's: no button that cannot work, and a way on. */
async function unscripted(browser, viewport) {
  const visitor = await visit(browser, viewport, { javaScriptEnabled: false, locale: "de-DE" });
  const { page } = visitor;
  await page.goto(`${SHOP}/course/${COURSES.stripe}`);
  await page.getByRole("button", { name: "In den Warenkorb" }).click();
  await page.getByLabel("E-Mail-Adresse").fill(`shop.plain.${Date.now()}@example.org`);
  await page.getByRole("button", { name: /^Kaufen/ }).click();
  await page.waitForURL(/\/pay\//);
  // Playwright finds no text in it, though the page shows it.
  assert.match(await page.locator("noscript").innerHTML(), /Zum Bezahlen braucht es JavaScript/);
  assert.ok((await page.locator("noscript p").boundingBox()).height > 20);
  await page.getByText("Ihre Bestellung bleibt erhalten").waitFor();
  assert.equal(await page.locator("#pay").isVisible(), false);
  const again = page.getByRole("link", { name: "Noch einmal versuchen" });
  await again.click();
  await page.getByText("Ihre Bestellung bleibt erhalten").waitFor();
  await page.getByRole("link", { name: "Zurück zum Warenkorb" }).click();
  await page.getByRole("heading", { name: "Ihr Warenkorb" }).waitFor();
  await visitor.close();

  const blocked = await visit(browser, viewport);
  await blocked.page.route(/\/stripe\/v3/, (route) => route.abort());
  await begin(blocked, COURSES.stripe);
  await blocked.page.getByText("The payment provider cannot be reached.").waitFor();
  await blocked.look();
  assert.equal(await blocked.page.locator("#pay").isVisible(), false);
  await blocked.page.unroute(/\/stripe\/v3/);
  await blocked.page.getByRole("link", { name: "Try again" }).click();
  await PAY.stripe(blocked.page);
  await blocked.page.waitForURL(/\/order\//);
  await blocked.close();
}

/** A course of another academy: both baskets are kept, and each is checked out by itself. */
async function baskets(browser, viewport) {
  const visitor = await visit(browser, viewport);
  const { page, look } = visitor;
  await choose(visitor, COURSES.razorpay);
  await choose(visitor, COURSES.curlec);
  await page.getByText("Each academy has a basket of its own.").waitFor();
  await page.locator(".count").getByText("2").waitFor();
  await page.locator(".others a").click();
  await page.getByRole("heading", { name: "Check out" }).waitFor();
  await look();
  await page.getByLabel("Email address").fill(`shop.two.${Date.now()}@example.org`);
  await page.getByRole("button", { name: /^Buy for/ }).click();
  await PAY.razorpay(page);
  await page.waitForURL(/\/order\//);
  await page.locator(".count").getByText("1").waitFor();
  assert.deepEqual(visitor.complaints, []);
  await visitor.close();
}

/** A company with a VAT ID that VIES does not know hears of it before it pays, and with one that it knows why there is no tax. */
async function company(browser, viewport) {
  for (const [vat, says] of [["DE999", "the EU's register does not know this VAT ID"], ["DE100", "No tax is charged"]]) {
    const visitor = await visit(browser, viewport);
    const { page, look } = visitor;
    await choose(visitor, COURSES.mollie);
    await page.getByLabel("Email address").fill(`shop.company.${Date.now()}@example.org`);
    await page.getByLabel("Company").fill("Engines & Sons");
    await page.getByLabel(/^Tax ID/).fill(vat);
    await fillAddress(page, "DE");
    for (const box of await page.locator(".consents input").all()) await box.check();
    await page.getByRole("button", { name: /^Buy for/ }).click();
    await page.getByText(says).waitFor();
    await look();
    assert.equal(await page.getByLabel(/^Tax ID/).inputValue(), vat);
    assert.deepEqual(visitor.complaints, []);
    await visitor.close();
  }
}

/** At 320 pixels, as at 400 % zoom, nothing scrolls sideways; on paper there is nothing to press; the skip link reaches the title. */
async function narrow(browser) {
  for (const locale of ["de-DE", "en-US", "ar", "ms-MY"]) {
    const small = { width: 320, height: 640 };
    const visitor = await visit(browser, small, { locale });
    const { page } = visitor;
    for (const path of ["/", "/programs", `/course/${COURSES.mollie}`, "/basket", "/nothing"]) {
      await page.goto(SHOP + path);
      await fit(browser, page, small, [small.width]);
      assert.equal(await page.locator("main h1").count(), 1, `${path}: the title is outside of the main part`);
      if (path.startsWith("/course")) {
        await page.locator(".buy button.large").click();
        await page.waitForURL(/\/basket/);
      }
    }
    await page.goto(`${SHOP}/basket`);
    await fit(browser, page, small, [small.width]);
    await visitor.close();
  }
  const visitor = await visit(browser, DESKTOP);
  const { page } = visitor;
  await page.goto(SHOP);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.contains(document.querySelector("h1"))), true);
  await begin(visitor, COURSES.stripe);
  await PAY.stripe(page);
  await page.waitForURL(/\/order\//);
  await page.getByRole("status").getByText("complete").waitFor();
  if (browser.changesMedia) {
    await page.emulateMedia({ media: "print" });
    for (const pressed of await page.locator("nav, form, button, .button, .foot, .calls").all()) {
      assert.equal(await pressed.isVisible(), false, `printed: ${await pressed.evaluate((one) => one.outerHTML.slice(0, 80))}`);
    }
  }
  await page.getByText("Your order").first().waitFor();
  await visitor.close();
}

const steps = {};
for (const [width, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
  const picture = (name) => `shop-${name}-${width}`;
  steps[`every page of a guest in other languages and colours on a ${width}`] = (browser) => faces(browser, viewport, width);
  steps[`what the shop refuses, on a ${width}`] = (browser) => faults(browser, viewport);
  steps[`the shop's catalog on a ${width}`] = (browser) => catalog(browser, viewport, picture("catalog"));
  for (const gateway of Object.keys(COURSES)) {
    steps[`a sale through ${gateway} on a ${width}`] = (browser) => sale(browser, gateway, viewport, gateway === "stripe" && picture("basket"));
  }
  steps[`a learner's order, invoice and refund on a ${width}`] = (browser) => own(browser, viewport, picture("order"));
  steps[`what was typed at the checkout is kept, on a ${width}`] = (browser) => typed(browser, viewport);
  steps[`a payment has an address, on a ${width}`] = (browser) => address(browser, viewport);
  steps[`a payment without scripts, on a ${width}`] = (browser) => unscripted(browser, viewport);
  steps[`baskets of two academies on a ${width}`] = (browser) => baskets(browser, viewport);
  steps[`a company and its tax on a ${width}`] = (browser) => company(browser, viewport);
  steps[`a company's seats on a ${width}`] = (browser) => seats(browser, viewport, picture("seats"));
}
steps["320 pixels, paper and the skip link"] = narrow;
steps["the pages at a slow phone's speed"] = speed;
walk(steps);
