"use strict";
(() => {
  const graph = document.getElementById("graph"), svg = document.getElementById("edges");
  const boxes = JSON.parse(document.getElementById("links").textContent);
  const NS = "http://www.w3.org/2000/svg", top = graph.querySelector(".rows");
  const part = id => document.getElementById("p" + id);
  const make = (name, attributes, text) => {
    const one = document.createElementNS(NS, name);
    for (const key in attributes) one.setAttribute(key, attributes[key]);
    if (text !== undefined) one.textContent = text;
    return one;
  };
  const isShown = one => !one.parentElement.closest("details:not([open])");

  function draw() {
    const origin = graph.getBoundingClientRect(), out = document.createDocumentFragment();
    const dx = graph.scrollLeft - origin.left - graph.clientLeft;
    const dy = graph.scrollTop - origin.top - graph.clientTop;
    const rect = one => {
      const r = one.getBoundingClientRect();
      return { x: r.left + dx, y: r.top + dy, w: r.width, h: r.height };
    };
    const line = d => out.append(make("path", { d }));
    const text = (x, y, words, anchor) => {
      if (words) out.append(make("text", { x, y, "text-anchor": anchor || "start" }, words));
    };
    for (const [id, links] of boxes) {
      const box = part(id), holder = box ? box.querySelector(":scope > .rows") : top;
      if (box && !(box.open && isShown(box))) continue;
      const frame = rect(holder), bottom = frame.y + frame.h, arriving = new Map();
      for (const link of links) {
        if (link[1] === null) continue;
        if (!arriving.has(link[1])) arriving.set(link[1], []);
        arriving.get(link[1]).push(link);
      }
      for (const [from, to, lane, shapes] of links) {
        const source = from === null ? null : part(from), target = to === null ? null : part(to);
        const a = source && rect(source), b = target && rect(target);
        const side = frame.x + frame.w - 8 - lane * 12;
        let x1 = a ? a.x + a.w / 2 : side, y1 = a ? a.y + a.h : frame.y, x2, y2;
        if (b) {  // arrows into one part share its upper side
          const others = arriving.get(to), place = others.findIndex(o => o[0] === from && o[2] === lane);
          x2 = b.x + b.w * (place + 1) / (others.length + 1);
          y2 = b.y;
          if (!a && lane < 0) x1 = x2;
        } else {
          x2 = lane < 0 ? x1 : side;
          y2 = bottom;
        }
        if (lane < 0) {
          const bend = Math.min(16, Math.abs(y2 - y1) / 2);
          line(`M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`);
          if (b) {
            const near = arriving.get(to).filter(o => o[2] < 0);
            const names = [...new Set(near.map(o => o[3]))], more = names.length - 1;
            if (near[near.length - 1][0] === from)
              text(x2 + 7, y2 - 13, names[0] + (more > 0 ? `, +${more}` : ""));
          }
        } else {
          let way = `M${x1} ${y1}`;
          if (source) {
            const row = rect(source.parentElement);
            way += `V${row.y + row.h + 6}H${side}`;
          }
          if (target) {
            const above = rect(target.parentElement).y - 8;
            way += `V${above}H${x2}V${y2}`;
            text(side - 4, above - 3, shapes, "end");
          } else {
            way += `V${bottom}`;
          }
          line(way);
        }
        if (b) out.append(make("path", { class: "tip", d: `M${x2} ${y2}l-4 -7h8z` }));
      }
    }
    svg.replaceChildren(out);
    svg.setAttribute("width", top.offsetLeft + top.offsetWidth);
    svg.setAttribute("height", top.offsetTop + top.offsetHeight);
  }
  let waiting = false;
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
  graph.addEventListener("toggle", redraw, true);
  window.addEventListener("resize", redraw);
  const all = is_open => { for (const box of graph.querySelectorAll("details")) box.open = is_open; };
  document.getElementById("open").addEventListener("click", () => all(true));
  document.getElementById("close").addEventListener("click", () => all(false));
  const search = document.getElementById("search"), found = document.getElementById("found");
  let matches = [], at = 0;
  const show = () => {
    found.textContent = search.value.trim() === "" ? "" : matches.length ? `${at + 1} of ${matches.length}` : "none";
    if (matches.length) matches[at].scrollIntoView({ block: "center", inline: "center" });
  };
  search.addEventListener("input", () => {
    const words = search.value.trim().toLowerCase();
    matches = [];
    at = 0;
    for (const one of graph.querySelectorAll(".part, .box")) {
      const head = one.matches("details") ? one.firstElementChild : one;
      const text = (head.textContent + " " + (head.title || "")).toLowerCase();
      const is_match = words !== "" && text.includes(words);
      one.classList.toggle("match", is_match);
      if (!is_match) continue;
      matches.push(one);
      for (let up = one.parentElement.closest("details"); up; up = up.parentElement.closest("details")) up.open = true;
    }
    show();
    redraw();
  });
  search.addEventListener("keydown", event => {
    if (event.key !== "Enter" || !matches.length) return;
    at = (at + (event.shiftKey ? matches.length - 1 : 1)) % matches.length;
    show();
  });
  draw();
})();
