// WebKitGTK by its WebDriver, with those of Playwright's methods that the walks call. Each context is a MiniBrowser of its own, as
// its language and its colours come from its environment. The names of elements are those that the engine computes for a screen
// reader. What the driver cannot do throws `Cannot`, which ends a step early and is printed.
"use strict";
const { spawn } = require("node:child_process");
const { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } = require("node:fs");
const { createServer } = require("node:net");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const inPage = require("./in-page.js");

class Cannot extends Error {}
const cannot = (what) => { throw new Cannot(`the WebDriver of WebKitGTK ${what}`); };

const PATIENCE = 20_000;
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const KEYS = {
  Tab: "\uE004", Enter: "\uE007", Shift: "\uE008", Control: "\uE009", Alt: "\uE00A", Escape: "\uE00C", Space: " ", Home: "\uE011", End: "\uE010",
  Backspace: "\uE003", ArrowLeft: "\uE012", ArrowUp: "\uE013", ArrowRight: "\uE014", ArrowDown: "\uE015",
};

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const freePort = () => new Promise((done) => {
  const server = createServer().listen(0, "127.0.0.1", () => { const { port } = server.address(); server.close(() => done(port)); });
});

/** Repeats an action until it succeeds, as Playwright does. */
async function retry(what, action) {
  for (const end = Date.now() + PATIENCE; ; await pause(100)) {
    try {
      return await action();
    } catch (error) {
      if (error instanceof Cannot) throw error;
      if (Date.now() > end) throw new Error(`${what}: ${error.message}`, { cause: error });
    }
  }
}

/** The elements of a page that a chain of steps finds, such as those of a role with a name. */
class Locator {
  constructor(page, steps) {
    this.page = page;
    this.steps = steps;
  }

  step(step) { return new Locator(this.page, [...this.steps, step]); }
  locator(css, { hasText, has } = {}) { return this.step({ css }).filter({ hasText, has }); }
  getByRole(role, { name, exact, level, disabled } = {}) { return this.step({ role, level, disabled, name: name && inPage.plain(name, exact) }); }
  getByLabel(label, { exact } = {}) { return this.step({ label: inPage.plain(label, exact) }); }
  getByText(text, { exact } = {}) { return this.step({ text: inPage.plain(text, exact) }); }
  filter({ hasText, has }) {
    let found = this;
    if (hasText) found = found.step({ hasText: inPage.plain(hasText) });
    if (has) found = found.step({ has: has.steps });
    return found;
  }

  first() { return this.step({ nth: 0 }); }
  last() { return this.step({ nth: -1 }); }
  nth(nth) { return this.step({ nth }); }
  toString() { return JSON.stringify(this.steps); }

  /** References to the elements. Steps up to a role run in the page; names are computed by the engine. */
  async elements(steps = this.steps, roots = null) {
    for (let at = 0; at < steps.length; at += 1) {
      const { role, name, has } = steps[at];
      if (at > 0 && roots.length === 0) return [];
      if (has) {
        const kept = [];
        for (const root of roots) if ((await this.elements(has, [root])).length > 0) kept.push(root);
        roots = kept;
        continue;
      }
      roots = await this.page.evaluate(inPage.find, steps[at], ...(roots ?? []));
      if (!role || !name) continue;
      const kept = [];
      for (const { element, text } of roots) {
        const label = await this.page.call("GET", `/element/${element[ELEMENT]}/computedlabel`);
        if (inPage.matches(label || text, name)) kept.push(element);
      }
      roots = kept;
    }
    return roots;
  }

  async element() {
    const [element] = await this.elements();
    if (!element) throw new Error(`not found: ${this}`);
    return element;
  }

  /** Waits for the element, then acts on it. */
  act(action) { return retry(String(this), async () => action(await this.element())); }
  evaluate(body, argument) { return this.act((element) => this.page.evaluate(body, element, argument)); }
  /** Elements arrive in a page only as arguments of their own. */
  async evaluateAll(body, argument) {
    return this.page.evaluate(`const [argument, ...all] = given; return (${body})(all, argument);`, argument ?? null, ...await this.elements());
  }

