// Collects a payment with the provider's script, then shows the order.
"use strict";
const { reply, order, email } = JSON.parse(document.getElementById("start").textContent);
const form = document.getElementById("form");
const words = form.dataset;
const button = document.getElementById("pay");
const otherwise = document.getElementById("otherwise");
const say = (text) => { document.getElementById("message").textContent = text; };
// In place of this page: the way back leads to the basket.
const done = () => location.replace(order);

/** Leaves the page if there is nothing to pay any more: it was paid in another tab, or the time has run out. */
async function leaveIfOver() {
  const answer = await fetch(`${location.pathname}/status`).catch(() => null);
  const isOver = answer?.ok && (await answer.json().catch(() => ({}))).is_over;
  if (isOver) done();
  return Boolean(isOver);
}

/** The provider's script cannot be used: says so, with another way, instead of a button that does nothing. */
function giveUp() {
  form.hidden = true;
  otherwise.classList.add("shown");
  say(words.unavailable);
}

function onPay(pay) {
  form.hidden = false;
  button.disabled = false;
  say("");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    say(words.wait);
    try {
      await pay();
    } catch (error) {
      if (await leaveIfOver()) return;
      say(error.message || words.failed);
      button.disabled = false;
    }
  });
}

function begin() {
  if (reply.client_secret && window.Stripe) {
    const stripe = window.Stripe(reply.publishable_key);
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    // The provider's fields are a frame on this page, so they are dark with it.
    const elements = stripe.elements({ clientSecret: reply.client_secret, appearance: { theme: isDark ? "night" : "stripe" } });
    const defaultValues = { billingDetails: { email: email ?? "" } };
    const element = elements.create("payment", { defaultValues });
    element.on("loaderror", giveUp);
    onPay(async () => {
      const confirmParams = { return_url: new URL(order, location.href).href };
      const { error } = await stripe.confirmPayment({ elements, confirmParams, redirect: "if_required" });
      if (error) throw error;
      done();
    });
    element.mount("#fields");
  } else if (reply.order_id && window.Razorpay) {
    onPay(() => new Promise((resolve, reject) => {
      const checkout = new window.Razorpay({
        key: reply.key_id, order_id: reply.order_id, amount: reply.amount, currency: reply.currency, name: words.shop,
        prefill: { email: email ?? "" },
        handler: () => { resolve(); done(); },
        modal: { ondismiss: () => reject(new Error(words.unfinished)) },
      });
      checkout.on("payment.failed", (failed) => say(failed.error.description));
      checkout.open();
    }));
  } else {
    giveUp();
  }
}

try {
  begin();
} catch {
  giveUp();
}
// Another tab, or the phone's app of a bank, may have paid in the meantime.
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && leaveIfOver());
window.addEventListener("pageshow", (event) => event.persisted && leaveIfOver());
setInterval(() => document.visibilityState === "visible" && leaveIfOver(), 10_000);
