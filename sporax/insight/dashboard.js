"use strict";
(() => {
  const at = id => document.getElementById(id);
  const ORDER = ["loss", "eval_loss", "accuracy", "learning_rate", "gradient_norm", "samples_per_second"];
  const COLORS = 6, WIDTH = 420, HEIGHT = 220, LEFT = 70, RIGHT = 10, TOP = 10, BOTTOM = 40, POLL = 2000;
  const NOTE = "Curve: the layers from first to last at the last recorded step, faintly at the first one. Histograms: values upwards, " +
    "steps to the right, the stronger the colour, the more elements; numbers are of the last step.";
  const hidden = new Set();
  let text = at("runs").textContent, runs = JSON.parse(text);

  const make = (tag, attributes = {}, ...children) => {
    const svg = ["svg", "path", "line", "text", "rect"].includes(tag);
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const color = k => `var(--r${k % COLORS})`;
  const swatch = k => {
    const node = make("span", { class: "swatch" });
    node.style.background = color(k);
    return node;
  };
  const said = value => {
    if (typeof value !== "number") return String(value);
    if (value === 0 || Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
    const size = Math.abs(value);
    return size < 1e-3 || size >= 1e6 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  };
  const shown = () => runs.map((run, k) => [run, k]).filter(([run]) => !hidden.has(run.name));

  const ticks = (low, high) => {
    const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find(n => n * power >= raw) * power;
    const found = [];
    for (let i = Math.ceil(low / step); i * step <= high + step * 1e-6; i++) found.push(i * step);
    return found;
  };
  const powers = (low, high) => {
    const found = [], apart = Math.max(1, Math.ceil((high - low) / 5)), parts = high - low < 2 ? [1, 2, 5] : [1];
    for (let i = Math.floor(low); i <= high; i += apart)
      found.push(...parts.map(part => i + Math.log10(part)).filter(tick => tick >= low && tick <= high));
    return found.length > 1 ? found : [low, high];
  };
  const smoothed = (points, share) => {
    let mean = null;
    return points.map(([step, value]) => {
      if (typeof value !== "number") return [step, value];
      mean = mean === null ? value : share * mean + (1 - share) * value;
      return [step, mean];
    });
  };
  const spread = values => {
    let low = Infinity, high = -Infinity;
    for (const value of values) { if (value < low) low = value; if (value > high) high = value; }
    if (low === Infinity) return [0, 1];
    const room = (high - low) * 0.05 || Math.abs(low) * 0.1 || 1;
    return [low - room, high + room];
  };

  const validation = name => /^(?:eval|val|valid|validation|test)_(.+)/.exec(name)?.[1];
  const duration = seconds => seconds < 120 ? `${said(seconds)} s` : seconds < 7200 ? `${said(seconds / 60)} min` : `${said(seconds / 3600)} h`;
  // the second at which a step was recorded, or one between its neighbours
  function clock(run) {
    const times = run.times;
    return step => {
      let low = 0, high = times.length - 1;
      if (high < 0) return 0;
      while (high - low > 1) { const middle = (low + high) >> 1; times[middle][0] <= step ? low = middle : high = middle; }
      const [a, b] = [times[low], times[high]];
      if (step <= a[0] || a[0] === b[0]) return a[1];
      return step >= b[0] ? b[1] : a[1] + (b[1] - a[1]) * (step - a[0]) / (b[0] - a[0]);
    };
  }
  // `name`, and the curve of the same quantity in validation, dashed
  function chart(name, names) {
    const share = Number(at("smoothing").value), isTime = at("axis").value === "time";
    const both = [name, ...names.filter(other => validation(other) === name)];
    const curves = both.flatMap((of, i) => shown().filter(([run]) => run.curves[of]).map(([run, k]) => {
      const place = isTime ? clock(run) : step => step;
      const raw = run.curves[of].map(([step, value]) => [place(step), value, step]);
      return { k, raw, points: smoothed(raw, share), faint: share ? raw : null, dashed: i > 0, of };
    }));
    const title = name.replaceAll("_", " ");
    return plot(both.length > 1 ? `${title}, dashed: ${both.slice(1).join(", ").replaceAll("_", " ")}` : title,
                `${both.join(" and ")} over ${isTime ? "time" : "steps"}`, curves, at("logarithmic").checked,
                ([place, value, step], curve) => `${curve.dashed ? `${curve.of.replaceAll("_", " ")} ` : ""}${said(value)} at ${step}`,
                { x: isTime ? "seconds since the start" : "step", y: title });
  }
  const LEAST = ["loss", "error"];  // words in the names of curves of which the least value is the best
  function table() {
    if (runs.length < 2 && !runs.some(run => run.about.note || Object.keys(run.about.hyperparameters).length)) return at("table").replaceChildren();
    const keys = [...new Set(runs.flatMap(run => Object.keys(run.about.hyperparameters)))];
    const names = ORDER.concat([...new Set(runs.flatMap(run => Object.keys(run.curves)))].sort())
      .filter((name, i, all) => all.indexOf(name) === i && runs.some(run => run.curves[name]) && !["learning_rate", "samples_per_second"].includes(name)).slice(0, 8);
    const best = (name, points) => {
      const numbers = points.map(p => p[1]).filter(v => typeof v === "number");
      return numbers.length ? said((LEAST.some(word => name.includes(word)) ? Math.min : Math.max)(...numbers)) : "-";
    };
    const heads = ["run", "steps", "time", ...keys, ...names.map(name => `${name.replaceAll("_", " ")}, last (best)`), "note"];
    const rows = shown().map(([run, k]) => make("tr", {},
      make("th", { scope: "row" }, swatch(k), " ", run.name),
      ...[said(run.about.steps), duration(run.about.seconds), ...keys.map(key => said(run.about.hyperparameters[key] ?? "-")),
        ...names.map(name => run.curves[name] ? `${said(run.curves[name].at(-1)[1])} (${best(name, run.curves[name])})` : "-"),
        run.about.note].map(text => make("td", {}, text))));
    const grid = make("table", {}, make("thead", {}, make("tr", {}, ...heads.map(head => make("th", { scope: "col" }, head)))), make("tbody", {}, ...rows));
    at("table").replaceChildren(make("h2", {}, "Runs"), make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "table of runs" }, grid));
  }
  function flow(kind, key, names) {
    const places = new Map(names.map((name, i) => [name, i + 1]));
    const curves = shown().map(([run, k]) => {
      const of = pick => Object.entries(run.layers[kind]).map(([name, columns]) => [places.get(name), pick(columns)[1][key]]).sort((a, b) => a[0] - b[0]);
      return { k, raw: of(columns => columns[columns.length - 1]), faint: of(columns => columns[0]) };
    }).filter(curve => curve.raw.length);
    return plot(key === "norm" ? "norm by layer" : "standard deviation by layer", `${kind}: ${key} by layer`, curves, true,
                ([place, value]) => `${said(value)} in ${names[place - 1]}`, { x: "layer", y: key === "norm" ? "norm" : "standard deviation" });
  }
  // `curves`: raw and perhaps smoothed points, and others that are drawn faintly; `say`: words for a raw point
  function plot(title, label, curves, log, say, titles) {
    const drawable = value => typeof value === "number" && (!log || value > 0);
    const scaled = value => log ? Math.log10(value) : value;
    const all = curves.flatMap(curve => [...curve.raw, ...curve.faint || []].filter(p => drawable(p[1])));
    const [low, high] = spread(all.map(p => scaled(p[1])));
    let first = Infinity, last = -Infinity;
    for (const { raw } of curves) { first = Math.min(first, raw[0][0]); last = Math.max(last, raw[raw.length - 1][0]); }
    if (first === last) { first -= 1; last += 1; }
    const x = step => LEFT + (step - first) / (last - first) * (WIDTH - LEFT - RIGHT);
    const y = value => HEIGHT - BOTTOM - (scaled(value) - low) / (high - low) * (HEIGHT - TOP - BOTTOM);
    const line = points => {
      let d = "", pen = "M";
      for (const [step, value] of points) {
        if (!drawable(value)) { pen = "M"; continue; }
        d += `${pen}${x(step).toFixed(1)} ${y(value).toFixed(1)}`;
        if (pen === "M") d += "h0.01";
        pen = "L";
      }
      return d;
    };
    const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
    for (const tick of log ? powers(low, high) : ticks(low, high)) {
      const value = log ? 10 ** tick : tick, level = y(value).toFixed(1);
      svg.append(make("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: level, y2: level }),
                 make("text", { x: LEFT - 6, y: Number(level) + 4, "text-anchor": "end" }, said(Number(value.toPrecision(6)))));
    }
    for (const tick of ticks(first, last).filter(Number.isInteger))
      svg.append(make("text", { x: x(tick), y: HEIGHT - 24, "text-anchor": x(tick) > WIDTH - RIGHT - 24 ? "end" : "middle" }, said(tick)));
    svg.append(make("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, titles.x),
               make("text", { transform: `translate(12 ${(HEIGHT - BOTTOM + TOP) / 2}) rotate(-90)`, "text-anchor": "middle" }, titles.y));
    for (const curve of curves) {
      if (curve.faint) svg.append(make("path", { d: line(curve.faint), class: "faint", style: `stroke:${color(curve.k)}` }));
      svg.append(make("path", { d: line(curve.points || curve.raw), style: `stroke:${color(curve.k)}`, ...curve.dashed ? { "stroke-dasharray": "5 4" } : {} }));
    }
    const cursor = make("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
    svg.append(cursor);
    const values = make("div", { class: "values" });
    const tell = step => values.replaceChildren(...curves.map(curve => {
      const { k, raw } = curve;
      let point = raw[raw.length - 1];
      if (step !== null) for (const p of raw) if (Math.abs(p[0] - step) < Math.abs(point[0] - step)) point = p;
      const node = make("b", {}, say(point, curve));
      node.style.color = color(k);
      return node;
    }));
    svg.addEventListener("pointermove", event => {
      const box = svg.getBoundingClientRect();
      const place = Math.min(Math.max((event.clientX - box.left) / box.width * WIDTH, LEFT), WIDTH - RIGHT);
      cursor.setAttribute("x1", place); cursor.setAttribute("x2", place); cursor.setAttribute("visibility", "visible");
      tell(first + (place - LEFT) / (WIDTH - LEFT - RIGHT) * (last - first));
    });
    svg.addEventListener("pointerleave", () => { cursor.setAttribute("visibility", "hidden"); tell(null); });
    tell(null);
    const save = make("button", { type: "button", class: "save", title: `Save the chart of ${title} as a picture` }, "SVG");
    save.addEventListener("click", () => keep(svg, title));
    return make("figure", { class: "chart" }, make("figcaption", {}, title, save), svg, values);
  }

  // Save a chart with the colours of the page in it.
  function keep(svg, title) {
    const copy = svg.cloneNode(true), of = getComputedStyle(document.documentElement);
    const real = name => of.getPropertyValue(name).trim();
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("font-family", "sans-serif");
    copy.querySelector(".cursor").remove();
    copy.prepend(make("rect", { width: WIDTH, height: HEIGHT, fill: real("--page") || getComputedStyle(document.body).backgroundColor }));
    copy.querySelectorAll("text").forEach(node => { node.setAttribute("fill", real("--quiet")); node.setAttribute("font-size", 12); });
    copy.querySelectorAll(".grid").forEach(node => node.setAttribute("stroke", real("--line")));
    copy.querySelectorAll("path").forEach(node => {
      node.setAttribute("style", `fill:none;stroke-width:1.8;stroke:${node.getAttribute("style").replace(/.*var\((--r\d)\).*/, (_, name) => real(name))}`);
      if (node.classList.contains("faint")) node.setAttribute("opacity", 0.25);
    });
    const link = make("a", { href: URL.createObjectURL(new Blob([copy.outerHTML], { type: "image/svg+xml" })), download: `${title.replaceAll(/[^\w]+/g, "-")}.svg` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  const whenSeen = new WeakMap();  // canvas -> what paints it, when it comes near the window
  const seen = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      paint(target);
    }
  }, { rootMargin: "400px" });
  const paint = canvas => { whenSeen.get(canvas)?.(); whenSeen.delete(canvas); };
  window.addEventListener("beforeprint", () => document.querySelectorAll(".layer canvas").forEach(paint));
  function layer(name, columns, k, of) {
    const canvas = make("canvas", { width: 300, height: 96, role: "img", "aria-label": `histograms of ${name} over steps${of}` });
    const numbers = columns.map(c => c[1]);
    const low = Math.min(...numbers.map(s => Number(s.low))), high = Math.max(...numbers.map(s => Number(s.high)));
    whenSeen.set(canvas, () => {
      const paper = canvas.getContext("2d");
      paper.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--r${k % COLORS}`);
      const wide = canvas.width / columns.length, range = high - low || 1;
      columns.forEach(([, s], i) => {
        const most = Math.max(...s.counts, 1), each = (s.high - s.low) / s.counts.length;
        s.counts.forEach((count, j) => {
          if (!count) return;
          paper.globalAlpha = 0.12 + 0.88 * Math.sqrt(count / most);
          const top = (high - s.low - (j + 1) * each) / range * canvas.height;
          paper.fillRect(i * wide, Math.min(top, canvas.height - 2), Math.ceil(wide), Math.max(each / range * canvas.height, 1.5));
        });
      });
    });
    seen.observe(canvas);
    const [step, s] = columns[columns.length - 1];
    const words = `norm ${said(s.norm)}, mean ${said(s.mean)}, std ${said(s.std)}, zeros ${(100 * s.zeros).toFixed(0)}%` +
      (s.not_finite ? `, not finite ${(100 * s.not_finite).toFixed(1)}%` : "");
    return make("figure", { class: "layer" },
      make("figcaption", {}, ...of ? [swatch(k), " "] : [], name),
      make("div", { class: "ends" }, make("span", {}, `${said(low)} to ${said(high)}`), make("span", {}, `steps ${columns[0][0]}-${step}`)),
      canvas, make("div", { class: "quiet" }, words));
  }

  function section(id, title, note, nodes) {
    at(id).replaceChildren(...(nodes.length ? [make("h2", {}, title), make("p", { class: "quiet" }, note), ...nodes] : []));
  }
  function layers(kind, key, title) {
    const runs = shown().filter(([run]) => Object.keys(run.layers[kind]).length);
    const names = [...new Set(runs.flatMap(([run]) => Object.keys(run.layers[kind])))], several = runs.length > 1;
    const cards = names.flatMap(name => runs.map(([run, k]) => {
      const columns = run.layers[kind][name];
      return columns ? layer(name, columns, k, several ? ` in ${run.name}` : "") : make("div");
    }));
    const grid = make("div", several ? { class: "layers compared", tabindex: 0, role: "region", "aria-label": `${title}, a column for each run` } : { class: "layers" }, ...cards);
    grid.style.setProperty("--runs", runs.length);
    section(kind, title, NOTE, names.length ? [...names.length > 1 ? [make("div", { class: "charts" }, flow(kind, key, names))] : [], grid] : []);
  }

  function draw() {
    seen.disconnect();
    const focused = [...at("legend").children].indexOf(document.activeElement);
    at("legend").replaceChildren(...runs.map((run, k) => {
      const button = make("button", { type: "button", "aria-pressed": String(!hidden.has(run.name)) }, swatch(k), run.name);
      button.addEventListener("click", () => { hidden.has(run.name) ? hidden.delete(run.name) : hidden.add(run.name); draw(); });
      return button;
    }));
    if (focused >= 0) at("legend").children[focused]?.focus();
    drawCharts();
    layers("parameters", "norm", "Parameters");
    layers("gradients", "norm", "Gradients by layer");
    layers("activations", "std", "Activations by layer");
    section("images", "Images", "of the last recorded steps", shown().flatMap(([run, k]) => {
      const strips = Object.entries(run.images).flatMap(([name, steps]) => steps.flatMap(([step, urls]) => [
        make("div", { class: "quiet" }, `${name}, step ${step}`),
        make("div", { class: "strip" }, ...urls.map((url, i) => make("img", { src: url, alt: `${name} ${i + 1} of step ${step}` })))]));
      return strips.length ? [make("h3", {}, swatch(k), run.name), ...strips] : [];
    }));
  }
  function drawCharts() {
    const names = [...new Set(shown().flatMap(([run]) => Object.keys(run.curves)))];
    const rank = name => ORDER.includes(name) ? ORDER.indexOf(name) : 2.5;
    names.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
    const alone = names.filter(name => !names.includes(validation(name)));
    table();
    at("charts").replaceChildren(...alone.map(name => chart(name, names)));
  }
  draw();
  at("smoothing").addEventListener("input", drawCharts);
  at("logarithmic").addEventListener("change", drawCharts);
  at("axis").addEventListener("change", drawCharts);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });

  const status = at("status");
  const tellStatus = (words, isBad) => { status.textContent = words; status.classList.toggle("bad", isBad); };
  async function poll() {
    try {
      const answer = await fetch(`data${location.search}`);
      const found = await answer.text();
      if (!answer.ok) return tellStatus(found, true);
      if (found !== text) { text = found; runs = JSON.parse(found); draw(); }
      tellStatus("live", false);
    } catch { tellStatus("the server does not answer: its last data", true); }
    finally { setTimeout(poll, POLL); }
  }
  if (status.dataset.live !== undefined) poll();
})();
