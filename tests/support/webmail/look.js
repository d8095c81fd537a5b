// Looks at a folder of mails; tests/webmail says how and why. Arguments: the folder, and one for the pictures of what differs.
"use strict";
const { mkdirSync, readFileSync, readdirSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { simpleParser } = require("mailparser");
const pixelmatch = require("pixelmatch");
const { PNG } = require("pngjs");
const { chromium } = require("playwright-core");
const { isolated, ordered, shown } = require("../pages/direction.js");

const [folder, state] = process.argv.slice(2);
const DESKTOP = { width: 800, height: 900 };
/** The width of a phone, and of the smallest window that WCAG 1.4.10 asks for. */
const NARROW = [390, 320];
/** The share of pixels in which the card may differ, however little. */
const MOST = 0.001;
const NAMES = ["Northwind Institute"];
const BAIT = "bait";
/** The languages in which names and amounts can lose their order. */
const ORDERED = ["ar", BAIT];

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const purify = readFileSync(require.resolve("dompurify/dist/purify.min.js"), "utf8");
const counts = {};
let faults = 0;

/** Counts a check of a language, and prints what is wrong with it. */
function check(language, name, what, wrong) {
  const of = (counts[language] ??= {});
  of[what] ??= [0, 0];
  of[what][0] += 1;
  if (wrong.length === 0) return;
  of[what][1] += 1;
  faults += 1;
  if (language !== BAIT) console.log(`${name}: ${what}: ${wrong.slice(0, 3).join("; ")}`);
}

/** The mail's HTML, with its pictures in it. */
const htmlOf = async (file) => (await simpleParser(readFileSync(file), { skipTextToHtml: true, skipImageLinks: false })).html;

/** What webmail leaves of a mail, in a page of its own language and direction. Gmail drops classes and the style sheet of a mail that it shows
 * beside others, and every webmail the elements around the body. */
async function washed(page, html, direction) {
  const content = await page.evaluate((mail) => {
    const body = new DOMParser().parseFromString(mail, "text/html").body.innerHTML;
    return DOMPurify.sanitize(body, { FORBID_TAGS: ["style", "link", "meta", "title"], FORBID_ATTR: ["class", "id", "role"], ALLOW_DATA_ATTR: false });
  }, html);
  const language = direction === "rtl" ? "ar" : "en";
  return `<!doctype html><html lang="${language}" dir="${direction}"><body style="margin:0;background:#f4f5f7"><div>${content}</div></body></html>`;
}

async function show(page, html, size) {
  await page.setViewportSize(size);
  await page.setContent(html, { waitUntil: "load" });
}

/** A picture of the card, the only thing that a mail has. */
async function card(page) {
  const card = page.locator("table table").first();
  return PNG.sync.read(await card.screenshot());
}

/** What is wider than the window. */
const overflow = (page) => page.evaluate(() => {
  const width = document.documentElement.clientWidth;
  const wide = document.documentElement.scrollWidth > width ? [`the page is ${document.documentElement.scrollWidth} pixels wide`] : [];
  for (const one of document.querySelectorAll("p, h1, li, td, a, img")) {
    const { left, right } = one.getBoundingClientRect();
    if (left < -0.5 || right > width + 0.5) wide.push(`${one.tagName} "${one.textContent.trim().slice(0, 40)}" from ${Math.round(left)} to ${Math.round(right)}`);
  }
  return wide;
});

async function contrast(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(document, { runOnly: ["color-contrast"] }));
  return violations.flatMap(({ nodes }) => nodes.map(({ html }) => html.slice(0, 120)));
}

/** The fault of a card that webmail shows otherwise. Keeps both pictures. */
function different(name, sent, shown) {
  if (sent.width !== shown.width || sent.height !== shown.height) {
    return [`${shown.width} × ${shown.height} pixels, not ${sent.width} × ${sent.height}`];
  }
  const pixels = pixelmatch(sent.data, shown.data, null, sent.width, sent.height, { threshold: 0.01, includeAA: true });
  if (pixels <= MOST * sent.width * sent.height) return [];
  mkdirSync(join(state, "different"), { recursive: true });
  writeFileSync(join(state, "different", `${name}-sent.png`), PNG.sync.write(sent));
  writeFileSync(join(state, "different", `${name}-shown.png`), PNG.sync.write(shown));
  return [`${pixels} pixels differ`];
}

