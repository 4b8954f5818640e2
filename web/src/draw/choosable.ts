// Lets ranks be chosen in plots, tables and texts, and marks those that are.

import {numbersOf, rangesOf} from "../model/ranks";
import {type OfRanks, chosenRanks, isChosen, onChoice, ranksOf, toggleRanks} from "../model/selection";
import {type Attributes, svg} from "./dom";

// The mark of one that has a chosen rank.
export function chosenMark(one: OfRanks, shape: "rect" | "circle" | "polyline", attributes: Attributes): SVGElement {
  return svg(shape, {class: "chosen", "data-rank": rangesOf(ranksOf(one).filter(isChosen)), ...attributes});
}
export function chosenFrame(one: OfRanks, x: number, y: number, width: number, height: number): SVGElement {
  return chosenMark(one, "rect", {
    x: x.toFixed(1),
    y: y.toFixed(1),
    width: width.toFixed(1),
    height: height.toFixed(1),
  });
}

// Lets ranks be chosen in a plot: under(event) -> those below the pointer, here() -> those where the keyboard is, mark() marks the chosen ones.
export function choosable(
  plot: HTMLElement,
  {
    under,
    here,
    mark,
  }: {under: (event: MouseEvent) => readonly number[]; here: () => readonly number[]; mark: () => void},
): void {
  // A drag is no click.
  let down: PointerEvent | null = null as PointerEvent | null;
  plot.addEventListener(
    "pointerdown",
    (event) => {
      down = event;
    },
    true,
  );
  plot.addEventListener("click", (event) => {
    const isDrag = down !== null && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 3;
    if (!isDrag) toggleRanks(under(event));
  });
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target === plot) toggleRanks(here());
  });
  onChoice.push(mark);
}

// Ranks named in a table or a text; with `ofRow` the whole row is theirs. One of those in a list takes the Tab key, arrow keys lead to the others.
export function choosableText<T extends HTMLElement>(node: T, ranks: readonly number[], ofRow = false): T {
  node.dataset.choose = rangesOf(ranks);
  node.title = "Mark in all plots";
  if (ofRow) node.dataset.row = "";
  if (node.tagName !== "BUTTON") node.tabIndex = -1;
  return node;
}
const lists = "tbody, .evidence-bars, .legend";
function choicesIn(list: Element): HTMLElement[] {
  return Array.from(list.querySelectorAll<HTMLElement>("[data-choose]:not(button)"));
}
export function takesTab<T extends Element>(list: T): T {
  const [first] = choicesIn(list);
  if (first) first.tabIndex = 0;
  return list;
}

// What only shows ranks has data-shows.
export function markChosenTexts(within: ParentNode = document): void {
  for (const node of within.querySelectorAll<HTMLElement>("[data-choose], [data-shows]")) {
    const isMarked = chosenRanks.size > 0 && numbersOf(node.dataset.choose ?? node.dataset.shows).some(isChosen);
    const row = node.dataset.row === undefined ? null : node.closest("tr, .evidence-row");
    (row || node).classList.toggle("chosen", isMarked);
  }
}

export function followChoices(): void {
  const choiceOf = (event: Event) =>
    event.target instanceof Element ? event.target.closest<HTMLElement>("[data-choose]") : null;
  document.addEventListener("click", (event) => {
    const node = choiceOf(event);
    // Who selects text does not mean to choose.
    if (node && String(getSelection()) === "") toggleRanks(numbersOf(node.dataset.choose));
  });
  document.addEventListener("keydown", (event) => {
    const node = choiceOf(event);
    if (!node || node.tagName === "BUTTON" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      toggleRanks(numbersOf(node.dataset.choose));
      return;
    }
    const steps: Readonly<Record<string, number>> = {ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1};
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const list = node.closest(lists);
    const all = list ? choicesIn(list) : [];
    const next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(node) + step))];
    if (next === undefined) return;
    node.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}
