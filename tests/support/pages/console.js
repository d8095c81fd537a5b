// Works at the support desk as each role of the staff: every page and every action, at phone and desktop width, what a keyboard
// alone can do, and what axe finds in light and dark. Takes the browser's path; uses the demo on its fixed ports.
"use strict";
const assert = require("node:assert/strict");
const { API, SIM, SECRET, PHONE, DESKTOP, json, until, visit, desk, tab, walk } = require("./common.js");

const ROOT = `${API}/console/northwind/`;
const STATISTICS = "course-v1:Northwind+DS210+2026";

const PEOPLE = { noor: "noor@northwind.example", sam: "sam@northwind.example", mira: "mira@northwind.example" };

/** A course of Northwind with its mode that costs something. */
async function sold(key) {
  const answer = await json("GET", `${API}/storeapi/discovery/course/${encodeURIComponent(key)}/`, undefined, SECRET);
  const course = answer.course ?? answer;
  const modes = course.available_course_modes ?? course.modes ?? [];
  const mode = modes.find(({ price, minPrice }) => (price ?? minPrice) > 0);
  return { organisation: course.organisation_id ?? course.organisation.id, id: course.id, mode: mode?.modeSlug ?? "verified" };
}

/** A guest's order of a course, paid. */
async function buy(email, name, key = STATISTICS) {
  const { organisation, id, mode } = await sold(key);
  const checkout = await json("POST", `${API}/storeapi/discovery/guest/checkout/`, {
    email, organisation_id: organisation, items: [{ type: "course", id, mode }],
    billing_address: { name, line1: "12 St James's Square", city: "London", country: "GB" },
  }, { ...SECRET, "x-visitor-id": crypto.randomUUID() });
  const [reference] = checkout.client_secret.split("_secret");
  await json("POST", `${SIM}/_sim/payments/${reference}/pay`, {});
  await until("the order is paid", async () => {
    const { status } = await json("GET", `${API}/storeapi/payment/status/${checkout.cart_id}/`, undefined, SECRET);
    return status !== "pending_payment";
  });
  return checkout.cart_id;
}

/** What a person must look at: an order bought twice, a mail that was refused, and an enrollment that the platform has refused. */
async function trouble(place) {
  const address = (name) => `${name}.${place}.${Date.now()}@example.com`;
  const [twice, unreachable, late] = ["grace", "full-mailbox", "lin"].map(address);
  for (const email of [twice, late]) await json("POST", `${SIM}/_sim/users`, { email, hint: false });
  await buy(twice, "Grace Hopper");
  const again = await buy(twice, "Grace Hopper");
  await json("POST", `${SIM}/_sim/faults`, { target: "smtp", path: unreachable, kind: "status", status: 550, count: 1 });
  await buy(unreachable, "Ada Byron");
  await json("POST", `${SIM}/_sim/courses`, { course_id: STATISTICS, full: true, veto: true });
  const refused = await buy(late, "Lin Zexu");
  return { twice, again, unreachable, late, refused };
}

const done = (page, words) => page.getByRole("status").getByText(words).waitFor();

