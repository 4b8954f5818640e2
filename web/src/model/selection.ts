// The ranks that the reader has chosen: marked in every plot and table, kept in the address, cleared by Escape. The address is
// "#SECTION&ranks=0-3,7", or "#rank=3"; a link to a section keeps the choice.
//
// A plot says what it shows of ranks with choosable(); in tables and texts whatever has the attribute data-choose, such as "0-3,7", can be
// chosen (choosableText).

import {numbersOf, rangesOf} from "./ranks";
import type {CellValue} from "./report";

export let chosenRanks: ReadonlySet<number> = new Set();
export const onChoice: (() => void)[] = []; // called when the choice changes

export function isChosen(rank: CellValue | undefined): boolean {
  return rank !== null && rank !== undefined && chosenRanks.has(Number(rank));
}

// The section and the ranks that the address names. What is not understood costs itself.
export function addressed(): {place: string; ranks: number[] | null} {
  let text = location.hash.slice(1);
  try {
    text = decodeURIComponent(text);
  } catch {
    text = "";
  }
  const pieces = text.split("&");
  const ranks = pieces.map((one) => /^ranks?=(.*)$/.exec(one)).find(Boolean);
  return {place: pieces.find((one) => !one.includes("=")) || "", ranks: ranks ? numbersOf(ranks[1]) : null};
}
export function addressOf(place: string, ranks: readonly number[]): string {
  return ranks.length
    ? `#${place}&ranks=${rangesOf(ranks)}`
    : place
      ? `#${place}`
      : location.pathname + location.search;
}

export function showChoice(ranks: readonly number[]): void {
  chosenRanks = new Set(ranks);
  for (const change of onChoice) change();
}

// The reader chooses, which Back undoes.
export function chooseRanks(ranks: readonly number[]): void {
  if (rangesOf(ranks) === rangesOf(chosenRanks)) return;
  history.pushState({ranks: rangesOf(ranks)}, "", addressOf(addressed().place, ranks));
  showChoice(ranks);
}
// These alone are chosen, or no more if they are already.
export function toggleRanks(ranks: readonly number[]): void {
  if (ranks.length) chooseRanks(rangesOf(ranks) === rangesOf(chosenRanks) ? [] : ranks);
}

// What stands for ranks has a `rank`, or several `ranks`.
export interface OfRanks {
  readonly rank?: CellValue;
  readonly ranks?: readonly number[];
}
export function ranksOf(one: OfRanks): readonly number[] {
  return one.ranks || (one.rank === null || one.rank === undefined ? [] : [Number(one.rank)]);
}
export function hasChosen(one: OfRanks): boolean {
  return chosenRanks.size > 0 && ranksOf(one).some(isChosen);
}