  send(element, method, command, body) { return this.page.call(method, `/element/${element[ELEMENT]}/${command}`, body); }

  waitFor({ state = "visible" } = {}) {
    return retry(`${this} is not ${state}`, async () => {
      const shown = await this.isVisible();
      const there = shown || state === "visible" || (await this.count()) > 0;
      const is = { visible: shown, hidden: !shown, attached: there, detached: !there }[state];
      if (!is) throw new Error(`at ${this.page.url()}`);
    });
  }

  async count() { return (await this.elements()).length; }
  async all() { return (await this.elements()).map((_, at) => this.nth(at)); }
  async isVisible() {
    const [element] = await this.elements();
    return element ? this.page.evaluate(inPage.isShown, element) : false;
  }

  isDisabled() { return this.evaluate((one) => one.matches(":disabled")); }
  isEnabled() { return this.evaluate((one) => !one.matches(":disabled")); }
  isChecked() { return this.evaluate((one) => one.checked); }
  textContent() { return this.evaluate((one) => one.textContent); }
  innerText() { return this.evaluate((one) => one.innerText); }
  innerHTML() { return this.evaluate((one) => one.innerHTML); }
  inputValue() { return this.evaluate((one) => one.value); }
  getAttribute(name) { return this.evaluate((one, of) => one.getAttribute(of), name); }
  allTextContents() { return this.evaluateAll((all) => all.map((one) => one.textContent)); }

  /** In the middle of the window, as Playwright does: the driver would leave it under a bar that stays at an edge. */
  click() {
    return this.act(async (element) => {
      await this.page.evaluate((one) => one.scrollIntoView({ block: "center", behavior: "instant" }), element);
      return this.send(element, "POST", "click", {});
    });
  }
  fill(text) { return this.evaluate(inPage.fill, text); }
  focus() { return this.evaluate((one) => one.focus()); }
  async press(key) { await this.focus(); return this.page.keyboard.press(key); }
  async check() { if (!(await this.isChecked())) await this.click(); }
  async uncheck() { if (await this.isChecked()) await this.click(); }
  selectOption(option) { return this.evaluate(inPage.select, typeof option === "string" ? { value: option } : option); }
  setInputFiles({ name, buffer }) {
    const path = join(this.page.session.home, name);
    writeFileSync(path, buffer);
    return this.act((element) => this.send(element, "POST", "value", { text: path }));
  }
}

/** A window of a session. */
class Page extends Locator {
  constructor(context, handle) {
    super(undefined, []);
    Object.assign(this, { page: this, session: context.session, handle, shown: "about:blank" });
    this.context = () => context;
    this.listeners = { pageerror: [] };
    this.keyboard = { press: (keys) => this.press(keys), type: (text) => this.type(text) };
    this.request = { get: (url) => this.request_("GET", url), post: (url, options) => this.request_("POST", url, options) };
  }

  on(event, listener) { this.listeners[event]?.push(listener); }
  url() { return this.shown; }
  content() { return this.call("GET", "/source"); }
  emulateMedia() { return cannot("changes no colours of an open page"); }
  route() { return cannot("blocks no request"); }
  frameLocator() { return cannot("is not taught to look into frames"); }
  addInitScript() { return cannot("runs no script before a page's own"); }
  waitForRequest() { return cannot("shows no requests"); }
  waitForTimeout(ms) { return pause(ms); }
  async waitForLoadState() { await retry("the page loads", () => this.evaluate(() => document.readyState === "complete")); }

  call(method, command, body) { return this.session.call(method, command, body, this.handle); }

