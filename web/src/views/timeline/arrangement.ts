// How people arrange rows: pinned to the top, hidden, moved; and streams and threads that are empty, which fold behind one row.
//
// A row is called "RANK", or "RANK/ROLE:NAME" for a track of a rank: waits on a stream are called as the stream is.

import {signal} from "@preact/signals";
import type {Track} from "../../model/timeline";

export const mostArranged = 200;

export function rowKey(rank: number, track: Pick<Track, "role" | "name">): string {
  return `${rank}/${track.role}:${track.name}`;
}

// The rank of a key; null: it names none.
export function rankOfKey(key: string): number | null {
  const found = /^(\d{1,9})(?:\/|$)/.exec(key);
  return found === null ? null : Number(found[1]);
}

// Those that were placed by hand first, as they were placed; the others behind them in their own order.
export function arranged<Row>(rows: readonly Row[], keyOf: (row: Row) => string, placed: readonly string[]): Row[] {
  if (placed.length === 0) return [...rows];
  const at = new Map(placed.map((key, i) => [key, i]));
  const place = (row: Row) => at.get(keyOf(row)) ?? placed.length;
  return rows
    .map((row, i) => ({row, i}))
    .sort((a, b) => place(a.row) - place(b.row) || a.i - b.i)
    .map(({row}) => row);
}

export class Arrangement {
  readonly pinned;
  readonly hidden;
  readonly placed;
  // Ranks whose empty tracks are shown.
  readonly unfolded;

  constructor(
    pinned: readonly string[],
    hidden: readonly string[],
    placed: readonly string[],
    unfolded: readonly number[],
  ) {
    this.pinned = signal(pinned);
    this.hidden = signal(hidden);
    this.placed = signal(placed);
    this.unfolded = signal(unfolded);
  }

  togglePin(key: string): void {
    const now = this.pinned.value;
    this.pinned.value = now.includes(key) ? now.filter((one) => one !== key) : [...now, key].slice(-mostArranged);
  }
  hide(key: string): void {
    this.pinned.value = this.pinned.value.filter((one) => one !== key);
    this.hidden.value = [...new Set([...this.hidden.value, key])].slice(-mostArranged);
  }
  showAll(): void {
    this.hidden.value = [];
  }
  toggleEmpty(rank: number): void {
    const now = this.unfolded.value;
    this.unfolded.value = now.includes(rank) ? now.filter((one) => one !== rank) : [...now, rank];
  }
  // Trades the places of two rows among those that stand beside each other: `order` has all of them as they stand.
  trade(order: readonly string[], one: string, other: string): void {
    const pins = this.pinned.value;
    if (pins.includes(one)) {
      if (pins.includes(other))
        this.pinned.value = pins.map((key) => (key === one ? other : key === other ? one : key));
      return;
    }
    const last = Math.max(order.indexOf(one), order.indexOf(other));
    // What was placed has to be said down to there.
    if (last < 0 || last >= mostArranged) return;
    const front = order.slice(0, last + 1).map((key) => (key === one ? other : key === other ? one : key));
    const own = new Set(order);
    this.placed.value = [...this.placed.value.filter((key) => !own.has(key)), ...front].slice(-mostArranged);
  }
}
