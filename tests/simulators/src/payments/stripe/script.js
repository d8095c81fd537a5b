"use strict";
(() => {
  const origin = new URL(document.currentScript.src).origin;
  window.Stripe = () => ({
    elements: ({ clientSecret }) => ({
      clientSecret,
      create: (kind, { defaultValues } = {}) => {
        window.Stripe.shown = defaultValues;
        let changed = () => {};
        return {
          on(event, listener) { if (event === "change") changed = listener; },
          mount(place) {
            document.querySelector(place).innerHTML =
              '<label>Card number <input id="card" inputmode="numeric" autocomplete="cc-number"></label>';
            document.getElementById("card").onchange = () => changed({ value: { type: "card" } });
          },
        };
      },
    }),
    async confirmPayment({ elements, confirmParams }) {
      window.Stripe.confirmed = confirmParams;
      const declined = document.getElementById("card").value.replace(/ /g, "") === "4000000000000002";
      const reference = elements.clientSecret.split("_secret")[0];
      const answer = await fetch(`${origin}/_browser/${reference}/${declined ? "fail" : "pay"}`, { method: "POST" });
      if (declined) return { error: { message: "Your card was declined." } };
      if (!answer.ok) return { error: { message: "The payment cannot be confirmed." } };
      return { paymentIntent: { status: "succeeded" } };
    },
  });
})();
