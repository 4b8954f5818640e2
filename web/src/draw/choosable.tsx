// Lets ranks be chosen in tables and texts, and marks those that are. What can be chosen has data-choose, such as "0-3,7".

import type {ComponentChildren} from "preact";
import {type Choice, ranksOf, type OfRanks} from "../model/choice";
import {numbersOf, rangesOf} from "../model/ranks";
import {useDrawing} from "./drawing";

// A text that names ranks.
export function chooseAttributes(ranks: readonly number[], isButton = false) {
  return {"data-choose": rangesOf(ranks), title: "Mark in all plots", ...(isButton ? {} : {tabIndex: -1})};
}

export function isMarked(choice: Choice, ranks: readonly number[]): boolean {
  return choice.ranks.value.size > 0 && ranks.some((rank) => choice.isChosen(rank));
}

interface Choosable {
  readonly as: "li" | "span" | "button";
  readonly ranks: readonly number[];
  readonly class?: string;
  // What is marked in its place is around it.
  readonly isMarkedAround?: boolean;
  readonly children: ComponentChildren;
}
export function Choosable({as: Name, ranks, class: className, isMarkedAround = false, children}: Choosable) {
  const {choice} = useDrawing();
  const marked = !isMarkedAround && isMarked(choice, ranks) ? "chosen" : "";
  const attributes = {
    ...chooseAttributes(ranks, Name === "button"),
    class: [className, marked].filter(Boolean).join(" ") || undefined,
  };
  if (Name === "button") {
    return (
      <button type="button" {...attributes}>
        {children}
      </button>
    );
  }
  return <Name {...attributes}>{children}</Name>;
}

// The mark of one that has a chosen rank.
export function ChosenFrame({
  of,
  x,
  y,
  width,
  height,
}: {
  readonly of: OfRanks;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}) {
  return (
    <rect
      class="chosen"
      data-rank={chosenOf(useDrawing().choice, of)}
      x={x.toFixed(1)}
      y={y.toFixed(1)}
      width={width.toFixed(1)}
      height={height.toFixed(1)}
    />
  );
}
export function chosenOf(choice: Choice, of: OfRanks): string {
  return rangesOf(ranksOf(of).filter((rank) => choice.isChosen(rank)));
}

// Of a list one takes the Tab key, arrow keys lead to the others.
const lists = "tbody, .evidence-bars, .legend";
function choicesIn(list: Element): HTMLElement[] {
  return Array.from(list.querySelectorAll<HTMLElement>("[data-choose]:not(button)"));
}
export function takesTab(list: Element | null): void {
  if (list === null) return;
  choicesIn(list).forEach((node, i) => {
    node.tabIndex = i === 0 ? 0 : -1;
  });
}

// Clicks and keys on all of them.
export function followChoices(choice: Choice): void {
  const choiceOf = (event: Event) =>
    event.target instanceof Element ? event.target.closest<HTMLElement>("[data-choose]") : null;
  document.addEventListener("click", (event) => {
    const node = choiceOf(event);
    // Who selects text does not mean to choose.
    if (node && String(getSelection()) === "") choice.toggle(numbersOf(node.dataset["choose"]));
  });
  document.addEventListener("keydown", (event) => {
    const node = choiceOf(event);
    if (!node || node.tagName === "BUTTON" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choice.toggle(numbersOf(node.dataset["choose"]));
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