  /** Runs a function or a script in the page, and waits for its promise. */
  async evaluate(body, ...args) {
    const source = typeof body === "function" ? `return (${body})(...given)` : body;
    const script = `const given = [...arguments], done = given.pop(), complaints = (${inPage.complaints})();
      (async () => { ${source} })().then((value) => ({ value }), (error) => ({ error: String(error) }))
        .then((end) => done({ ...end, url: location.href, complaints: complaints() }));`;
    const { value, url, error, complaints } = await this.call("POST", "/execute/async", { script, args });
    for (const text of complaints) for (const listener of this.listeners.pageerror) listener(text);
    if (error) throw new Error(error);
    this.shown = url;
    return value;
  }

  async goto(url) { await this.call("POST", "/url", { url }); await this.evaluate(() => {}); }
  setContent(html) { return this.goto(`data:text/html;charset=utf-8,${encodeURIComponent(html)}`); }
  async move(command) { await this.call("POST", command, {}); await this.evaluate(() => {}); }
  reload() { return this.move("/refresh"); }
  goBack() { return this.move("/back"); }
  goForward() { return this.move("/forward"); }
  async bringToFront() {}
  async close() { await this.call("DELETE", "/window"); }
  async setViewportSize({ width, height }) { await this.call("POST", "/window/rect", { width, height }); }

  waitForURL(wanted) {
    return retry(`the address ${wanted}`, async () => {
      await this.evaluate(() => {});
      const is = typeof wanted === "function" ? wanted(new URL(this.shown)) : wanted instanceof RegExp ? wanted.test(this.shown) : wanted === this.shown;
      if (!is) throw new Error(`at ${this.shown}`);
    });
  }

  /** The answer with the page that comes next. */
  async waitForResponse(isIt) {
    const born = () => this.evaluate(() => performance.timeOrigin);
    const before = await born();
    await retry("another page", async () => {
      if ((await born()) === before || !isIt({ url: () => this.shown })) throw new Error(`at ${this.shown}`);
    });
    const status = await this.evaluate(() => performance.getEntriesByType("navigation")[0].responseStatus ?? null);
    return status ? { status: () => status } : cannot("shows no status of an answer");
  }

  /** A file that the browser has saved. */
  async waitForEvent(event) {
    if (event !== "download") cannot(`knows no event ${event}`);
    const folder = join(this.session.home, "downloads");
    const before = existsSync(folder) ? readdirSync(folder) : [];
    const name = await retry("a download", async () => {
      const file = readdirSync(folder).find((one) => !before.includes(one) && !/\.(wkdownload|part)$/.test(one));
      return file ?? Promise.reject(new Error("no file"));
    });
    return { suggestedFilename: () => name };
  }

  async press(keys) {
    const all = keys === "+" ? [keys] : keys.split("+");
    const of = (type) => (key) => ({ type, value: KEYS[key] ?? key });
    await this.actions([...all.map(of("keyDown")), ...all.reverse().map(of("keyUp"))]);
  }

  async type(text) {
    // A field to which a link has led has the focus, and hears no key until it is entered again.
    await this.evaluate(() => {
      const field = document.activeElement;
      if (location.hash !== `#${field.id}`) return;
      field.blur();
      field.focus();
    });
    await this.actions([...text].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]));
  }

  async actions(actions) {
    await this.call("POST", "/actions", { actions: [{ type: "key", id: "keys", actions }] });
    // A key that opens a page returns before the page is there.
    await pause(50);
  }

  /** Asks as the page would, with its cookies. */
  async request_(method, url, { data } = {}) {
    const cookie = (await this.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { method, body: data && JSON.stringify(data), headers: { cookie, "content-type": "application/json" } });
    const body = Buffer.from(await answer.arrayBuffer());
    return {
      status: () => answer.status, headers: () => Object.fromEntries(answer.headers), text: async () => body.toString(), json: async () => JSON.parse(body),
    };
  }
}

