// Collects a payment with the provider's script, then shows the order.
"use strict";
const { reply, order, email } = JSON.parse(document.getElementById("start").textContent);
const form = document.getElementById("form");
const button = document.getElementById("pay");
const say = (text) => { document.getElementById("message").textContent = text; };
const done = () => { location.href = order; };

function onPay(pay) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    say("One moment…");
    try {
      await pay();
    } catch (error) {
      say(error.message || "That did not work. Please try again.");
      button.disabled = false;
    }
  });
}

if (reply.client_secret && window.Stripe) {
  const stripe = window.Stripe(reply.publishable_key);
  const elements = stripe.elements({ clientSecret: reply.client_secret });
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
      key: reply.key_id, order_id: reply.order_id, amount: reply.amount, currency: reply.currency, name: "Example shop",
      prefill: { email: email ?? "" },
      handler: () => { resolve(); done(); },
      modal: { ondismiss: () => reject(new Error("The payment was not finished.")) },
    });
    checkout.on("payment.failed", (failed) => say(failed.error.description));
    checkout.open();
  }));
} else {
  say("The payment provider cannot be reached. Please go back and try again in a moment.");
}