async function support(browser, viewport, place, scheme, { buyer, cart, problems }) {
  const { page, look, shoot, close } = await desk(browser, viewport, PEOPLE.noor, scheme);
  // The list of what needs a person is complete once the platform and the mail server have refused.
  await until("the cases", async () => {
    await page.goto(ROOT);
    const cases = await page.locator(".case").allTextContents();
    return [problems.twice, problems.unreachable, problems.late].every((email) => cases.some((text) => text.includes(email)));
  });
  await look();
  await shoot(`console-start-${place}`);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await tab(page, page.getByRole("searchbox"));
  await page.keyboard.type("statistics");
  await page.keyboard.press("Enter");
  await page.getByText("Statistics You Can Defend").first().waitFor();
  await look();
  await shoot(`console-search-${place}`);
  // The only order that a text means opens at once.
  await page.goto(`${ROOT}search/?q=${encodeURIComponent(buyer)}`);
  await page.waitForURL(`${ROOT}orders/${cart}/`);
  for (const [text, found] of [[STATISTICS, "Statistics You Can Defend"], ["nothing has this", "Nothing of Northwind Institute has this"]]) {
    await page.goto(`${ROOT}search/?q=${encodeURIComponent(text)}`);
    await page.getByText(found).first().waitFor();
    await look();
  }
  // Mails and addresses.
  await page.goto(`${ROOT}orders/${cart}/`);
  await look();
  await tab(page, page.getByRole("button", { name: /Send the receipt again/ }));
  await page.keyboard.press("Enter");
  await done(page, "on its way");
  await tab(page, page.locator("summary", { hasText: "Correct the address" }));
  await page.keyboard.press("Enter");
  await look();
  await tab(page, page.getByLabel("Right address"));
  await page.keyboard.type(`right-${buyer}`);
  await page.keyboard.press("Enter");
  await done(page, "corrected");
  await look();
  assert.equal(await page.getByText("Refund …").count(), 0, "support does not refund");
  await page.getByRole("link", { name: `right-${buyer}` }).first().click();
  await page.getByRole("heading", { name: `right-${buyer}` }).waitFor();
  await look();
  await shoot(`console-person-${place}`);
  await page.goto(ROOT);
  await page.locator(".case", { hasText: problems.unreachable }).getByRole("button", { name: "Send the mail again" }).click();
  await done(page, "on its way");
  // The platform takes the learner once the course has room again.
  await page.goto(`${ROOT}orders/${problems.refused}/`);
  await look();
  await json("POST", `${SIM}/_sim/courses`, { course_id: STATISTICS });
  await page.getByRole("button", { name: "Ask the course platform again" }).click();
  await done(page, "asked again");
  await page.goto(`${ROOT}orders/${problems.again}/`);
  await look();
  await shoot(`console-alert-${place}`);
  await page.getByLabel("What was done about it").fill("Grace wants both, for a colleague");
  await page.getByRole("button", { name: "Close the alert" }).click();
  await done(page, "closed");
  // A place goes to a colleague, after the page that says what will happen.
  await tab(page, page.getByRole("link", { name: "Move …" }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Where does/ }).waitFor();
  await look();
  await shoot(`console-runs-${place}`);
  // A course that cannot be is refused before the last button.
  await page.goto(`${page.url()}&course=Ethik+Herbst`);
  await page.getByText("Your organisation has no course with this key.").waitFor();
  await look();
  await page.goBack();
  // The page with what will happen is one click away.
  await page.getByRole("button", { name: /^Move to/ }).first().click();
  await page.getByRole("heading", { name: "What will happen" }).waitFor();
  await look();
  await page.getByRole("button", { name: "Back, move nothing" }).click();
  const colleague = `alan.${place}.${Date.now()}@example.com`;
  await page.getByLabel("To the person with the address").fill(colleague);
  await page.getByRole("button", { name: "Show what will happen" }).click();
  await page.getByRole("heading", { name: "What will happen" }).waitFor();
  await page.getByLabel("Reason, for the record").fill("Grace gives her place to Alan");
  await look();
  await shoot(`console-move-${place}`);
  await page.getByRole("button", { name: `to ${colleague}` }).click();
  await done(page, "under way");
  await page.getByText("is moving to another person").waitFor();
  await look();
  // What it may not do, and a page that lists it.
  await page.goto(`${ROOT}orders/${cart}/refund/`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await page.getByRole("button", { name: /^Refund/ }).count(), 0);
  await look();
  await page.goto(`${ROOT}staff/`);
  await page.getByText("A manager of your organisation changes this list.").waitFor();
  await look();
  assert.equal(await page.getByRole("link", { name: "Sign out" }).count(), 1);
  await close();
}

