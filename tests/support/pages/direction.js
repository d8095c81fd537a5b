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

/** The names that are not shown as they are alone, read from left to right, wherever they stand: each character is compared with where it is in
 * an element with the name's own direction. A name that breaks is compared line by line. */
function shown(names) {
  const faults = [];
  const rtl = /[\u0590-\u08ff\u200f]/, strong = /[\p{L}\u200e\u200f]/u;
  const boxes = (node, start, end) => Array.from({ length: end - start }, (_, at) => {
    const range = document.createRange();
    range.setStart(node, start + at);
    range.setEnd(node, start + at + 1);
    return range.getClientRects()[0];
  });
  const lefts = (boxes) => {
    const seen = boxes.map((box) => box && box.width > 0 ? box.left : undefined);
    const first = Math.min(...seen.filter((left) => left !== undefined));
    return seen.map((left) => left === undefined ? undefined : left - first);
  };
  const alone = (text, direction, parent) => {
    const box = document.createElement("div");
    box.style.cssText = `position:absolute;top:0;left:0;white-space:pre;text-align:left;direction:${direction};unicode-bidi:isolate`;
    box.textContent = text;
    parent.append(box);
    const found = lefts(boxes(box.firstChild, 0, text.length));
    box.remove();
    return found;
  };
  const nodes = [];
  for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode();) {
    const within = walker.currentNode.parentElement;
    if (within.checkVisibility() && !within.closest("script, style, noscript, .hidden")) nodes.push(walker.currentNode);
  }
  for (const node of nodes) {
    for (const name of names) {
      for (let start = node.data.indexOf(name); start >= 0; start = node.data.indexOf(name, start + name.length)) {
        const direction = rtl.test(name.match(strong)?.[0] ?? "") ? "rtl" : "ltr";
        const all = boxes(node, start, start + name.length);
        // The characters of each line, without the space at which it breaks.
        for (let from = 0; from < all.length;) {
          let to = from + 1;
          while (to < all.length && (!all[to] || !all[from] || Math.abs(all[to].top - all[from].top) < all[from].height / 2)) to += 1;
          const piece = name.slice(from, to).trimEnd();
          const here = lefts(all.slice(from, from + piece.length)), right = alone(piece, direction, node.parentElement);
          if (here.some((left, at) => left !== undefined && right[at] !== undefined && Math.abs(left - right[at]) > 1)) {
            faults.push(`"${piece}" in "${node.parentElement.textContent.trim().replace(/\s+/g, " ").slice(0, 120)}"`);
          }
          from = to;
        }
      }
    }
  }
  return faults;
}

module.exports = { isolated, ordered, shown };
