// The engines that walks run in: Chromium, Firefox ESR by WebDriver BiDi, and WebKitGTK (webkit.js). Each opens contexts as
// Playwright does, and says what it cannot do.
"use strict";
const { accessSync, constants } = require("node:fs");
const { chromium, firefox } = require("playwright-core");
const { WebKit, Cannot } = require("./webkit.js");

/** The first of some programs that exists. */
function program(...names) {
  const paths = process.env.PATH.split(":").flatMap((folder) => names.map((name) => name.startsWith("/") ? name : `${folder}/${name}`));
  const found = paths.find((path) => { try { accessSync(path, constants.X_OK); return true; } catch { return false; } });
  if (!found) throw new Error(`none of ${names.join(", ")} is installed`);
  return found;
}

const scheme = ({ width }) => width < 600 ? "dark" : "light";

/** Shows a page in both colours, as a phone or as a desktop, and takes its picture. */
async function openChromium() {
  const browser = await chromium.launch({ executablePath: program("chromium", "chromium-browser", "google-chrome"), args: ["--no-sandbox"] });
  return {
    name: "Chromium", changesMedia: true, scheme: () => "light", limits: [],
    newContext: ({ viewport, ...options }) => {
      const isMobile = viewport.width < 600;
      return browser.newContext({ viewport, isMobile, hasTouch: isMobile, deviceScaleFactor: isMobile ? 2 : 1, reducedMotion: "reduce", ...options });
    },
    close: () => browser.close(),
  };
}

/** Two browsers, one light and one dark: this version's BiDi has no command for colours. */
async function openFirefox() {
  const browsers = {};
  const open = (dark) => browsers[dark] ??= firefox.launch({
    channel: "moz-firefox", executablePath: program("firefox-esr", "firefox"),
    firefoxUserPrefs: { "layout.css.prefers-color-scheme.content-override": dark ? 0 : 1, "ui.prefersReducedMotion": 1,
      // Playwright does not notice a page that comes out of it.
      "browser.sessionhistory.max_total_viewers": 0, "fission.bfcacheInParent": false,
    },
  });
  return {
    name: "Firefox", changesMedia: false, scheme, limits: ["no touch", "an open page keeps its colours, and is not shown as on paper", "no page is kept for the way back"],
    newContext: async ({ colorScheme, ...options }) => {
      if (options.javaScriptEnabled === false) throw new Cannot("Firefox opens no page without scripts");
      const browser = await open(colorScheme === "dark");
      const context = await browser.newContext({ ...options, colorScheme: null, reducedMotion: null, forcedColors: null, contrast: null });
      context.newCDPSession = () => { throw new Cannot("Firefox measures neither network nor processor"); };
      return context;
    },
    close: async () => { for (const browser of Object.values(browsers)) await (await browser).close(); },
  };
}

async function openWebKit() {
  const multiarch = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"].flatMap((folder) => ["4.1", "4.0"].map((at) => `${folder}/webkit2gtk-${at}/MiniBrowser`));
  const browser = await WebKit.launch({ driver: program("WebKitWebDriver"), browser: program(...multiarch), display: program("Xvfb") });
  return {
    name: "WebKit", hasLeastWidth: true, changesMedia: false, scheme,
    limits: ["no touch", "no window narrower than about 340 pixels", "an open page keeps its colours, and is not shown as on paper", "what a page complains of while it opens is not seen", "a field to which a link leads hears no key until it is entered again"],
    newContext: (options) => browser.newContext(options), close: () => browser.close(),
  };
}

const ENGINES = { chromium: openChromium, firefox: openFirefox, webkit: openWebKit };

module.exports = { ENGINES, Cannot };
