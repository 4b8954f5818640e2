// Elements made of text nodes and attributes, never of markup: a name in a trace may be markup.

// Control characters and those that reorder or hide text, as visible escapes.
const hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
function visible(text) {
  return String(text).replace(hidden, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// The front of a text that may be 10 kB long.
function front(text, most) {
  const shown = visible(text);
  return shown.length <= most ? shown : `${shown.slice(0, most)}\u2026`;
}

// Both ends of a path, which say most: "Model/\u2026/Attention". `between` splits it.
function shortPath(text, most, between) {
  const whole = visible(text);
  if (whole.length <= most) return whole;
  const pieces = whole.split(between);
  const head = pieces.length > 1 && pieces[0].length <= most / 3 ? pieces[0] : "";
  let tail = "";
  for (let i = pieces.length - 1; i > 0 && head.length + 2 + pieces[i].length + tail.length <= most; --i) tail = pieces[i] + tail;
  if (tail) return `${head}\u2026${/^[/.]/.test(tail) ? "" : whole[whole.length - tail.length - 1]}${tail}`;
  const half = Math.floor((most - 1) / 2);
  return `${whole.slice(0, half)}\u2026${whole.slice(whole.length - half)}`;
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : visible(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return node;
}

function el(name, attributes, ...children) { return fill(document.createElement(name), attributes, children); }
function svg(name, attributes, ...children) { return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children); }

// The current value of a colour variable, for canvases.
function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim(); }

function swatch(name) {
  const box = el("span", {class: "swatch", "aria-hidden": "true"});
  if (name) box.style.setProperty("--swatch", `var(--${name})`);
  return box;
}

// entries: [colour, label], and the rank that it is, if it is one.
function legend(entries) {
  return takesTab(el("ul", {class: "legend"}, entries.map(([name, label, rank]) => {
    const entry = el("li", {}, name ? swatch(name) : null, label);
    return rank === undefined ? entry : choosableText(entry, [rank]);
  })));
}

// A node that shows one cell: rounded for people, exact on hover, and where it comes from for tests.
function shown(node, cell, text) {
  node.dataset.cell = cell.id;
  node.dataset.value = cell.value === null ? "" : String(cell.value);
  const isNumber = cell.type !== "string" && cell.value !== null;
  if (isNumber && cell.unit && cell.unit !== "name") node.title = exact(cell.value, cell.unit);
  if (cell.value === null) node.classList.add("unknown");
  node.append(document.createTextNode(visible(text === undefined ? human(cell.value, cell.unit) : text)));
  return node;
}
