"use strict";
(() => {
  const byId = id => document.getElementById(id);
  const graph = byId("graph"), sheet = byId("sheet"), canvas = byId("canvas"), svg = byId("edges");
  const boxes = JSON.parse(byId("links").textContent);
  const NS = "http://www.w3.org/2000/svg", top = graph.querySelector(".rows");
  const part = id => byId("p" + id);
  let zoom = 1;
  const make = (name, attributes, text) => {
    const one = document.createElementNS(NS, name);
    for (const key in attributes) one.setAttribute(key, attributes[key]);
    if (text !== undefined) one.textContent = text;
    return one;
  };
  const isShown = one => !one.parentElement.closest("details:not([open])");

  // The place of an element in the graph at its actual size.
  const rect = one => {
    const r = one.getBoundingClientRect(), origin = canvas.getBoundingClientRect();
    return { x: (r.left - origin.left) / zoom, y: (r.top - origin.top) / zoom, w: r.width / zoom, h: r.height / zoom };
  };

  // The sheet has the size of the zoomed canvas, which a transform does not change.
  function resize() {
    for (const one of [sheet, canvas]) one.style.width = one.style.height = "";
    canvas.style.transform = canvas.style.minWidth = "";
    if (zoom === 1) return;
    const w = canvas.offsetWidth, h = canvas.offsetHeight;
    canvas.style.transform = `scale(${zoom})`;
    canvas.style.width = `${w}px`;
    canvas.style.minWidth = "0";
    sheet.style.width = `${w * zoom}px`;
    sheet.style.height = `${h * zoom}px`;
  }

  function draw() {
    resize();
    const out = document.createDocumentFragment();
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
    svg.setAttribute("width", canvas.offsetWidth);
    svg.setAttribute("height", canvas.offsetHeight);
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
  const click = (id, act) => byId(id).addEventListener("click", act);
  click("open", () => all(true));
  click("close", () => all(false));

  // Zoom; the point (x, y) of the window onto the graph, by default its middle, stays in place.
  function zoomTo(size, x = graph.clientWidth / 2, y = graph.clientHeight / 2) {
    const left = (graph.scrollLeft + x) / zoom, above = (graph.scrollTop + y) / zoom;
    zoom = Math.min(Math.max(size, 0.02), 4);
    if (Math.abs(zoom - 1) < 0.01) zoom = 1;
    draw();
    graph.scrollTo(left * zoom - x, above * zoom - y);
    byId("whole").textContent = `${Math.round(100 * zoom)}%`;
  }
  const STEP = 1.25;
  const fit = () => {
    zoomTo(1);
    zoomTo(Math.min(1, (graph.clientWidth - 16) / canvas.offsetWidth, (graph.clientHeight - 16) / canvas.offsetHeight));
  };
  click("smaller", () => zoomTo(zoom / STEP));
  click("larger", () => zoomTo(zoom * STEP));
  click("whole", () => zoomTo(1));
  click("fit", fit);
  graph.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const origin = graph.getBoundingClientRect();
    zoomTo(zoom * Math.exp(-event.deltaY / 300), event.clientX - origin.left, event.clientY - origin.top);
  }, { passive: false });
  graph.addEventListener("keydown", event => {
    const size = { "+": zoom * STEP, "=": zoom * STEP, "-": zoom / STEP, "0": 1 }[event.key];
    if (size === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    zoomTo(size);
  });

  // Move the graph with the mouse, between its boxes' titles.
  graph.addEventListener("pointerdown", event => {
    if (event.pointerType !== "mouse" || event.button !== 0 || event.target.closest("summary") || event.target === graph) return;
    const x = graph.scrollLeft + event.clientX, y = graph.scrollTop + event.clientY;
    const move = to => graph.scrollTo(x - to.clientX, y - to.clientY);
    const end = () => {
      graph.classList.remove("moving");
      window.removeEventListener("pointermove", move);
    };
    graph.classList.add("moving");
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end, { once: true });
  });

  // A picture of what is shown, with the page's colours and fonts.
  function picture() {
    const w = canvas.offsetWidth, h = canvas.offsetHeight, of = getComputedStyle;
    const out = make("svg", { xmlns: NS, width: w, height: h, viewBox: `0 0 ${w} ${h}` });
    const frame = (one, style, radius) => {
      const r = rect(one);
      out.append(make("rect", { x: r.x, y: r.y, width: r.w, height: r.h, rx: radius, fill: style.backgroundColor, stroke: radius ? style.borderTopColor : "none" }));
    };
    out.append(make("rect", { width: w, height: h, fill: of(document.body).backgroundColor }));
    for (const one of canvas.querySelectorAll(".part, .box")) {
      if (!isShown(one)) continue;
      frame(one, of(one), 6);
      const head = one.matches(".box") ? one.firstElementChild : one;
      if (head !== one && one.matches(".back")) frame(head, of(head), 0);
      for (const words of head.querySelectorAll(":scope > .label, :scope > .note")) {
        const r = rect(words), style = of(words);
        if (!r.w) continue;
        out.append(make("text", {
          x: r.x, y: r.y + 0.76 * r.h, textLength: r.w, lengthAdjust: "spacingAndGlyphs", fill: style.color,
          "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight,
        }, words.textContent));
      }
    }
    for (const one of svg.children) {
      const copy = one.cloneNode(true), style = of(one);
      copy.removeAttribute("class");
      copy.setAttribute("fill", style.fill);
      if (one.tagName === "path") copy.setAttribute("stroke", style.stroke);
      else for (const name of ["font-family", "font-size"]) copy.setAttribute(name, style.getPropertyValue(name));
      out.append(copy);
    }
    return new XMLSerializer().serializeToString(out);
  }
  const keep = (blob, kind) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${document.title.replaceAll(/[^\w]+/g, "-")}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  click("svg", () => keep(new Blob([picture()], { type: "image/svg+xml" }), "svg"));
  click("png", () => {
    const image = new Image(), paper = document.createElement("canvas");
    image.addEventListener("load", () => {  // twice the size, within what browsers can paint
      const most = Math.min(2, 16000 / Math.max(image.width, image.height), Math.sqrt(1e8 / (image.width * image.height)));
      paper.width = image.width * most;
      paper.height = image.height * most;
      paper.getContext("2d").drawImage(image, 0, 0, paper.width, paper.height);
      paper.toBlob(blob => keep(blob, "png"), "image/png");
    });
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture())}`;
  });

  const search = byId("search"), found = byId("found");
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
