// How each rank's time goes in the window, in 255ths (binParts): worked out when the window has been still for a moment, a slice at a time,
// since there may be 10,000 ranks.

import {effect, type ReadonlySignal, signal} from "@preact/signals";
import {sharesOf, type Tile, type Window} from "../../model/timeline";
import type {TimelineStore} from "../../model/timeline_store";

const stillMs = 120;
const sliceMs = 8;

export type Shares = ReadonlyMap<number, readonly number[]>;

export class TimelineShares {
  readonly of = signal<Shares>(new Map());
  private planned = 0;

  constructor(private readonly store: TimelineStore) {}

  get isBusy(): boolean {
    return this.planned !== 0;
  }

  // `finest`: the tiles of a block that the picture has.
  follow(
    seen: ReadonlySignal<Window>,
    ranks: ReadonlySignal<readonly number[]>,
    finest: (block: number) => readonly Tile[],
  ): () => void {
    const stop = effect(() => {
      void this.store.changes.value;
      this.plan(seen.value, ranks.value, finest);
    });
    return () => {
      clearTimeout(this.planned);
      stop();
    };
  }

  private plan(time: Window, ranks: readonly number[], finest: (block: number) => readonly Tile[]): void {
    clearTimeout(this.planned);
    const found = new Map<number, readonly number[]>();
    let at = 0;
    const work = () => {
      const begin = performance.now();
      for (; at < ranks.length && performance.now() - begin < sliceMs; ++at) {
        const rank = ranks[at] ?? 0;
        const of = this.ofRank(rank, time, finest);
        if (of) found.set(rank, of);
      }
      if (at < ranks.length) this.planned = window.setTimeout(work, 0);
      else {
        this.planned = 0;
        this.of.value = found;
      }
    };
    this.planned = window.setTimeout(work, stillMs);
  }

  private ofRank(rank: number, time: Window, finest: (block: number) => readonly Tile[]) {
    const place = (this.store.rowOf.get(rank) ?? 0) % this.store.info.tile_ranks;
    const block = this.store.blockOf(rank);
    const whole = this.store.wholeOf(block);
    // Close up the coarsest tell nothing; of the ranks that are seen, finer ones are here.
    return (whole && sharesOf([whole], place, time, 16)) ?? sharesOf(finest(block), place, time);
  }
}
