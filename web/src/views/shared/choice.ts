// The choice of ranks in the frame and in the address.

import {followChoices, markChosenTexts} from "../../draw/choosable";
import {el} from "../../draw/dom";
import {tip} from "../../draw/tooltip";
import {numbersOf, rangesOf} from "../../model/ranks";
import {addressOf, addressed, chooseRanks, chosenRanks, onChoice, showChoice} from "../../model/selection";

// Stands in the frame while ranks are chosen.
export function choiceChip(): HTMLElement {
  const label = el("span");
  const chip = el(
    "span",
    {class: "choice", role: "status"},
    label,
    el(
      "button",
      {
        type: "button",
        "aria-label": "Clear the choice of ranks",
        title: "Clear (Escape)",
        onclick: () => chooseRanks([]),
      },
      "\u00d7",
    ),
  );
  const show = () => {
    chip.hidden = chosenRanks.size === 0;
    const ranks = rangesOf(chosenRanks);
    label.textContent = `${chosenRanks.size === 1 ? "Rank" : "Ranks"} ${ranks.length > 24 ? `${ranks.slice(0, 23)}\u2026` : ranks.replace(/,/g, ", ")} marked`;
  };
  onChoice.push(show);
  show();
  return chip;
}

// Once the page stands: what its address says.
export function followAddress(): void {
  followChoices();
  onChoice.push(() => markChosenTexts());
  const {place, ranks} = addressed();
  history.replaceState({ranks: rangesOf(ranks || [])}, "");
  showChoice(ranks || []);
  const target = place ? document.getElementById(place) : null;
  if (target) target.scrollIntoView();
  addEventListener("popstate", (event) => {
    if (event.state && event.state.ranks !== undefined) return showChoice(numbersOf(event.state.ranks));
    // A link, or an address that was typed.
    const typed = addressed();
    const kept = typed.ranks || Array.from(chosenRanks);
    history.replaceState({ranks: rangesOf(kept)}, "", addressOf(typed.place, kept));
    return showChoice(kept);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && chosenRanks.size && tip.hidden) chooseRanks([]);
  });
}
