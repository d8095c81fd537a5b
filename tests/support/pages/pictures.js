// Takes the documentation's pictures that no walk takes on its way: mails on a phone, an invoice, and what is moved in from a former
// shop. Buys what they are about in the demo. Takes the browser's path; needs pdftoppm.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const { API, SIM, SECRET, PHONE, DESKTOP, desk, json, mail, until, visit, walk } = require("./common.js");
const { movedIn } = require("./former-shop.js");

const SELLERS = {
  northwind: ["b3cd5540-79c7-4e4f-867c-e0444d03ada6", "ad035fc9-afd5-49f2-85d8-8ac83dd05a77"],
  lindgren: ["b38980ff-b28a-4d4d-ad68-a7045a03a67b", "e90c8dfd-1757-4985-a549-8c3455a7996b"],
  saraswati: ["f2ddb68c-eb2e-462b-b13e-5016a0f7f64b", "e5bc177b-68ce-47bf-9875-e08475ec0df9"],
  kinabalu: ["842a8b9b-3d64-474d-8bd9-1ad9e0f08bcf", "6ea9e4e2-eeee-437f-a69c-385c6a394046"],
};
// Courses of Lindgren.
const WOODEN = ["de8f32c5-cb6e-4f95-bdb4-9c46ecffe112", "e90c8dfd-1757-4985-a549-8c3455a7996b"];
const HOME = { name: "Ada Lovelace", line1: "12 St James's Square", city: "London", postal_code: "SW1Y 4JH", country: "GB" };
const SHOP = { name: "Maja Lind", line1: "Storgatan 1", city: "Lund", postal_code: "222 22", country: "SE" };
const COMPANY = { name: "Tan Mei Ling", company: "Engines & Sons Sdn. Bhd.", line1: "8 Jalan Pantai", city: "Kota Kinabalu", country: "MY" };

// Nobody has the address yet, and it looks like one.
const address = (name) => `${name}@${Date.now().toString(36)}.example`;

/** Pays, as the provider. */
async function settle(checkout) {
  const reference = checkout.client_secret?.split("_secret")[0] ?? checkout.payment_id ?? checkout.order_id;
  await json("POST", `${SIM}/_sim/payments/${reference}/pay`, {});
  return checkout.cart_id;
}

/** A guest's paid order. */
async function sell(seller, email, language, more = {}) {
  const [organisation, course] = SELLERS[seller];
  const { seats, ...rest } = more;
  const body = {
    email, language, organisation_id: organisation, items: [{ type: "course", id: course, mode: "verified", seats }],
    billing_address: HOME, ...rest,
  };
  return settle(await json("POST", `${API}/storeapi/discovery/guest/checkout/`, body, { ...SECRET, "x-visitor-id": crypto.randomUUID() }));
}

/** The mail as a client shows it: its subject, its sender and its HTML. */
async function letter(browser, name, to, pattern, colorScheme = "light") {
  const wanted = await mail(to, pattern);
  const all = await json("GET", `${SIM}/_sim/emails`);
  const number = all.findIndex(({ message_id }) => message_id === wanted.message_id);
  const visitor = await visit(browser, PHONE, { colorScheme });
  const { page } = visitor;
  await page.setContent(wanted.html, { waitUntil: "networkidle" });
  const height = await page.evaluate(() => Math.ceil(document.body.getBoundingClientRect().height));
  await page.goto(`${SIM}/_sim/?mail=${number}`, { waitUntil: "networkidle" });
  await page.addStyleTag({ content: `
    body > header, .back, .tools, main > section:not(.mailbox) { display: none !important; }
    main > section { margin: 0; border: 0; border-radius: 0; } .mail { padding: 1rem 0 0; } .mail > :is(h2, .who) { margin-inline: 1rem; }
    .mail iframe { height: ${height}px; border-radius: 0; }` });
  await page.frameLocator("iframe").locator("h1").waitFor();
  const box = await page.locator(".mailbox").boundingBox();
  await visitor.shoot(`mail-${name}`, box);
  await visitor.close();
}

