"use strict";
(() => {
  const origin = new URL(document.currentScript.src).origin;
  window.Razorpay = class {
    constructor(options) { this.options = options; this.listeners = {}; }
    on(event, listener) { this.listeners[event] = listener; }
    open() {
      const box = document.createElement("dialog");
      // The real script lays its frame out with a style element as well.
      box.innerHTML = '<style>dialog { border-width: 7px; border-style: solid; border-color: #3395ff; border-radius: 12px; padding: 1.5rem; min-width: min(20rem, 80vw); } dialog::backdrop { background: #0009; } dialog p { margin: 0 0 1rem; font-weight: 600; } #rzp-pay, #rzp-fail { width: auto; }</style><p>Razorpay Checkout</p><button id="rzp-pay">Pay</button> <button id="rzp-fail">Fail</button>';
      document.body.append(box);
      box.showModal();
      const act = async (what) => {
        const answer = await fetch(`${origin}/_browser/${this.options.order_id}/${what}`, { method: "POST" });
        if (what === "fail") return this.listeners["payment.failed"]?.({ error: { description: "Payment failed." } });
        box.remove();
        if (answer.ok) this.options.handler({ razorpay_order_id: this.options.order_id });
      };
      box.querySelector("#rzp-pay").onclick = () => act("pay");
      box.querySelector("#rzp-fail").onclick = () => act("fail");
    }
  };
})();
