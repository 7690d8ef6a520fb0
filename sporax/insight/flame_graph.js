"use strict";
for (const section of document.querySelectorAll(".flame-graph")) {
  const flame = section.querySelector(".flame"), search = section.querySelector("input");
  const frames = [...flame.querySelectorAll(".frame")];
  const whole = () => { for (const one of flame.querySelectorAll(".hidden")) one.classList.remove("hidden"); };
  flame.addEventListener("click", event => {
    const label = event.target.closest("button");
    if (!label) return;
    whole();
    for (let one = label.parentElement; one.parentElement !== flame; one = one.parentElement.parentElement) {
      for (const other of one.parentElement.children) if (other !== one) other.classList.add("hidden");
    }
  });
  section.querySelector(".reset").addEventListener("click", whole);
  search.addEventListener("input", () => {
    const words = search.value.trim().toLowerCase();
    for (const frame of frames) {
      const label = frame.firstElementChild;
      label.classList.toggle("match", words !== "" && label.title.toLowerCase().includes(words));
    }
  });
}
