// What the walks share: the demo's fixed addresses, visits that are checked, and pictures for the documentation.
"use strict";
const assert = require("node:assert/strict");
const { readFileSync, readdirSync, writeFileSync } = require("node:fs");
const { chromium } = require("playwright-core");
const { source: axe } = require("axe-core");

const API = "http://127.0.0.1:8080";
const SIM = "http://127.0.0.1:8090";
const SHOP = "http://127.0.0.1:8070";
const SECRET = { clientapisecret: "demo-client-secret-demo-client-secret" };
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };

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
 * Opens a browser's window. `look` checks the page in it: its width, what axe finds serious in light and in dark colours, and
 * that it has complained of nothing; `shoot` takes its picture for docs/.
 */
async function visit(browser, viewport, options = {}) {
  const isMobile = viewport.width < 600;
  const context = await browser.newContext({
    viewport, isMobile, hasTouch: isMobile, locale: "en-US", colorScheme: "light", reducedMotion: "reduce", deviceScaleFactor: isMobile ? 2 : 1, ...options,
  });
  const page = await context.newPage();
  const complaints = [];
  // The simulated provider's page has no icon.
  page.on("console", (line) => line.type() === "error" && !line.location().url.startsWith(SIM) && complaints.push(line.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  const look = async () => {
    // Not `innerWidth`: a phone zooms out of a page that is too wide.
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= viewport.width, `${page.url()} is ${width} pixels wide`);
    const own = options.colorScheme ?? "light";
    for (const colorScheme of [own === "light" ? "dark" : "light", own]) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run());
      const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes[0].html, nodes[0].failureSummary]), [], `${page.url()}, ${colorScheme}`);
    }
  };
  const shoot = (name, clip) => picture(page, name, clip);
  return { page, complaints, look, shoot, close: () => context.close() };
}

/** The documents' texts: a picture that none of them shows is not taken. */
const documents = ["README.md", ...readdirSync("docs").filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)]
  .map((path) => readFileSync(path, "utf8")).join("\n");

/** Writes what a window shows, or a part of its page, to docs/. WebP, because a picture of text is a third of its PNG. */
async function picture(page, name, clip) {
  if (!documents.includes(`${name}.webp`)) return;
  await page.evaluate(() => document.fonts.ready);
  const client = await page.context().newCDPSession(page);
  const part = clip && { captureBeyondViewport: true, clip: { scale: 1, ...clip } };
  const { data } = await client.send("Page.captureScreenshot", { format: "webp", quality: 88, ...part });
  await client.detach();
  writeFileSync(`docs/${name}.webp`, Buffer.from(data, "base64"));
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

/** Runs the steps of a walk, each under its name: all, or those with one of the parts of names that follow the browser's path. */
async function walk(steps) {
  const browser = await chromium.launch({ executablePath: process.argv[2], args: ["--no-sandbox"] });
  try {
    const only = process.argv.slice(3);
    for (const [name, step] of Object.entries(steps)) {
      if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
      await step(browser);
      console.log(`PASS ${name}`);
    }
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    await browser.close();
  }
}

module.exports = { API, SIM, SHOP, SECRET, PHONE, DESKTOP, json, until, mail, visit, picture, tab, walk };
