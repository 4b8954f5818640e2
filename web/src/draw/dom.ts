// Elements made of text nodes and attributes, never of markup: a name in a trace may be markup.

import {exact, human} from "../model/format";
import type {Cell, CellValue} from "../model/report";

// Control characters and those that reorder or hide text, as visible escapes.
const hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
export function visible(text: unknown): string {
  return String(text).replace(hidden, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// The front of a text that may be 10 kB long.
export function front(text: CellValue, most: number): string {
  const shown = visible(text);
  return shown.length <= most ? shown : `${shown.slice(0, most)}\u2026`;
}

// Both ends of a path, which say most: "Model/\u2026/Attention". `between` splits it.
export function shortPath(text: CellValue, most: number, between: RegExp): string {
  const whole = visible(text);
  if (whole.length <= most) return whole;
  const pieces = whole.split(between);
  const head = pieces.length > 1 && pieces[0].length <= most / 3 ? pieces[0] : "";
  let tail = "";
  for (let i = pieces.length - 1; i > 0 && head.length + 2 + pieces[i].length + tail.length <= most; --i)
    tail = pieces[i] + tail;
  if (tail) return `${head}\u2026${/^[/.]/.test(tail) ? "" : whole[whole.length - tail.length - 1]}${tail}`;
  const half = Math.floor((most - 1) / 2);
  return `${whole.slice(0, half)}\u2026${whole.slice(whole.length - half)}`;
}

export type Child = Node | string | number | boolean | null | undefined | readonly Child[];
// oninput, onclick, ... are listeners, the others attributes; null, undefined and false leave one out.
export type Attributes = Readonly<
  Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>
>;

export function fill<T extends Element>(node: T, attributes: Attributes, children: readonly Child[]): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : visible(value));
  }
  for (const child of (children as readonly unknown[]).flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return node;
}

export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(name), attributes, children);
}
export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

// The frame around what a plot's tooltip is about.
export function showCursor(plot: Element, place: Readonly<Record<string, number>>): void {
  const cursor = plot.querySelector(".cursor");
  if (cursor === null) return;
  for (const [name, value] of Object.entries(place)) cursor.setAttribute(name, String(value));
  cursor.setAttribute("visibility", "visible");
}
export function hideCursor(plot: Element): void {
  plot.querySelector(".cursor")?.setAttribute("visibility", "hidden");
}

// The current value of a colour variable, for canvases.
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function swatch(name?: string | null): HTMLElement {
  const box = el("span", {class: "swatch", "aria-hidden": "true"});
  if (name) box.style.setProperty("--swatch", `var(--${name})`);
  return box;
}

// A node that shows one cell: rounded for people, exact on hover, and where it comes from for tests.
export function shown<T extends HTMLElement>(node: T, cell: Cell, text?: string): T {
  node.dataset.cell = cell.id;
  node.dataset.value = cell.value === null ? "" : String(cell.value);
  const isNumber = cell.type !== "string" && cell.value !== null;
  if (isNumber && cell.unit && cell.unit !== "name") node.title = exact(cell.value, cell.unit);
  if (cell.value === null) node.classList.add("unknown");
  node.append(document.createTextNode(visible(text === undefined ? human(cell.value, cell.unit) : text)));
  return node;
}