async function look(page, name, language, html) {
  await page.goto("about:blank");
  await page.emulateMedia({ colorScheme: "light" });
  await show(page, html, DESKTOP);
  const sent = await card(page);
  check(language, name, "light", await contrast(page));
  if (ORDERED.includes(language)) {
    check(language, name, "order", [...await page.evaluate(isolated, NAMES), ...await page.evaluate(ordered)]);
  }
  for (const direction of ["ltr", "rtl"]) {
    const mail = await washed(page, html, direction);
    await show(page, mail, DESKTOP);
    check(language, name, `webmail ${direction}`, different(`${name}-${direction}`, sent, await card(page)));
    if (ORDERED.includes(language)) check(language, name, "order", [...await page.evaluate(isolated, NAMES), ...await page.evaluate(ordered)]);
    for (const width of NARROW) {
      await show(page, mail, { width, height: 800 });
      check(language, name, "narrow", await overflow(page));
    }
  }
  await page.emulateMedia({ colorScheme: "dark" });
  await show(page, html, { width: NARROW[0], height: 800 });
  check(language, name, "dark", await contrast(page));
  for (const width of NARROW) {
    await show(page, html, { width, height: 800 });
    check(language, name, "narrow", await overflow(page));
  }
  await show(page, html.replace(/(<img[^>]* src=")[^"]*/g, "$1https://pictures.invalid/x.png"), { width: NARROW[0], height: 800 });
  const named = await page.evaluate(() => [...document.querySelectorAll("img.logo")].filter(({ alt }) => !alt).map(() => "the logo has no name"));
  check(language, name, "no pictures", [...named, ...await overflow(page)]);
}

/** Checks that names that are hard to show beside others look as they do alone. */
async function showNames(page, name, language, html, names) {
  await page.emulateMedia({ colorScheme: "light" });
  for (const mail of [html, await washed(page, html, "ltr"), await washed(page, html, "rtl")]) {
    await show(page, mail, DESKTOP);
    check(language, name, "names", await page.evaluate(shown, names));
  }
}

/** Fails unless each check finds fault with a mail that is made for that. */
async function bait(page, html) {
  const styled = html.replace("background:#ffffff;", "").replace("@media (max", ".card { background: #ffffff } @media (max");
  const order = html.replace(/<h1[^>]*>/, "$&بدأ Northwind Institute، دفع <bdo dir=\"rtl\">US$ 12</bdo> ");
  const spoilt = {
    "webmail ltr": styled,
    "webmail rtl": styled,
    narrow: html.replace("<h1 style=\"", "$&width:900px;"),
    light: html.replace("color:#1c2733", "color:#e8ecf0"),
    dark: html.replace(".card { background: #20262d", ".card { background: #ffffff"),
    "no pictures": html.replace(/<p [^>]*>/, '$&<img class="logo" src="https://pictures.invalid/x.png">'),
    order,
  };
  const before = faults;
  for (const [what, mail] of Object.entries(spoilt)) {
    delete counts[BAIT];
    await look(page, `bait for ${what}`, BAIT, mail);
    if (!counts[BAIT][what]?.[1]) throw new Error(`${what} finds no fault with what is made for that`);
  }
  delete counts[BAIT];
  faults = before;
}

/** Looks at the mails in `names`. */
async function lookAtNames(page) {
  const of = join(folder, "names");
  const lists = JSON.parse(readFileSync(join(of, "names.json"), "utf8"));
  for (const file of readdirSync(of).filter((file) => file.endsWith(".eml")).sort()) {
    const name = file.replace(".eml", "");
    const html = await htmlOf(join(of, file));
    const [language, list] = name.split("-"), names = lists[list];
    await showNames(page, `names/${name}`, language, html, names);
    await showNames(page, name, BAIT, html.replace(/[\u2068\u2069]/g, ""), names);
  }
  const [, found] = counts[BAIT].names;
  delete counts[BAIT];
  if (found === 0) throw new Error("names that nothing isolates are overlooked");
  faults -= found;
}

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  // Nothing outside is asked: a logo at another server does not load here.
  const context = await browser.newContext({ offline: true, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.addInitScript(purify);
  const files = readdirSync(folder).filter((file) => file.endsWith(".eml")).sort();
  if (files.length > 0) await bait(page, await htmlOf(join(folder, files[0])));
  for (const file of files) {
    const name = file.replace(".eml", "");
    await look(page, name, name.replace(/-\d+$/, ""), await htmlOf(join(folder, file)));
  }
  await lookAtNames(page);
  await browser.close();
  const kinds = ["webmail ltr", "webmail rtl", "narrow", "light", "dark", "no pictures", "order", "names"];
  console.log(`${files.length} mails; faults of checks:`);
  console.log(["", ...kinds].map((kind) => kind.padEnd(12)).join(""));
  for (const [language, of] of Object.entries(counts)) {
    console.log([language, ...kinds.map((kind) => of[kind] ? `${of[kind][1]}/${of[kind][0]}` : "–")].map((cell) => cell.padEnd(12)).join(""));
  }
  if (files.length === 0 || faults > 0) process.exit(1);
})();