async function mails(browser) {
  const [ada, maja, grace, tan, farid] = ["ada", "maja", "grace", "tan", "farid"].map(address);
  for (const email of [ada, maja, farid]) await json("POST", `${SIM}/_sim/users`, { email, hint: false });
  await sell("northwind", ada, "en");
  await letter(browser, "receipt", ada, /Your receipt/);
  await sell("lindgren", maja, "sv", { billing_address: SHOP, consents: { terms: true, begin_now: true, loses_right: true } });
  await letter(browser, "receipt-consents", maja, /Ditt kvitto/);
  const { text } = await mail(maja, /Ditt kvitto/);
  const token = new URL(text.match(/\S+\/withdraw\/\?\S+/)[0]).searchParams.get("token");
  const [, order] = text.match(/Beställning (\S+)/);
  await json("POST", `${API}/storeapi/payment/withdrawals/?token=${token}`, { order, email: maja, name: "Maja Lind" });
  await letter(browser, "withdrawal", maja, /har tagit emot/);
  await letter(browser, "refund", maja, /återbetal/i);
  await sell("saraswati", grace, "hi");
  await letter(browser, "invitation", grace, /स्थान|जगह|सीट/);
  await sell("kinabalu", tan, "en", { seats: 30, billing_address: COMPANY });
  await letter(browser, "seats", tan, /seats are ready/);
  const ready = await mail(tan, /seats are ready/);
  const link = new URL(ready.text.match(/\S+voucher_id=\S+/)[0]).searchParams;
  const lea = address("lea");
  const seats = `${API}/storeapi/seats/${link.get("voucher_id")}/assign/?token=${link.get("token")}`;
  await json("POST", seats, { emails: [lea], language: "fr" }, { ...SECRET, "idempotency-key": crypto.randomUUID() });
  await letter(browser, "seat", lea, /place/);
  await sell("northwind", farid, "ar");
  await letter(browser, "receipt-ar", farid, /إيصال/, "dark");
}

/** An invitation to a mistyped address: it comes back, needs a person, and is corrected. */
async function bounce(browser) {
  const wrong = address("gracee"), right = wrong.replace("gracee", "grace");
  const cart = await sell("northwind", wrong, "en", { billing_address: { ...HOME, name: "Grace Hopper" } });
  await mail(wrong, /Create your account|invitation|place/i);
  const mailbox = await visit(browser, DESKTOP);
  const all = await json("GET", `${SIM}/_sim/emails`);
  const number = all.findIndex(({ to, subject }) => to === wrong && !/receipt/i.test(subject));
  await mailbox.page.goto(`${SIM}/_sim/?mail=${number}#mail`);
  await mailbox.page.getByRole("button", { name: "Let it come back" }).click();
  await mailbox.close();
  const clerk = await desk(browser, DESKTOP, "noor@northwind.example");
  const { page } = clerk;
  await until("the mail needs a person", async () => { await page.goto(`${API}/console/northwind/`); return page.locator(".case", { hasText: wrong }).isVisible(); });
  await clerk.look();
  // Other mails of the demo have failed, too.
  await page.locator(".case").filter({ hasNotText: wrong }).evaluateAll((others) => others.forEach((one) => one.remove()));
  await clerk.shoot("console-bounced-desktop");
  await page.goto(`${API}/console/northwind/orders/${cart}/`);
  await page.locator("summary", { hasText: "Correct the address" }).click();
  await page.locator("form[action$='/address/'] [name=email]").fill(right);
  await clerk.look();
  await clerk.shoot("console-correct-desktop");
  await page.locator("form[action$='/address/'] [type=submit], form[action$='/address/'] button").last().click();
  await mail(right, /./);
  await page.goto(`${API}/console/northwind/orders/${cart}/`);
  await clerk.shoot("console-corrected-desktop");
  await page.goto(`${API}/console/northwind/`);
  assert.equal(await page.locator(".case", { hasText: wrong }).count(), 0);
  await clerk.close();
}

/** An invoice, as a browser shows a document. */
async function invoice(browser) {
  const email = address("anna");
  await json("POST", `${SIM}/_sim/users`, { email, hint: false });
  const items = WOODEN.map((id) => ({ type: "course", id, mode: "verified" }));
  const home = { name: "Anna Schreiner", line1: "Lindenallee 7", city: "Lübeck", postal_code: "23552", country: "DE" };
  await sell("lindgren", email, "de", { items, billing_address: home, consents: { terms: true, begin_now: true } });
  const { attachments } = await mail(email, /Ihr Beleg/);
  const pdf = Buffer.from(attachments[0].base64, "base64");
  const png = execFileSync("pdftoppm", ["-r", "150", "-f", "1", "-l", "1", "-png", "-"], { input: pdf, maxBuffer: 64 << 20 });
  for (const [place, viewport, width] of [["desktop", DESKTOP, 760], ["phone", PHONE, 366]]) {
    const visitor = await visit(browser, viewport);
    await visitor.page.setContent(`<meta name="viewport" content="width=device-width"><body style="margin:0;padding:12px;background:#8a9099"><img src="data:image/png;base64,${png.toString("base64")}"
      style="display:block;width:${width}px;margin:auto;box-shadow:0 2px 14px #0006" alt="">`, { waitUntil: "load" });
    await visitor.shoot(`invoice-${place}`, { x: 0, y: 0, width: viewport.width, height: place === "phone" ? 330 : 620 });
    await visitor.close();
  }
}

/** The simulators' mailbox. */
async function mailbox(browser) {
  const visitor = await visit(browser, DESKTOP);
  await visitor.page.goto(`${SIM}/_sim/`, { waitUntil: "networkidle" });
  await visitor.shoot("mailbox-desktop");
  await visitor.close();
}

walk({ "pictures of mails": mails, "pictures of a mail that came back": bounce, "pictures of an invoice": invoice, "a picture of the mailbox": mailbox, "pictures of a former shop": movedIn });
