"use strict";
// The provider's script collects the payment details; this script shows the cart's status from the status route.
const data = JSON.parse(document.getElementById("data").textContent);
const form = document.getElementById("form");
const button = document.getElementById("pay");
const message = document.getElementById("message");

const { texts, sentences } = data;
const KINDS = { paid: "good", fulfilled: "good", refunded: "", cancelled: "bad", expired: "bad" };
const asked = new URLSearchParams(location.search);

function say(text, kind = "") {
  message.textContent = text;
  message.className = kind;
}

/** Shows the order's standing: of its payment, and of its access. */
function sayStanding({ payment, access }, kind) {
  const keys = [`standing-payment-${payment}`, `standing-access-${access}`];
  const words = keys.map((key) => sentences[key.replaceAll("_", "-")]).filter(Boolean);
  say(words.join(" "), kind);
}

async function status() {
  // Send only the link's token, not the parameters that a provider added to the URL.
  const query = asked.has("token") ? "?" + new URLSearchParams({ token: asked.get("token") }) : "";
  const answer = await fetch(data.status_path + query, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

/** Polls the status until the payment has ended, for at most two minutes. */
async function follow(known) {
  form.hidden = true;
  let waiting = Boolean(known?.waiting_for_bank);
  say(waiting ? sentences["standing-payment-at-bank"] : texts["page-confirming"]);
  for (let times = 0; times < 80; times += 1) {
    try {
      const now = await status();
      if (show(now)) return;
      // The bank's payment has failed: the page offers to pay again.
      if (waiting && now.status === "pending_payment" && !now.waiting_for_bank) return location.reload();
      if (now.waiting_for_bank) sayStanding(now.standing);
      waiting = now.waiting_for_bank;
    } catch {
      // The next request may succeed.
    }
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
  if (!waiting) say(texts["page-unconfirmed"]);
}

/** Shows the page anew once a transfer has arrived, which can take days: it is asked for rarely. */
function watch() {
  setInterval(async () => {
    const now = await status().catch(() => null);
    if (now && !now.waiting_for_bank) location.reload();
  }, 60_000);
}

/** Shows the state of the payment; returns whether it is final. */
function show({ status, standing, safe_to_charge_again }) {
  if (!(status in KINDS)) return false;
  form.hidden = true;
  // The provider would still accept a payment of a replaced order, so ask the buyer not to pay it.
  if (status === "cancelled" && !safe_to_charge_again) say(texts["status-replaced"], "bad");
  else sayStanding(standing, KINDS[status]);
  return status !== "paid";
}

/** Shows how it ended, if the payment was made in another tab or has ended by itself. Returns whether it has. */
async function elsewhere() {
  const now = await status().catch(() => null);
  if (!now || !(now.status in KINDS || now.waiting_for_bank)) return false;
  follow(now);
  return true;
}

function begin(pay) {
  form.hidden = false;
  say("");
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && !form.hidden && !button.disabled) elsewhere();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    say(texts["page-moment"]);
    try {
      await pay();
    } catch (error) {
      if (!(await elsewhere())) say(error.message || texts["page-again"], "bad");
    }
    button.disabled = false;
  });
}

const starts = {
  intent({ client_secret, publishable_key, customer_session_client_secret }) {
    const stripe = window.Stripe(publishable_key);
    // The provider's fields are a frame on this page, so they are dark with it.
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const options = { clientSecret: client_secret, appearance: { theme: isDark ? "night" : "stripe" } };
    if (customer_session_client_secret) options.customerSessionClientSecret = customer_session_client_secret;
    const elements = stripe.elements(options);
    const { billing_details } = data;
    const element = elements.create("payment", { defaultValues: { billingDetails: billing_details } });
    let chosen = {};
    element.on("change", (event) => { chosen = event.value; });
    element.mount("#fields");
    begin(async () => {
      const confirmParams = { return_url: location.href };
      if (chosen.type === "card" && !chosen.payment_method) {
        // Of a card's billing address, the fields ask only for the country and the postal code.
        const { country, postal_code, ...address } = billing_details.address;
        confirmParams.payment_method_data = { billing_details: { ...billing_details, address } };
      }
      const { error } = await stripe.confirmPayment({ elements, confirmParams, redirect: "if_required" });
      if (error) throw error;
      await follow();
    });
  },
  order({ order_id, key_id, amount }) {
    begin(() => new Promise((resolve, reject) => {
      const checkout = new window.Razorpay({
        key: key_id, order_id, amount, currency: data.currency, name: data.organisation,
        prefill: { name: data.billing_details.name, email: data.billing_details.email },
        handler: () => resolve(follow()),
        modal: { ondismiss: () => reject(new Error(texts["page-unfinished"])) },
      });
      checkout.on("payment.failed", (failed) => say(failed.error.description, "bad"));
      checkout.open();
    }));
  },
  redirect({ redirect_url }) {
    begin(async () => { location.href = redirect_url; });
  },
};

async function main() {
  const back = document.getElementById("back");
  back.href = data.return_url;
  back.hidden = false;
  let known = { status: "pending_payment" };
  try {
    known = await status();
  } catch {
    // The page works without the status.
  }
  // An order on account is open before it is paid.
  if (data.start?.style === "transfer" && known.status === "fulfilled") return watch();
  if (show(known)) return;
  if (data.start?.style === "transfer") return watch();
  // Stripe redirects the buyer back to this page from a bank's page.
  const outcome = asked.get("redirect_status");
  if (known.waiting_for_bank) return follow(known);
  if (known.status === "paid" || ["succeeded", "pending"].includes(outcome) || !data.start) return follow();
  if (data.start.style !== "redirect" && !window.Stripe && !window.Razorpay) {
    return say(texts["page-no-provider"], "bad");
  }
  starts[data.start.style](data.start);
  if (outcome) say(texts["page-failed"], "bad");
}

main();
