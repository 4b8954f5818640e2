// One tooltip for all plots, and the same words for screen readers when a plot is read by keyboard.

import {exact, human} from "../model/format";
import type {Cell} from "../model/report";
import {el, front, shown, swatch, visible} from "./dom";

export const tip = el("div", {class: "tip", hidden: true, role: "presentation"});
export const spoken = el("div", {class: "spoken", role: "status", "aria-live": "polite"});

export interface Point {
  readonly x: number;
  readonly y: number;
}
export type TipLine = readonly [colour: string | null | undefined, label: string, cell: Cell];

// at: {x, y} in the window.
export function showTip(at: Point, title: string, lines: readonly TipLine[], speak: boolean): void {
  tip.replaceChildren(
    el("b", {}, front(title, 300)),
    el(
      "table",
      {},
      lines.map(([name, label, cell]) => {
        const value = shown(el("td"), cell);
        value.removeAttribute("title");
        const full =
          cell.value !== null && cell.id && cell.unit && cell.unit !== "name" ? exact(cell.value, cell.unit) : "";
        return el(
          "tr",
          {},
          el("td", {}, name ? swatch(name) : null),
          el("td", {}, label),
          value,
          el("td", {class: "exact"}, full),
        );
      }),
    ),
  );
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = at.x + 14 + box.width > innerWidth - 8 ? at.x - 14 - box.width : at.x + 14;
  const top = at.y + 14 + box.height > innerHeight - 8 ? at.y - 14 - box.height : at.y + 14;
  tip.style.transform = `translate(${Math.max(8, Math.min(left, innerWidth - box.width - 8))}px, ${Math.max(8, top)}px)`;
  if (speak)
    spoken.textContent = visible(
      `${front(title, 300)}: ${lines.map(([, label, cell]) => `${label} ${human(cell.value, cell.unit)}`).join(", ")}`,
    );
}

export function hideTip(): void {
  tip.hidden = true;
}

// A step to the right and down, or an end.
export type Move = readonly [right: number, down: number] | "first" | "last";

// The place after `at` of those from 0 to `last`.
export function placeAfter(at: number, move: Move, last: number): number {
  const next = move === "first" ? 0 : move === "last" ? last : at + (move[0] || move[1]);
  return Math.max(0, Math.min(last, next));
}

// Arrow keys, Home, End and Escape on a plot that has the focus. move(delta or "first" or "last") shows a place, leave() none.
export function byKeyboard(node: HTMLElement, label: string, move: (to: Move) => void, leave: () => void): void {
  node.tabIndex = 0;
  node.setAttribute("role", "group");
  node.setAttribute("aria-roledescription", "plot");
  node.setAttribute("aria-label", `${label}. Arrow keys read the values.`);
  const keys: Readonly<Record<string, Move>> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
    Home: "first",
    End: "last",
  };
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      // The first Escape only ends reading; the next one clears the choice of ranks.
      if (!tip.hidden) event.preventDefault();
      return leave();
    }
    const key = keys[event.key];
    if (!key || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(key);
  });
  node.addEventListener("blur", leave);
}
