"use strict";
// What is wider than the page can be scrolled by keys, too.
addEventListener("load", () => {
  for (const wide of document.querySelectorAll("pre, .table-wrapper"))
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
});
// Screen readers tell the two side bars apart.
addEventListener("DOMContentLoaded", () => {
  const labels = { "sidebar-drawer": "Pages", "toc-drawer": "On this page" };
  for (const [name, label] of Object.entries(labels))
    document.querySelector(`aside.${name}`)?.setAttribute("aria-label", label);
});

// A field above each long table hides the rows that lack one of its words. Its first text is the
// parameter `filter` of the address: differences/dtypes.html?filter=float8.
const LONG = 20; // rows

addEventListener("DOMContentLoaded", () => {
  const isChinese = document.documentElement.lang.startsWith("zh");
  const initial = new URLSearchParams(location.search).get("filter") ?? "";
  for (const table of document.querySelectorAll("article table")) {
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
    if (rows.length >= LONG) addFilter(table, rows, initial, isChinese);
  }
});

function addFilter(table, rows, initial, isChinese) {
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const line = document.createElement("div");
  const label = line.appendChild(document.createElement("label"));
  const field = document.createElement("input");
  const shown = line.appendChild(document.createElement("output"));
  line.className = "table-filter";
  label.append(isChinese ? "筛选" : "Filter", field);
  field.type = "search";
  field.autocomplete = "off";
  field.value = initial;
  shown.setAttribute("aria-live", "polite");

  function apply() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = texts.map((text) => words.every((word) => text.includes(word)));
    const count = fits.filter(Boolean).length;
    rows.forEach((row, i) => (row.hidden = !fits[i]));
    shown.textContent = isChinese ? `${rows.length} 行中的 ${count} 行` : `${count} of ${rows.length} rows`;
  }

  field.addEventListener("input", apply);
  apply();
  (table.closest(".table-wrapper") ?? table).before(line);
}
