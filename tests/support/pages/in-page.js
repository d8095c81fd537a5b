// What webkit.js runs in pages to find elements and to change fields. A function is sent as text, without what is around it.
"use strict";

/** A text or a pattern as it can be sent to a page. */
const plain = (text, exact = false) => text instanceof RegExp ? { source: text.source, flags: text.flags } : { text: String(text), exact };

const matches = (given, { source, flags, text, exact }) => {
  const shown = given.replace(/[\u200b\u00ad]/g, "").replace(/\s+/g, " ").trim();
  if (source !== undefined) return new RegExp(source, flags).test(shown);
  const wanted = text.replace(/\s+/g, " ").trim();
  return exact ? shown === wanted : shown.toLowerCase().includes(wanted.toLowerCase());
};

const isShown = (one) => one.checkVisibility({ checkVisibilityCSS: true }) && one.getClientRects().length > 0;

/** The elements inside others that one step of a locator finds; of a role with a name, each with its text. */
function find(step, ...given) {
  const roots = given.length > 0 ? given : [document];
  const ROLES = {
    button: "button, input[type=button], input[type=submit], input[type=reset]", link: "a[href]", heading: "h1, h2, h3, h4, h5, h6", img: "img, svg[role=img]",
    textbox: "input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=url], textarea", searchbox: "input[type=search]",
    checkbox: "input[type=checkbox]", radio: "input[type=radio]", combobox: "select", spinbutton: "input[type=number]", status: "output", row: "tr", table: "table",
    cell: "td", list: "ul, ol", listitem: "li", dialog: "dialog", navigation: "nav", main: "main", contentinfo: "footer", banner: "header", group: "fieldset, details",
    columnheader: "th[scope=col]", rowheader: "th[scope=row]", region: "section[aria-label], section[aria-labelledby]", alert: "[role=alert]", search: "search", article: "article",
  };
  if (step.nth !== undefined) return given.slice(step.nth).slice(0, 1);
  if (step.hasText) return given.filter((one) => matches(one.textContent, step.hasText));
  const within = (css) => {
    const all = new Set(roots.flatMap((root) => [...root.querySelectorAll(css)]));
    return [...all].sort((one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
  };
  if (step.css) return within(step.css);
  if (step.text) {
    const all = [...given, ...within("body, body *")].filter((one) => !["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE"].includes(one.tagName) && matches(one.textContent, step.text));
    return all.filter((one) => !all.some((other) => other !== one && one.contains(other)));
  }
  if (step.label) {
    const named = (one) => {
      const ids = one.getAttribute("aria-labelledby")?.split(" ").map((id) => document.getElementById(id)?.textContent) ?? [];
      return [one.getAttribute("aria-label"), ids.join(" "), ...[...one.labels ?? []].map((label) => label.textContent)].filter(Boolean);
    };
    return within("input, select, textarea, button, output, [aria-label], [aria-labelledby]").filter((one) => named(one).some((text) => matches(text, step.label)));
  }
  if (!ROLES[step.role]) throw new Error(`the role ${step.role} is missing in in-page.js`);
  const hasRole = (one) => one.getAttribute("role") ? one.getAttribute("role") === step.role : one.matches(ROLES[step.role]);
  const level = (one) => step.level === undefined || one.tagName === `H${step.level}`;
  const all = within(`${ROLES[step.role]}, [role=${step.role}]`).filter((one) => hasRole(one) && level(one) && isShown(one) && !one.closest("[aria-hidden=true]"))
    .filter((one) => step.disabled === undefined || one.matches(":disabled") === step.disabled);
  return step.name ? all.map((element) => ({ element, text: element.textContent })) : all;
}

/** Sets a field as if it had been typed. */
function fill(field, text) {
  if (field.matches(":disabled") || field.readOnly) throw new Error("the field takes no text");
  field.focus();
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value");
  set.call(field, text);
  for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
}

function select(list, { value, label }) {
  const option = [...list.options].find((one) => value === undefined ? one.label === label : one.value === value || one.label === value);
  if (!option) throw new Error(`no option ${value ?? label}`);
  option.selected = true;
  for (const type of ["input", "change"]) list.dispatchEvent(new Event(type, { bubbles: true }));
}

/** Takes what the page has complained of since it was last asked. It listens from the first time on. */
function complaints() {
  if (!window.takeComplaints) {
    const heard = [];
    addEventListener("error", ({ message }) => heard.push(message));
    addEventListener("unhandledrejection", ({ reason }) => heard.push(String(reason)));
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => heard.push(`${effectiveDirective} blocks ${blockedURI}`));
    window.takeComplaints = () => heard.splice(0);
  }
  return window.takeComplaints;
}

/** A function together with those that it calls. */
const whole = new Function("...given", `const matches = ${matches}, isShown = ${isShown}; return (${find})(...given);`);
module.exports = { plain, matches, isShown, find: whole, fill, select, complaints };
