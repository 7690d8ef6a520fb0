"use strict";
// The search page: looks through `SEARCH_INDEX`, which tools/index_site.py writes. An entry is one
// public name, or the part of a page below one heading: [page, anchor, title, text].

const SHOWN = 40;
const HAN = /\p{Script=Han}/u;
const ENDING = /(?:([bdgmnprt])\1)?(?:ing|ed|es|s)$/; // "clipping" is "clip"

// Where the parts are that are searched first: guides to the use, and the language of the query.
function weight(path, isChinese) {
  const guide = /error_index|decisions|coverage|conformance|differences/.test(path) ? 0.6 : /^api|how_it_works/.test(path) ? 1 : 1.5;
  return /^(?:zh|docs\/zh\/)/.test(path) ? guide * (isChinese ? 1.5 : 0.5) : guide;
}

// What else the pages say for a word; those in English for a Chinese one.
const SYNONYMS = {
  custom: ["own", "custom"], clipping: ["clip_by_", "clipping"],
  反向传播: ["反向", "求导", "value_and_grad"], 自动微分: ["求导", "value_and_grad"], 微分: ["derivative"],
  求导: ["derivative"], 梯度裁剪: ["clip_by_"], 梯度: ["gradient"], 静态图: ["jit"], 动态图: ["dynamic"],
  计算图: ["graph"], 检查点: ["checkpoint"], 保存: ["save_checkpoint"], 加载: ["load_checkpoint"],
  混合精度: ["amp", "mixed precision"], 学习率: ["learning rate", "lr_scheduler"], 优化器: ["optimizer"],
  损失函数: ["loss"], 卷积: ["convolution", "conv2d"], 池化: ["pool"], 归一化: ["norm"], 激活函数: ["activation"],
  张量: ["tensor"], 算子: ["operation"], 初始化: ["initializer"], 数据集: ["dataset"], 分布式: ["ranks"],
  并行: ["parallel"], 编译: ["compile"], 缓存: ["cache"], 调试: ["出了问题", "debug"], 性能: ["performance"],
  随机数: ["seed"], 导出: ["export"], 迁移: ["coming from"], 量化: ["quant"], 循环神经网络: ["lstm"],
  报错: ["error"], 显存: ["memory"], 内存: ["memory"], 注意力: ["attention"], 回调: ["callback"],
};

// The words of a query, each as the spellings that it may have: without English endings, of which
// words of the pages are longer forms; of Chinese, which has no spaces, a run of characters where
// it is in the table or occurs, else each of its pairs.
function wordsOf(query, entries) {
  const words = [];
  const plain = query.toLowerCase().replace(/\b(?:mindspore|sporax|ms)\./g, "");
  for (const run of plain.match(/\p{Script=Han}+|[\p{L}\p{N}_](?:(?!\p{Script=Han})[\p{L}\p{N}_.])*/gu) ?? []) {
    if (run.length === 1 && plain.length > 1) continue;
    if (!HAN.test(run)) words.push(SYNONYMS[run] ?? [run.length > 5 ? run.replace(ENDING, "$1") : run]);
    else if (run.length < 3 || run in SYNONYMS || entries.some((e) => e.all.includes(run)))
      words.push([run, ...(SYNONYMS[run] ?? [])]);
    else {
      const known = Object.keys(SYNONYMS).filter((word) => run.includes(word));
      for (const word of known) words.push([word, ...SYNONYMS[word]]);
      if (!known.length) for (let i = 0; i + 1 < run.length; i++) words.push([run.slice(i, i + 2)]);
    }
  }
  return words;
}

// How often a word is in a text; a short one where a word begins ("amp" is not in "sample").
function count(text, word) {
  let n = 0;
  for (let i = text.indexOf(word); i >= 0; i = text.indexOf(word, i + word.length))
    if (word.length > 5 || HAN.test(word) || !/[a-z0-9]/.test(text[i - 1] ?? " ")) n++;
  return n;
}

