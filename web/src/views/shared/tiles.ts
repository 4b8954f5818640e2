// A number in a box of its own, with its name and what else is to be said of it.

import {type Child, el, shown} from "../../draw/dom";
import type {Cell} from "../../model/report";

export function tile(name: string, value: Child, more: Child = null, isWords = false): HTMLElement {
  return el("div", {class: "tile"}, el("div", {class: "name"}, name), el("div", {class: isWords ? "value words" : "value"}, value),
    more ? el("div", {class: "more"}, more) : null);
}

export function cellSpan(cell: Cell): HTMLElement { return shown(el("span"), cell); }