async function finance(browser, viewport, place, scheme, { cart }) {
  const { page, look, shoot, close } = await desk(browser, viewport, PEOPLE.sam, scheme);
  await page.goto(`${ROOT}orders/${cart}/`);
  assert.equal(await page.getByRole("button", { name: /receipt again/ }).count(), 0, "finance sends no mails");
  await shoot(`console-order-${place}`);
  const ask = async (goodwill) => {
    await tab(page, page.locator("summary", { hasText: "Refund …" }));
    await page.keyboard.press("Enter");
    await page.getByLabel("Reason", { exact: true }).fill("Bought by mistake");
    if (goodwill) await page.getByRole("checkbox", { name: /^Goodwill/ }).check();
    await look();
    await page.getByRole("button", { name: "Show what will happen" }).click();
    await page.getByRole("heading", { name: "What will happen" }).waitFor();
    await look();
  };
  // Goodwill without an amount cannot be sent; with one, it ends no access.
  await ask(true);
  assert.equal(await page.getByRole("button", { name: /^Refund/ }).isDisabled(), true);
  await page.getByRole("button", { name: "Back, refund nothing" }).click();
  await ask(false);
  await shoot(`console-refund-${place}`);
  // Signed out in the middle: the form comes back filled, and takes effect after signing in again.
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.getByRole("button", { name: /Refund all that is left/ }).click();
  await page.getByRole("button", { name: "Send this form again" }).waitFor();
  await look();
  await page.context().addCookies(cookies);
  await page.getByRole("button", { name: "Send this form again" }).click();
  await done(page, "under way");
  await page.getByText("A refund was requested.").waitFor();
  await look();
  await owed(page, look, shoot, place);
  await payouts(page, look);
  await month(page, look, shoot, place);
  await reports(page, look, shoot, place);
  await close();
}

/** What finance waits for: Northwind takes no transfers. */
async function owed(page, look, shoot, place) {
  await page.getByRole("link", { name: "Unpaid" }).click();
  await page.getByText("Nothing is unpaid.").waitFor();
  await look();
  await shoot(`console-owed-${place}`);
}

/** What the provider has paid to the bank: nothing yet, in the demo. */
async function payouts(page, look) {
  await page.getByRole("link", { name: "Payouts" }).click();
  await page.getByRole("heading", { name: "Payouts" }).waitFor();
  await page.getByText("No payout was made in this time").waitFor();
  await look();
}

/** The last month: nothing has moved in it, and it can be closed; and the present one, which adds up. */
async function month(page, look, shoot, place) {
  await page.getByRole("link", { name: "Close the month" }).click();
  await page.getByText("No document is missing.").waitFor();
  await look();
  const now = new Date().toISOString().slice(0, 7);
  await page.getByLabel("Month", { exact: true }).fill(now);
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("The month can be closed after").waitFor();
  await look();
  await shoot(`console-month-${place}`);
  await page.goto(`${ROOT}month/?month=2020-01`);
  const close = page.getByRole("button", { name: "Close January 2020" });
  if (await close.count()) {
    await tab(page, close);
    await page.keyboard.press("Enter");
    await done(page, "closed");
  }
  await page.getByText("Closed on").waitFor();
  await look();
}

/** What finance reads: what moved this month, and the ledger as a file. Northwind is no seller, so it has no taxes. */
async function reports(page, look, shoot, place) {
  await page.getByRole("link", { name: "Reports" }).click();
  await page.getByRole("heading", { name: "Movements and taxes" }).waitFor();
  await look();
  await shoot(`console-reports-${place}`);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download the ledger as CSV" }).click()]);
  assert.match(file.suggestedFilename(), /^ledger-.*\.csv$/);
  await page.getByLabel("From").fill("2020-01-01");
  await page.getByLabel("To, included").fill("2020-01-31");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("No money moved in this time").waitFor();
  await page.getByText("No invoice or credit note was issued in this time").waitFor();
  await look();
}

/** What a manager keeps: a voucher, the seats of a company, a batch and the receivers of events. */
async function keep(page, look, shoot, place) {
  const code = `FAIR-${place}-${Date.now()}`.toUpperCase();
  await page.goto(ROOT);
  await page.getByRole("link", { name: "Vouchers" }).click();
  await look();
  await page.getByRole("textbox", { name: "Code" }).last().fill(code);
  await page.getByLabel("How much").fill("a lot");
  await page.getByLabel("Uses in all").fill("50");
  await page.getByRole("button", { name: "Create the vouchers" }).click();
  await page.getByText("How much is not a number").waitFor();
  await look();
  await page.getByLabel("How much").fill("12,5");
  await page.getByRole("button", { name: "Send this form again" }).click();
  await done(page, "ready");
  await page.getByText("12.5%").waitFor();
  await look();
  await page.getByLabel("Note").fill("for the fair");
  await page.getByRole("button", { name: "Save" }).click();
  await done(page, "changed");
  await shoot(`console-voucher-${place}`);
  await page.getByRole("button", { name: `End ${code} now` }).click();
  await page.getByText("ended", { exact: true }).waitFor();
  await look();
  await page.getByRole("link", { name: "Vouchers" }).click();
  await page.getByRole("link", { name: code }).waitFor();
  await look();
  await shoot(`console-vouchers-${place}`);
  await codes(page, look, shoot, place);
  await seats(page, look, shoot, place);
  await catalog(page, look, shoot, place);
  await batch(page, look, shoot, place);
  await endpoint(page, look, shoot, place);
}

