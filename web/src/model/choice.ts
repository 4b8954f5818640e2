// The ranks that the reader has chosen: marked in every plot and table, kept in the address, cleared by Escape. The address is
// "#SECTION&ranks=0-3,7", or "#rank=3"; a link to a section keeps the choice. Each page has one.

import {signal} from "@preact/signals";
import {numbersOf, rangesOf} from "./ranks";
import type {CellValue} from "./data";

// What stands for ranks has a `rank`, or several `ranks`.
export interface OfRanks {
  readonly rank?: CellValue;
  readonly ranks?: readonly number[];
}
export function ranksOf(one: OfRanks): readonly number[] {
  return one.ranks ?? (one.rank === null || one.rank === undefined ? [] : [Number(one.rank)]);
}

// The section and the ranks that an address names. What is not understood costs itself.
export function addressed(hash: string): {place: string; ranks: number[] | null} {
  let text = hash.slice(1);
  try {
    text = decodeURIComponent(text);
  } catch {
    text = "";
  }
  const pieces = text.split("&");
  const ranks = pieces.map((one) => /^ranks?=(.*)$/.exec(one)).find(Boolean);
  return {place: pieces.find((one) => !one.includes("=")) ?? "", ranks: ranks ? numbersOf(ranks[1]) : null};
}
export function addressOf(place: string, ranks: readonly number[]): string {
  if (ranks.length > 0) return `#${place}&ranks=${rangesOf(ranks)}`;
  return place ? `#${place}` : location.pathname + location.search;
}

export class Choice {
  readonly ranks = signal<ReadonlySet<number>>(new Set());

  isChosen(rank: CellValue | undefined): boolean {
    return rank !== null && rank !== undefined && this.ranks.value.has(Number(rank));
  }
  has(one: OfRanks): boolean {
    return this.ranks.value.size > 0 && ranksOf(one).some((rank) => this.isChosen(rank));
  }
  show(ranks: Iterable<number>): void {
    this.ranks.value = new Set(ranks);
  }
  // The reader chooses, which Back undoes.
  choose(ranks: readonly number[]): void {
    if (rangesOf(ranks) === rangesOf(this.ranks.value)) return;
    history.pushState({ranks: rangesOf(ranks)}, "", addressOf(addressed(location.hash).place, ranks));
    this.show(ranks);
  }
  // These alone are chosen, or no more if they are already.
  toggle(ranks: readonly number[]): void {
    if (ranks.length > 0) this.choose(rangesOf(ranks) === rangesOf(this.ranks.value) ? [] : ranks);
  }
}
