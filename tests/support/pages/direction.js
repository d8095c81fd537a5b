// Run in a page that is read from right to left: whether names that are not stay whole, and amounts in their order.
"use strict";

/** The names and addresses that stand in a line of Arabic without an element, a style or a mark that isolates them. */
function isolated(names) {
  const faults = [];
  const style = (one) => getComputedStyle(one);
  for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode();) {
    const { currentNode: node } = walker;
    let within = node.parentElement;
    if (!within.checkVisibility() || within.closest("script, style, noscript")) continue;
    // What is between marks of isolation is.
    const text = node.data.replace(/[\u2066-\u2068][^\u2069]*\u2069/g, "");
    const found = [...names.filter((name) => text.includes(name)), ...(text.match(/\S+@\S+\.\w+/g) ?? [])];
    while (style(within).display === "inline" && style(within).unicodeBidi === "normal") within = within.parentElement;
    // A block isolates as well, but not what is in it from the rest of its line.
    const isWhole = style(within).display === "inline" || style(within).unicodeBidi === "plaintext" || !/[\u0600-\u06ff]/.test(within.textContent);
    if (found.length > 0 && !isWhole) faults.push(`${found[0]} in "${within.textContent.trim().replace(/\s+/g, " ")}"`);
  }
  return faults;
}

/** The amounts whose number or whose sign of a currency is not in the order in which it is written, such as `$US` for `US$`. */
function ordered() {
  const faults = [];
  const sign = "(?:US\\$|R\\$|RM|kr|[$€£₹])", number = "\\d[\\d.,]*";
  const amount = new RegExp(`(${sign})[\\s\u00a0\u200e\u200f]*(${number})|(${number})[\\s\u00a0\u200e\u200f]*(${sign})`, "dg");
  const lefts = (node, [start, end]) => Array.from({ length: end - start }, (_, at) => {
    const range = document.createRange();
    range.setStart(node, start + at);
    range.setEnd(node, start + at + 1);
    return range.getClientRects()[0]?.left;
  });
  for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode();) {
    const { currentNode: node } = walker;
    if (!node.parentElement.checkVisibility() || node.parentElement.closest("script, style, noscript, .hidden")) continue;
    for (const { 0: text, indices } of node.data.matchAll(amount)) {
      const isOrdered = (part) => lefts(node, part).every((left, at, all) => at === 0 || left === undefined || left >= all[at - 1]);
      if (!indices.slice(1).filter(Boolean).every(isOrdered)) faults.push(`${text} in "${node.parentElement.textContent.trim()}"`);
    }
  }
  return faults;
}

module.exports = { isolated, ordered };
