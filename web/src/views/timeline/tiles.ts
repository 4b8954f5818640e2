// Which tiles the picture needs, and those of them that are here.

import {computed, effect, type ReadonlySignal} from "@preact/signals";
import {type Tile, tilesFor} from "../../model/timeline";
import {groupOf} from "../../model/timeline_groups";
import type {TimelineStore} from "../../model/timeline_store";
import type {TimelineGroups} from "./groups";
import type {TimelineViewport} from "./viewport";

export class TimelineTiles {
  // `seen`: the ranks whose rows can be seen.
  constructor(
    private readonly store: TimelineStore,
    private readonly viewport: TimelineViewport,
    private readonly groups: TimelineGroups,
    private readonly seen: ReadonlySignal<readonly number[]>,
  ) {}

  readonly keys = computed(() => {
    const blocks = [...new Set(this.seen.value.map((rank) => this.store.blockOf(rank)))];
    return tilesFor(this.store.info, this.viewport.window.value, this.viewport.size.value.width, blocks);
  });

  // Asks for them. `blocks`: all that the order goes by; `withEvents`: ranks whose events are needed, too.
  follow(blocks: ReadonlySignal<readonly number[]>, withEvents: ReadonlySignal<readonly number[]>): () => void {
    const coarsest = (of: Iterable<number>) =>
      [...new Set(of)].map((block) => ({shift: this.store.info.last_shift, column: 0, block}));
    return effect(() => {
      const keys = this.keys.value;
      // First what holds the place of finer ones; last what only the sentence and the order go by.
      this.store.want(
        [...coarsest(keys.map((key) => key.block)), ...keys, ...coarsest(blocks.value)],
        withEvents.value,
        this.viewport.window.value,
        this.viewport.size.value.width,
      );
    });
  }

  // Of the row of a rank, or of a folded group.
  ofRow(rank: number, tilesOfRank: (rank: number) => readonly Tile[]): readonly Tile[] {
    return groupOf(rank) === null ? tilesOfRank(rank) : this.groups.tilesOf(rank, tilesOfRank);
  }

  // Of a block of ranks, the coarser first, so that finer ones are drawn over them.
  ofBlock(block: number): Tile[] {
    const tiles = new Set<Tile>();
    const whole = this.store.wholeOf(block);
    if (whole) tiles.add(whole);
    for (const key of this.keys.value) {
      if (key.block !== block) continue;
      const found = this.store.tile(key);
      if (found) tiles.add(found.tile);
    }
    return [...tiles].sort((a, b) => b.shift - a.shift);
  }

  // Of a block in the picture now, of one level.
  finest(block: number): readonly Tile[] {
    const tiles = this.keys
      .peek()
      .filter((key) => key.block === block)
      .map((key) => this.store.tile(key)?.tile)
      .filter((tile) => tile !== undefined);
    const shift = Math.min(...tiles.map((tile) => tile.shift));
    return [...new Set(tiles.filter((tile) => tile.shift === shift))];
  }
}
