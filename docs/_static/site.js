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
