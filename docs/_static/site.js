"use strict";
// What is wider than the page can be scrolled by keys, too.
addEventListener("load", () => {
  for (const wide of document.querySelectorAll("pre, .table-wrapper"))
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
});
