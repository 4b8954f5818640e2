// A number in a box of its own, with its name and what else is to be said of it.

import {type Child, el, shown} from "../../draw/dom";
import {type Cell, cellDoc} from "../../model/report";

// Of the first cell that is shown in it.
function docIn(value: Child): string | null {
  const first = [value]
    .flat()
    .find((one): one is HTMLElement => one instanceof HTMLElement && one.dataset["cell"] !== undefined);
  const id = first?.dataset["cell"];
  return id === undefined ? null : cellDoc({value: null, unit: "", type: "", id});
}

export function tile(
  name: string,
  value: Child,
  more: Child = null,
  isWords = false,
  doc: string | null = null,
): HTMLElement {
  return el(
    "div",
    {class: "tile"},
    el("div", {class: "name", title: doc ?? docIn(value)}, name),
    el("div", {class: isWords ? "value words" : "value"}, value),
    more ? el("div", {class: "more"}, more) : null,
  );
}

export function cellSpan(cell: Cell): HTMLElement {
  return shown(el("span"), cell);
}
