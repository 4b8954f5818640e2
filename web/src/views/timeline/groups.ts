// Rows that stand together by host or a dimension of the layout, and those of them that are folded to one.

import {computed, type ReadonlySignal, signal} from "@preact/signals";
import type {Tile} from "../../model/timeline";
import {extremeTile, groupOf, groupsOf, type RankGroup} from "../../model/timeline_groups";
import type {TimelineStore} from "../../model/timeline_store";
import type {Dimension} from "./address";

const groupWords: Readonly<Record<Dimension, string>> = {
  host: "host",
  pp: "stage",
  dp: "dp",
  cp: "cp",
  ep: "ep",
  tp: "tp",
};
const mostKept = 512; // tiles of folded groups

export class TimelineGroups {
  readonly by;
  readonly folded;
  private readonly kept = new Map<string, {readonly from: readonly Tile[]; readonly tile: Tile}>();

  constructor(
    private readonly store: TimelineStore,
    by: Dimension | null,
    folded: readonly string[],
    private readonly ranks: ReadonlySignal<readonly number[]>,
    private readonly placeOf: (rank: number, by: Dimension) => string | number | null,
  ) {
    this.by = signal<Dimension | null>(by);
    this.folded = signal<ReadonlySet<string>>(new Set(folded));
  }

  // None: rows stand alone.
  readonly all = computed((): readonly RankGroup[] => {
    const by = this.by.value;
    if (by === null) return [];
    return groupsOf(
      this.ranks.value,
      (rank) => this.placeOf(rank, by),
      (place) => `${groupWords[by]} ${place}`,
      this.folded.value,
    );
  });

  toggle(key: string): void {
    const now = new Set(this.folded.value);
    if (!now.delete(key)) now.add(key);
    this.folded.value = now;
  }
  foldAll(isFolded: boolean): void {
    this.folded.value = new Set(isFolded ? this.all.value.map(({key}) => key) : []);
  }

  // Of the row of a folded group, made of those of its ranks; the same ones while these are the same.
  tilesOf(rank: number, tilesOfRank: (rank: number) => readonly Tile[]): Tile[] {
    const group = this.all.value[groupOf(rank) ?? -1];
    if (group === undefined) return [];
    const byPlace = new Map<string, Map<Tile, number[]>>();
    for (const one of group.ranks) {
      const row = (this.store.rowOf.get(one) ?? 0) % this.store.info.tile_ranks;
      for (const tile of tilesOfRank(one)) {
        const place = `${tile.shift}/${tile.begin}/${tile.bins}`;
        let members = byPlace.get(place);
        if (members === undefined) byPlace.set(place, (members = new Map()));
        const rows = members.get(tile);
        if (rows) rows.push(row);
        else members.set(tile, [row]);
      }
    }
    const found: Tile[] = [];
    for (const [place, members] of byPlace) {
      const key = `${group.key}/${group.ranks.length}/${place}`;
      const from = [...members.keys()];
      const known = this.kept.get(key);
      if (
        known !== undefined &&
        known.tile.ranks[0] === rank &&
        known.from.length === from.length &&
        known.from.every((tile, i) => tile === from[i])
      ) {
        found.push(known.tile);
        continue;
      }
      const tile = extremeTile(
        rank,
        [...members].map(([of, rows]) => ({tile: of, rows})),
      );
      if (tile === null) continue;
      this.kept.delete(key);
      this.kept.set(key, {from, tile});
      found.push(tile);
    }
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= mostKept) break;
      this.kept.delete(oldest);
    }
    return found.sort((a, b) => b.shift - a.shift);
  }
}
