// What the walks share: the demo's fixed addresses, visits that are checked, and pictures for the documentation. A walk takes the
// name of an engine, and parts of the names of the steps that it runs, or runs all.
"use strict";
const assert = require("node:assert/strict");
const { readFileSync, readdirSync, writeFileSync } = require("node:fs");
const { source: axe } = require("axe-core");
const { ENGINES, Cannot } = require("./engines.js");

const API = "http://127.0.0.1:8080";
const SIM = "http://127.0.0.1:8090";
const SHOP = "http://127.0.0.1:8070";
const SECRET = { clientapisecret: "demo-client-secret-demo-client-secret" };
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };
/** At none of these widths does a page scroll sideways. 320 is 1280 at a zoom of 400 %. */
const WIDTHS = [320, 390, 640, 1280];

/** Calls a route, and returns its JSON. */
async function json(method, url, body, headers = {}) {
  const answer = await fetch(url, {
    method, headers: { "content-type": "application/json", ...headers }, body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${url}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

/** Repeats a question until it has an answer. */
async function until(what, ask) {
  for (let tries = 0; tries < 75; tries += 1) {
    const answer = await ask();
    if (answer) return answer;
    await new Promise((done) => setTimeout(done, 200));
  }
  return assert.fail(`not within 15 s: ${what}`);
}

/** The newest mail to an address whose subject, heading or text matches. */
const mail = (to, pattern) => until(`a mail to ${to} like ${pattern}`, async () => {
  const mails = await json("GET", `${SIM}/_sim/emails?to=${encodeURIComponent(to)}`);
  return mails.reverse().find(({ subject, text }) => pattern.test(`${subject}\n${text}`));
});

/**
 * Opens a browser's window. `look` checks the page in it: that it is as narrow as a window of each width, what axe finds serious
 * in it, in light and in dark colours, and that it has complained of nothing; `shoot` takes its picture for docs/. Engines that
 * cannot change the colours of a page are dark on a phone and light on a desktop.
 */
async function visit(browser, viewport, options = {}) {
  const own = options.colorScheme ?? browser.scheme(viewport);
  const context = await browser.newContext({ viewport, locale: "en-US", ...options, colorScheme: own });
  const page = await context.newPage();
  const complaints = listen(page);
  const look = async () => {
    await fit(browser, page, viewport);
    for (const colorScheme of browser.changesMedia ? [own === "light" ? "dark" : "light", own] : [own]) {
      if (browser.changesMedia) await page.emulateMedia({ colorScheme });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run());
      const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes[0].html, nodes[0].failureSummary]), [], `${page.url()}, ${colorScheme}`);
    }
  };
  const shoot = (name, clip) => picture(page, name, clip);
  return { page, complaints, look, shoot, close: () => context.close() };
}

/** Opens the console for a member of the staff. */
async function desk(browser, viewport, email, colorScheme) {
  const visitor = await visit(browser, viewport, { colorScheme });
  const { page } = visitor;
  await page.goto(`${SIM}/_sim/login?next=${encodeURIComponent(`${API}/console/`)}`);
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/console\//);
  const look = async () => {
    assert.equal(await page.locator("script").count(), 0);
    await visitor.look();
  };
  return { ...visitor, look };
}

/**
 * Collects what a page complains of. Engines differ in whether they write down that a page is a 404, and in whether they ask for the
 * icon of a page that names none, so that is left out.
 */
function listen(page) {
  const complaints = [];
  const complain = (text) => !text.includes("/favicon.ico") && complaints.push(text);
  const opened = new Set();
  page.on("response", (answer) => answer.request().isNavigationRequest() && opened.add(answer.url()));
  page.on("console", (line) => {
    const { url } = line.location();
    // The simulated provider's page has no icon.
    if (line.type() === "error" && !url.startsWith(SIM) && !opened.has(url)) complain(line.text());
  });
  page.on("pageerror", (error) => complain(String(error)));
  return complaints;
}

