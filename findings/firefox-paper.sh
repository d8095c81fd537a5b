#!/usr/bin/env bash
# Playwright's emulateMedia does nothing in a Firefox that it drives by WebDriver BiDi, and says so to nobody: the promise resolves, and the
# page is still on screen and light. A check of a print style sheet, or of dark colours, looks at the wrong style sheet and passes.
#
# Seen with playwright-core 1.64.1 (npm) and Debian's firefox-esr 153.8.0, channel moz-firefox, on 2026-11-28:
#   emulateMedia({ media: "print" })          resolves; matchMedia("print").matches is false, a paragraph that print hides is shown
#   emulateMedia({ colorScheme: "dark" })     resolves; matchMedia("(prefers-color-scheme: dark)").matches is false
# Chromium does both by the same calls.
#
# Why one would guess otherwise: the method is documented for every engine, and what an engine cannot do elsewhere, such as opening a
# session of the Chrome DevTools Protocol, raises an error that names it.
#
# Needs node, npm, and firefox-esr as Debian packages it. Fails if the behaviour changes.
set -euo pipefail
firefox=$(command -v firefox-esr || command -v firefox)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm --prefix "$folder" install --silent --no-fund --no-audit playwright-core@1.64.1
cat >"$folder/paper.js" <<'JS'
const { firefox } = require("playwright-core");
(async () => {
  const browser = await firefox.launch({ channel: "moz-firefox", executablePath: process.argv[2] });
  // Without these, opening a context fails: the driver has no command for them.
  const context = await browser.newContext({ colorScheme: null, reducedMotion: null, forcedColors: null, contrast: null });
  const page = await context.newPage();
  await page.setContent("<style>@media print { p { display: none } }</style><p>on screen</p>");
  await page.emulateMedia({ media: "print" });
  const paper = await page.evaluate(() => [matchMedia("print").matches, getComputedStyle(document.querySelector("p")).display]);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  console.log(`Firefox ${browser.version()}: print ${paper}, dark ${dark}`);
  await browser.close();
  process.exitCode = JSON.stringify([paper, dark]) === '[[false,"block"],false]' ? 0 : 1;
})();
JS
node "$folder/paper.js" "$firefox"