async function codes(page, look, shoot, place) {
  await page.goto(`${ROOT}vouchers/`);
  await page.getByLabel("Number of codes").fill("200");
  await page.getByLabel("How much").fill("10");
  await page.getByRole("button", { name: "Create the vouchers" }).click();
  await done(page, "200 vouchers are ready.");
  await look();
  await shoot(`console-codes-${place}`);
  assert.equal((await page.getByLabel("To copy").inputValue()).trim().split("\n").length, 200);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download them as CSV" }).click()]);
  assert.equal(file.suggestedFilename(), "vouchers.csv");
}

async function endpoint(page, look, shoot, place) {
  await page.getByRole("link", { name: "Events" }).click();
  await page.getByRole("heading", { name: "Events", exact: true }).waitFor();
  await look();
  const url = `${SIM}/_sim/hook/crm-${place}-${Date.now()}`;
  await page.getByLabel("URL").fill(url);
  await page.getByRole("button", { name: "Send events to it" }).click();
  await page.getByText("whsec_").waitFor();
  await look();
  await page.getByRole("button", { name: "Back to the events" }).click();
  const own = page.locator("section", { has: page.getByRole("heading", { name: url }) });
  await own.locator("summary").click();
  await look();
  await shoot(`console-events-${place}`);
  await own.getByRole("checkbox", { name: "order.pending" }).uncheck();
  await own.getByRole("button", { name: "Save the types" }).click();
  await done(page, "The endpoint is changed");
  await own.locator("summary").click();
  await own.getByRole("button", { name: "Make a new secret" }).click();
  await page.getByText("whsec_").waitFor();
  await page.getByRole("button", { name: "Back to the events" }).click();
  await own.locator("summary").click();
  await own.getByRole("button", { name: `Remove ${url}` }).click();
  await done(page, "The endpoint is changed");
  await look();
}

async function seats(page, look, shoot, place) {
  const { organisation, id, mode } = await sold(STATISTICS);
  const checkout = await json("POST", `${API}/storeapi/discovery/guest/checkout/`, {
    email: `company.${place}.${Date.now()}@example.com`, organisation_id: organisation, items: [{ type: "course", id, mode, seats: 5 }],
  }, { ...SECRET, "x-visitor-id": crypto.randomUUID() });
  const [reference] = checkout.client_secret.split("_secret");
  await json("POST", `${SIM}/_sim/payments/${reference}/pay`, {});
  await until("the pool", async () => {
    await page.goto(`${ROOT}seats/`);
    return (await page.getByText("0 of 5").count()) > 0;
  });
  await look();
  await page.getByRole("row", { name: /0 of 5/ }).first().getByRole("link").click();
  await look();
  const colleague = `colleague.${Date.now()}@example.com`;
  await page.getByRole("textbox", { name: "Addresses" }).fill(`${colleague}\nno-address`);
  await page.getByRole("button", { name: "Give the seats" }).click();
  await done(page, "one by one");
  await until("the addresses", async () => {
    await page.getByRole("link", { name: "Look again" }).click();
    return (await page.getByText("1 failed").count()) > 0 && (await page.getByText(/1 of \d done/).count()) > 0;
  });
  await look();
  await page.getByRole("link", { name: "Who has a seat" }).click();
  await page.getByText("waits for registration").waitFor();
  await look();
  await shoot(`console-seats-${place}`);
  await page.locator("summary", { hasText: "Take the seat back" }).click();
  await page.getByRole("button", { name: `Take the seat of ${colleague} back` }).click();
  await done(page, "free again");
  await look();
}

