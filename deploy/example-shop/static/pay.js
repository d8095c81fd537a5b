// Collects a payment with the provider's script, then shows the order.
"use strict";
const { reply, order, email } = JSON.parse(document.getElementById("start").textContent);
const form = document.getElementById("form");
const words = form.dataset;
const button = document.getElementById("pay");
const say = (text) => { document.getElementById("message").textContent = text; };
const done = () => { location.href = order; };

function onPay(pay) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    say(words.wait);
    try {
      await pay();
    } catch (error) {
      say(error.message || words.failed);
      button.disabled = false;
    }
  });
}

if (reply.client_secret && window.Stripe) {
  const stripe = window.Stripe(reply.publishable_key);
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  // The provider's fields are a frame on this page, so they are dark with it.
  const elements = stripe.elements({ clientSecret: reply.client_secret, appearance: { theme: isDark ? "night" : "stripe" } });
  const defaultValues = { billingDetails: { email: email ?? "" } };
  elements.create("payment", { defaultValues }).mount("#fields");
  onPay(async () => {
    const confirmParams = { return_url: new URL(order, location.href).href };
    const { error } = await stripe.confirmPayment({ elements, confirmParams, redirect: "if_required" });
    if (error) throw error;
    done();
  });
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
  say(words.unavailable);
}
