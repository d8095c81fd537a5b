"use strict";
(() => {
  const origin = new URL(document.currentScript.src).origin;
  window.Stripe = () => ({
    elements: ({ clientSecret }) => ({
      clientSecret,
      create: () => ({
        mount(place) {
          document.querySelector(place).innerHTML =
            '<label>Card number <input id="card" inputmode="numeric" autocomplete="cc-number"></label>';
        },
      }),
    }),
    async confirmPayment({ elements }) {
      const declined = document.getElementById("card").value.replace(/ /g, "") === "4000000000000002";
      const reference = elements.clientSecret.split("_secret")[0];
      const answer = await fetch(`${origin}/_browser/${reference}/${declined ? "fail" : "pay"}`, { method: "POST" });
      if (declined) return { error: { message: "Your card was declined." } };
      if (!answer.ok) return { error: { message: "The payment cannot be confirmed." } };
      return { paymentIntent: { status: "succeeded" } };
    },
  });
})();