/** A browser's process with its session. */
class Session {
  static async open(programs, display, { locale, colorScheme, javaScriptEnabled = true }) {
    if (!javaScriptEnabled) cannot("needs scripts");
    const session = new Session();
    session.home = mkdtempSync(join(tmpdir(), "pages-webkit-"));
    const inHome = (path) => join(session.home, path);
    for (const folder of ["downloads", "locales", ".config/gtk-3.0"]) mkdirSync(inHome(folder), { recursive: true });
    writeFileSync(inHome(".config/user-dirs.dirs"), 'XDG_DOWNLOAD_DIR="$HOME/downloads"\n');
    writeFileSync(inHome(".config/gtk-3.0/settings.ini"), "[Settings]\ngtk-enable-animations=0\n");
    // WebKit asks for pages in the language of its locale, which must exist, whatever is in it.
    const language = `${locale.replace("-", "_")}.UTF-8`;
    symlinkSync("/usr/lib/locale/C.utf8", inHome(`locales/${language}`));
    const port = await freePort();
    session.url = `http://127.0.0.1:${port}`;
    session.driver = spawn(programs.driver, [`--port=${port}`], {
      stdio: "ignore",
      env: {
        PATH: process.env.PATH, HOME: session.home, DISPLAY: display, LC_ALL: language, LOCPATH: inHome("locales"), LIBGL_ALWAYS_SOFTWARE: "1",
        GTK_THEME: colorScheme === "dark" ? "Adwaita:dark" : "Adwaita", NO_AT_BRIDGE: "1", WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
      },
    });
    // Full screen has no bar of tools, which would keep the window 447 pixels wide.
    const args = ["--automation", "--full-screen"];
    const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": { binary: programs.browser, args } } };
    const { sessionId } = await retry("WebKitWebDriver starts", () => session.call("POST", "/session", { capabilities }));
    session.url += `/session/${sessionId}`;
    session.handle = await session.call("GET", "/window");
    return session;
  }

  /** Sends a command once those before it are done: the driver forgets one that a new page interrupts. */
  call(method, command, body, handle = this.handle) {
    const turn = (this.turn ?? Promise.resolve()).then(async () => {
      if (handle !== this.handle) await this.send("POST", "/window", { handle });
      this.handle = handle;
      return this.send(method, command, body);
    });
    this.turn = turn.catch(() => {});
    return turn;
  }

  async send(method, command, body) {
    const answer = await fetch(this.url + command, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }

  async close() {
    if (this.driver.killed) return;
    await this.call("DELETE", "").catch(() => {});
    this.driver.kill();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A browser with cookies of its own. */
class Context {
  constructor(session, viewport) { Object.assign(this, { session, viewport, pages: [] }); }

  async newPage() {
    const handle = this.pages.length === 0 ? this.session.handle : (await this.session.call("POST", "/window/new", { type: "window" })).handle;
    const page = new Page(this, handle);
    this.pages.push(page);
    await page.setViewportSize(this.viewport);
    return page;
  }

  cookies() { return this.session.call("GET", "/cookie"); }
  clearCookies() { return this.session.call("DELETE", "/cookie"); }
  newCDPSession() { return cannot("measures neither network nor processor"); }
  async addCookies(cookies) {
    for (const { name, value, path = "/", httpOnly, secure, sameSite } of cookies) {
      await this.session.call("POST", "/cookie", { cookie: { name, value, path, httpOnly, secure, sameSite } });
    }
  }

  close() { return this.session.close(); }
}

/** Opens browsers on a display of its own, which nobody sees. */
class WebKit {
  static async launch(programs) {
    const server = spawn(programs.display, ["-displayfd", "3", "-screen", "0", "320x900x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
    const number = await new Promise((done, fail) => {
      server.stdio[3].once("data", (text) => done(String(text).trim()));
      server.once("exit", () => fail(new Error("the X server does not start")));
    });
    return Object.assign(new WebKit(), { programs, server, display: `:${number}`, sessions: [] });
  }

  async newContext(options) {
    const session = await Session.open(this.programs, this.display, options);
    this.sessions.push(session);
    return new Context(session, options.viewport);
  }

  /** Closes what failed steps have left, too. */
  async close() {
    for (const session of this.sessions) await session.close();
    this.server.kill();
  }
}

module.exports = { WebKit, Cannot };
