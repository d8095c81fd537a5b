// Writes countries by their names in the page's language. Without it, the lists show the codes.
"use strict";
for (const list of document.querySelectorAll("select[data-countries]")) {
  const language = document.documentElement.lang;
  const names = new Intl.DisplayNames([language], { type: "region" });
  const options = [...list.options].filter((option) => option.value);
  for (const option of options) option.textContent = names.of(option.value);
  options.sort((one, other) => one.textContent.localeCompare(other.textContent, language));
  list.append(...options);
}