/** Checks that nothing of a page is beyond its window, at each width. */
async function fit(browser, page, viewport, widths = [...WIDTHS, viewport.width]) {
  for (const width of widths) {
    await page.setViewportSize({ ...viewport, width });
    // Not `innerWidth`: a phone zooms out of a page that is too wide.
    const measure = () => page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    const fits = ([wide, window]) => wide <= (browser.hasLeastWidth ? window : width);
    let seen = await measure();
    // A page takes the size of its window a moment later.
    for (let tries = 0; tries < 10 && !fits(seen); tries += 1) {
      await page.waitForTimeout(100);
      seen = await measure();
    }
    if (fits(seen)) continue;
    const beyond = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
      .slice(0, 5).map(({ tagName, className }) => `${tagName}.${className}`));
    assert.fail(`${page.url()} is ${seen[0]} pixels wide in a window of ${width}: ${beyond}`);
  }
}

/** The documents' texts: a picture that none of them shows is not taken. */
const documents = ["README.md", ...readdirSync("docs").filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)]
  .map((path) => readFileSync(path, "utf8")).join("\n");

/** Writes what a window shows, or a part of its page, to docs/. WebP, because a picture of text is a third of its PNG. */
async function picture(page, name, clip) {
  if (process.argv[2] !== "chromium" || !documents.includes(`${name}.webp`)) return;
  for (const frame of page.frames()) await frame.evaluate(loaded);
  await page.evaluate(painted);
  const client = await page.context().newCDPSession(page);
  const part = clip && { captureBeyondViewport: true, clip: { scale: 1, ...clip } };
  const { data } = await client.send("Page.captureScreenshot", { format: "webp", quality: 88, ...part });
  await client.detach();
  writeFileSync(`docs/${name}.webp`, Buffer.from(data, "base64"));
}

/** Waits, in a page or a frame of it, for its fonts and pictures. */
async function loaded() {
  await document.fonts.ready;
  const wanted = [...document.images].filter(({ loading }) => loading !== "lazy");
  await Promise.all(wanted.map((image) => image.decode().catch(() => {})));
}

/** Waits, in a page, until two frames have been painted. In a sandboxed frame, which Chromium paints apart, that may never be. */
async function painted() {
  await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
}

/** Presses the tabulator until an element has the focus, which must be visible. */
async function tab(page, element, most = 80) {
  for (let times = 0; times < most; times += 1) {
    await page.keyboard.press("Tab");
    if (await element.evaluate((one) => one === document.activeElement)) {
      const mark = await element.evaluate((one) => {
        const { outlineStyle, boxShadow } = getComputedStyle(one);
        return [outlineStyle, boxShadow];
      });
      assert.notDeepEqual(mark, ["none", "none"], `the focus on ${element} cannot be seen`);
      return;
    }
  }
  assert.fail(`the keyboard does not reach ${element}`);
}

/** Runs the steps of a walk, each under its name. What an engine cannot do ends a step early, and is printed. */
async function walk(steps) {
  const [engine, ...only] = process.argv.slice(2);
  const browser = await ENGINES[engine]();
  if (browser.limits.length > 0) console.log(`${browser.name}: ${browser.limits.join("; ")}`);
  for (const [name, step] of Object.entries(steps)) {
    if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
    const begun = Date.now();
    let end = "PASS";
    try {
      await step(browser);
    } catch (error) {
      if (error instanceof Cannot) end = `PART (${error.message}):`;
      else {
        console.error(error);
        [end, process.exitCode] = ["FAIL", 1];
      }
    }
    console.log(`${browser.name}: ${end} ${name}, ${Math.round((Date.now() - begun) / 1000)} s`);
  }
  await browser.close();
}

module.exports = { API, SIM, SHOP, SECRET, PHONE, DESKTOP, json, until, mail, visit, desk, fit, picture, tab, walk };