async function catalog(page, look, shoot, place) {
  await page.getByRole("link", { name: "Catalog" }).click();
  await look();
  await page.getByLabel("Name or course key").fill("statistics");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByText("Statistics You Can Defend").first().waitFor();
  await look();
  await shoot(`console-catalog-${place}`);
  const price = page.getByLabel("Price in USD").first();
  const before = await price.inputValue();
  for (const [given, shown] of [["1,000", undefined], ["12.5", "12.5"], [before, before]]) {
    await page.getByLabel("Price in USD").first().fill(given);
    await page.getByRole("button", { name: /^Save (?!what)/ }).first().click();
    if (shown === undefined) {
      await page.getByText("is not clear").waitFor();
      await look();
      await page.goBack();
    } else {
      await done(page, "The course is changed");
      assert.equal(await page.getByLabel("Price in USD").first().inputValue(), shown);
    }
  }
  await page.getByRole("checkbox", { name: /^In no list/ }).check();
  await page.getByRole("button", { name: /^Save what the shop shows/ }).click();
  await page.getByText("in no list", { exact: true }).waitFor();
  await page.getByRole("checkbox", { name: /^In no list/ }).uncheck();
  await page.getByRole("button", { name: /^Save what the shop shows/ }).click();
  await page.getByText("on sale", { exact: true }).waitFor();
  await look();
}

async function batch(page, look, shoot, place) {
  await page.getByRole("link", { name: "Batches" }).click();
  await look();
  const email = `batch.${place}.${Date.now()}@example.com`;
  await page.getByLabel("CSV file").setInputFiles({ name: "new.csv", mimeType: "text/csv", buffer: Buffer.from(`email\n${email}\nno address\n`) });
  await page.getByLabel("Course of rows that name none").fill(STATISTICS);
  await page.getByLabel("Mode of rows that name none").fill("verified");
  await page.getByRole("button", { name: "Show the rows" }).click();
  await page.getByRole("heading", { name: "Submit 2 rows?" }).waitFor();
  await look();
  await shoot(`console-rows-${place}`);
  await page.getByRole("button", { name: "Submit 2 rows" }).click();
  await page.waitForURL(/batches\/[0-9a-f-]{36}/);
  await until("the batch", async () => {
    await page.reload();
    return (await page.getByText("1 of 2 done, 1 failed").count()) > 0;
  });
  await look();
  await shoot(`console-batch-${place}`);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download the failed rows" }).click()]);
  assert.match(file.suggestedFilename(), /^batch-.*\.csv$/);
}

async function manager(browser, viewport, place, scheme) {
  const { page, look, shoot, close } = await desk(browser, viewport, PEOPLE.mira, scheme);
  await page.getByRole("heading", { name: "Where do you work today?" }).waitFor();
  await look();
  await page.getByRole("link", { name: "Northwind Institute" }).click();
  await page.getByRole("link", { name: "Staff" }).click();
  await look();
  await shoot(`console-staff-${place}`);
  const colleague = `ines.${place}.${Date.now()}@northwind.example`;
  await json("POST", `${SIM}/_sim/users`, { email: colleague, name: "Inês Duarte", hint: false });
  await buy(colleague, "Inês Duarte");
  const newcomer = await desk(browser, viewport, colleague, scheme);
  await newcomer.look();
  await newcomer.close();
  await page.getByLabel("Email address of their account").fill(colleague);
  await page.getByRole("checkbox", { name: /^Finance/ }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await done(page, "changed");
  await page.getByRole("button", { name: `Remove ${colleague}` }).click();
  await done(page, "changed");
  assert.equal(await page.getByText(colleague).count(), 0);
  // The last manager stays.
  await page.getByRole("button", { name: `Remove ${PEOPLE.mira}` }).click();
  await page.getByRole("button", { name: "Send this form again" }).waitFor();
  await look();
  await keep(page, look, shoot, place);
  await page.goto(`${ROOT}orders/00000000-0000-4000-8000-000000000000/`);
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await look();
  await close();
}

async function all(browser, viewport, place, scheme) {
  const buyer = `zoe.${place}.${Date.now()}@example.com`;
  const [cart, problems] = [await buy(buyer, "Zoë Lovelace-Ångström"), await trouble(place)];
  await support(browser, viewport, place, scheme, { buyer, cart, problems });
  await finance(browser, viewport, place, scheme, { cart });
  await manager(browser, viewport, place, scheme);
}

walk({
  "the console on a desktop": (browser) => all(browser, DESKTOP, "desktop", "light"),
  "the console on a phone, dark": (browser) => all(browser, PHONE, "phone", "dark"),
});
