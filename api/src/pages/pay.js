"use strict";
// The provider's script takes the card; this one shows how the cart stands, as the status route tells it.
const data = JSON.parse(document.getElementById("data").textContent);
const form = document.getElementById("form");
const button = document.getElementById("pay");
const message = document.getElementById("message");

const WORDS = {
  paid: ["Thank you, your payment has arrived. Your courses are being opened.", "good"],
  fulfilled: ["Thank you, your payment has arrived. Your courses are in your account.", "good"],
  refunded: ["This order has been refunded.", ""],
  cancelled: ["This payment was ended, and nothing was charged. You can start again in the shop.", "bad"],
  expired: ["This payment is too old, and nothing was charged. You can start again in the shop.", "bad"],
};

function say(text, kind = "") {
  message.textContent = text;
  message.className = kind;
}

async function status() {
  const answer = await fetch(data.status_url + location.search, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()).status;
}

/** Asks until the payment has come to an end, or for two minutes. */
async function follow() {
  form.hidden = true;
  say("We are waiting for your payment to be confirmed…");
  for (let asked = 0; asked < 80; asked += 1) {
    try {
      if (show(await status())) return;
    } catch {
      // The next one may be answered.
    }
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
  say("Your payment has not been confirmed yet. You will get a message as soon as it is; please do not pay again.");
}

/** Whether it is over. */
function show(status) {
  const words = WORDS[status];
  if (!words) return false;
  form.hidden = true;
  say(...words);
  return status !== "paid";
}

function begin(pay) {
  form.hidden = false;
  say("");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    say("One moment…");
    try {
      await pay();
    } catch (error) {
      say(error.message || "That did not work. Please try again.", "bad");
    }
    button.disabled = false;
  });
}

const starts = {
  intent({ client_secret, publishable_key, customer_session_client_secret }) {
    const stripe = window.Stripe(publishable_key);
    const options = { clientSecret: client_secret };
    if (customer_session_client_secret) options.customerSessionClientSecret = customer_session_client_secret;
    const elements = stripe.elements(options);
    elements.create("payment").mount("#fields");
    begin(async () => {
      const confirmParams = { return_url: location.href };
      const { error } = await stripe.confirmPayment({ elements, confirmParams, redirect: "if_required" });
      if (error) throw error;
      await follow();
    });
  },
  order({ order_id, key_id, amount }) {
    begin(() => new Promise((resolve, reject) => {
      const checkout = new window.Razorpay({
        key: key_id, order_id, amount, currency: data.currency, name: data.organisation,
        prefill: { email: data.email },
        handler: () => resolve(follow()),
        modal: { ondismiss: () => reject(new Error("The payment was not finished.")) },
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
  let known;
  try {
    known = await status();
  } catch {
    known = "pending_payment";
  }
  if (show(known)) return;
  // Stripe comes back here from a bank's page.
  const came_back = new URLSearchParams(location.search).has("redirect_status");
  if (known === "paid" || came_back || !data.start) return follow();
  if (data.start.style !== "redirect" && !window.Stripe && !window.Razorpay) {
    return say("The payment provider cannot be reached. Please reload this page in a moment.", "bad");
  }
  starts[data.start.style](data.start);
}

main();
