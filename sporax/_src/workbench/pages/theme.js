"use strict";
(() => {
  const root = document.documentElement, button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const show = isDark => {
    root.dataset.theme = isDark ? "dark" : "light";
    button.textContent = isDark ? "Light" : "Dark";
  };
  let chosen = null;
  show(system.matches);
  system.addEventListener("change", () => { if (chosen === null) show(system.matches); });
  button.addEventListener("click", () => { chosen = root.dataset.theme !== "dark"; show(chosen); });
})();