// An entry of one public name that the query is, or whose words it has.
function isNamed(entry, words) {
  if (!entry.path.startsWith("api/") || !entry.anchor.startsWith("mindspore.")) return false;
  const parts = entry.name.split("_");
  return words.length === 1 ? words[0][0] === entry.name : words.every((spellings) => spellings.some((word) => parts.includes(word)));
}

// How well one spelling fits one entry: in its title more than in its text, whole more than in part.
function fit(entry, word) {
  const times = count(entry.text, word);
  let score = times / (times + 1 + entry.text.length / 2000);
  if (entry.name === word || entry.title === word) score += 4;
  else if (entry.titleWords.has(word) || entry.titleWords.has(`${word}s`)) score += 3;
  else if (count(entry.title, word)) score += 1.5;
  if (count(entry.pageTitle, word)) score += 1;
  return score;
}

function find(query) {
  const entries = SEARCH_INDEX.entries.map(([page, anchor, title, text]) => {
    const [path, pageTitle] = SEARCH_INDEX.pages[page];
    const lower = [title, pageTitle, text].map((t) => t.toLowerCase());
    return {
      path, anchor, shown: [title, pageTitle, text], all: lower.join("\n"),
      titleWords: new Set(lower[0].split(/[^\p{L}\p{N}]+/u)), title: lower[0], pageTitle: lower[1], text: lower[2], name: lower[0].split(".").pop().trim(),
    };
  });
  const words = wordsOf(query, entries);
  const phrase = query.toLowerCase().trim();
  const rare = words.map((spellings) => {
    const having = entries.filter((e) => spellings.some((word) => e.all.includes(word))).length;
    return having ? Math.log(1 + entries.length / having) : 0;
  });
  const found = [];
  for (const entry of entries) {
    const fits = words.map((spellings) => Math.max(...spellings.map((word) => fit(entry, word))));
    const share = fits.filter((f) => f > 0).length / words.length;
    let score = share ** 2 * fits.reduce((sum, f, i) => sum + f * rare[i], 0);
    if (words.length > 1 && entry.all.includes(phrase)) score *= 2;
    score *= weight(entry.path, HAN.test(query));
    if (isNamed(entry, words)) score *= 2;
    if (score > 0) found.push({ ...entry, score });
  }
  return { words: words.flat(), found: found.sort((a, b) => b.score - a.score) };
}

// The text around the first word that it has, in which all words are marked.
function excerpt(text, words) {
  const lower = text.toLowerCase();
  const at = Math.max(0, Math.min(...words.map((w) => lower.indexOf(w)).filter((i) => i >= 0), text.length) - 60);
  const start = at < text.length - 60 ? at : 0;
  const line = document.createElement("p");
  const part = (start ? "… " : "") + text.slice(start, start + 220) + (start + 220 < text.length ? " …" : "");
  const pattern = new RegExp(`(${words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
  part.split(pattern).forEach((piece, i) => {
    if (i % 2) line.appendChild(document.createElement("mark")).textContent = piece;
    else line.append(piece);
  });
  return line;
}

function show(query) {
  const { words, found } = find(query);
  const list = document.getElementById("search-results");
  for (const { path, anchor, shown: [title, pageTitle, text] } of found.slice(0, SHOWN)) {
    const item = list.appendChild(document.createElement("li"));
    const link = item.appendChild(document.createElement("a"));
    link.href = path + (anchor ? `#${anchor}` : "");
    link.textContent = title;
    if (title !== pageTitle) item.append(` – ${pageTitle}`);
    item.appendChild(excerpt(text, words));
  }
  const more = found.length > SHOWN;
  document.getElementById("search-status").textContent = HAN.test(query)
    ? (more ? `共 ${found.length} 处，先列出最相关的 ${SHOWN} 处` : `共 ${found.length} 处`)
    : `${found.length} results${more ? `, the best ${SHOWN} of them:` : ""}`;
}

const query = new URLSearchParams(location.search).get("q") ?? "";
document.querySelectorAll('input[name="q"]').forEach((input) => (input.value = query));
if (query.trim()) show(query);
