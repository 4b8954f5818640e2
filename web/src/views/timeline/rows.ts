// The rows of the picture: which there are, which are seen, whose time each shows, and how they are moved and brought into view.

import {computed, type ReadonlySignal} from "@preact/signals";
import type {Chosen, TimelineRow} from "../../draw/timeline_picture";
import {groupOf} from "../../model/timeline_groups";
import type {TimelineStore} from "../../model/timeline_store";
import {type Arrangement, rankOfKey, rowKey} from "./arrangement";
import type {TracksOfRanks} from "./empty_tracks";
import type {TimelineFacts} from "./facts";
import type {TimelineFindings} from "./findings";
import type {TimelineGroups} from "./groups";
import type {TimelineOther} from "./other";
import {mostOpen, type TimelineRanks} from "./ranks";
import type {TimelineResult} from "./result";
import {groupHeight, layOutRows} from "./row_layout";
import type {TimelineTelemetry} from "./telemetry";
import type {TimelineViewport} from "./viewport";

const leastRoom = 360; // pixels for the rows of ranks
const mostTall = 16;
const noTracks: ReadonlySet<number> = new Set();

// What rows are made of.
interface Sources {
  readonly store: TimelineStore;
  readonly viewport: TimelineViewport;
  readonly facts: TimelineFacts;
  readonly ranks: TimelineRanks;
  readonly groups: TimelineGroups;
  readonly arrangement: Arrangement;
  readonly findings: TimelineFindings;
  readonly telemetry: TimelineTelemetry;
  readonly result: TimelineResult;
  readonly other: TimelineOther;
  readonly chosen: ReadonlySignal<Chosen | null>;
  readonly empty: ReadonlySignal<TracksOfRanks>;
}

export class TimelineRows {
  constructor(private readonly from: Sources) {}

  // The ranks that have a row of their own.
  private readonly alone = computed(() =>
    this.from.groups.by.value === null
      ? this.from.ranks.all.value
      : this.from.groups.all.value.flatMap((group) => (group.isFolded ? [] : group.ranks)),
  );

  private readonly rankHeight = computed(() => {
    const {viewport, groups, other} = this.from;
    // The place is no higher than its rows: of few ranks it says nothing of the room that there is.
    const room = Math.max(viewport.size.value.height - 40, leastRoom) - groupHeight * groups.all.value.length;
    const each = other.shown.value === null ? 1 : 2;
    const height = Math.floor(room / Math.max(1, each * this.alone.value.length));
    return height >= 14 ? Math.min(22, height) : Math.max(1, Math.min(12, height));
  });

  readonly all = computed(() => {
    const {store, ranks, groups, arrangement, findings, telemetry, result, other} = this.from;
    void store.spanChanges.value;
    const open = new Set(ranks.open.value);
    const tall = new Set(findings.ranks.value.length <= mostTall ? findings.ranks.value : []);
    return layOutRows({
      metric: telemetry.metric.value?.name ?? null,
      resultLanes: result.track.value?.lanes ?? null,
      hasChanges: other.pairs.value.length > 0,
      pinned: arrangement.pinned.value,
      hidden: new Set(arrangement.hidden.value),
      placed: arrangement.placed.value,
      ranks: ranks.all.value,
      groups: groups.by.value === null ? null : groups.all.value,
      rankHeight: this.rankHeight.value,
      isKnown: (rank) => store.rowOf.has(rank),
      isOpen: (rank) => open.has(rank),
      isTall: (rank) => tall.has(rank),
      labelOf: (rank) => this.labelOf(rank),
      labelBeside: (rank) => this.labelBeside(rank),
      tracksOf: (rank) => store.spansOf(rank)?.tracks ?? [],
      emptyOf: (rank) => this.from.empty.value.get(rank) ?? noTracks,
      showsEmpty: (rank) => arrangement.unfolded.value.includes(rank),
      chosenOf: (rank) => (this.from.chosen.value?.rank === rank ? this.from.chosen.value.track : null),
    });
  });
  private labelOf(rank: number): string {
    const where = this.from.facts.places.value.get(rank);
    return where ? `rank ${rank}  ${where}` : `rank ${rank}`;
  }
  private labelBeside(rank: number): string | null {
    const {other} = this.from;
    const beside = other.rankBeside(rank);
    return beside === null
      ? null
      : `\u2514 ${other.shown.value?.name ?? ""}${beside === rank ? "" : `, rank ${beside}`}`;
  }

  // Where each rank's own row is: of those in a folded group the group's.
  readonly ofRank = computed(() => {
    const found = new Map<number, TimelineRow>();
    for (const row of this.all.value) {
      if (row.track !== null || row.head !== undefined || row.isPinned === true) continue;
      for (const rank of this.ranksOf(row)) found.set(rank, row);
    }
    return found;
  });

  // Whose time a row shows.
  ranksOf(row: TimelineRow): readonly number[] {
    if (row.head !== undefined) return [];
    const group = groupOf(row.rank);
    return group === null ? [row.rank] : (this.from.groups.all.value[group]?.ranks ?? []);
  }

  readonly bottom = computed(() => {
    const last = this.all.value.at(-1);
    return last ? last.top + last.height : 0;
  });

  private readonly pinned = computed(() => this.all.value.filter((row) => row.isPinned === true));
  // Where they end.
  readonly pinnedHeight = computed(() => {
    const last = this.pinned.value.at(-1);
    return last === undefined ? 0 : last.top + last.height + 4;
  });

  // Those that can be seen; what is pinned lies over the others, wherever these are scrolled to.
  readonly visible = computed(() => {
    const rows = this.all.value;
    const {value: scroll} = this.from.viewport.scroll;
    const pinned = this.pinned.value.map((row) => ({...row, top: row.top + scroll}));
    const [top, bottom] = [scroll, scroll + this.from.viewport.size.value.height];
    const first = rows.findIndex((row) => row.isPinned === true);
    let [low, high] = [first < 0 ? 0 : first + pinned.length, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const row = rows[middle];
      if (row !== undefined && row.top + row.height < top) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (end < rows.length && (rows[end]?.top ?? 0) <= bottom) ++end;
    return [...rows.slice(low, end), ...pinned];
  });

  // Whose own rows can be seen.
  readonly seenRanks = computed(() => [
    ...new Set(this.visible.value.filter((row) => row.track === null).flatMap((row) => this.ranksOf(row))),
  ]);

  // Ranks whose events are needed: those that are open, and closed ones of which a track is pinned.
  readonly withEvents = computed(() => {
    const pinned = this.from.arrangement.pinned.value
      .map((key) => ({key, rank: rankOfKey(key) ?? -1}))
      .filter(({key, rank}) => key !== String(rank) && this.from.store.rowOf.has(rank))
      .map(({rank}) => rank)
      .slice(0, mostOpen);
    return [...new Set([...this.from.ranks.open.value, ...pinned])];
  });

  // What a row is called in the arrangement; null: it is none of a rank or a track.
  keyOf(row: TimelineRow): string | null {
    if (row.rank < 0 || row.head !== undefined) return null;
    if (row.track === null) return String(row.rank);
    const track = this.from.store.spansOf(row.rank)?.tracks[row.track];
    return track === undefined ? null : rowKey(row.rank, track);
  }

  // Up or down among the ranks of its group, or the tracks of its rank.
  move(row: TimelineRow, by: 1 | -1): void {
    const key = this.keyOf(row);
    if (key === null) return;
    const group = (rank: number) => this.from.groups.all.value.findIndex((one) => one.ranks.includes(rank));
    const isBeside = (one: TimelineRow) =>
      (one.isPinned === true) === (row.isPinned === true) &&
      (row.isPinned === true || ((one.track === null) === (row.track === null) && one.head === undefined)) &&
      (row.isPinned === true || row.track === null || one.rank === row.rank);
    const rows = this.all.value.filter((one) => isBeside(one) && this.keyOf(one) !== null);
    const other = rows[rows.findIndex((one) => this.keyOf(one) === key) + by];
    if (other === undefined || (row.track === null && !row.isPinned && group(other.rank) !== group(row.rank))) return;
    this.from.arrangement.trade(
      rows.map((one) => this.keyOf(one) ?? ""),
      key,
      this.keyOf(other) ?? "",
    );
  }

  // Opens a rank where it is seen.
  reveal(rank: number): void {
    const {arrangement, groups, ranks, viewport} = this.from;
    arrangement.hidden.value = arrangement.hidden.value.filter((key) => key !== String(rank));
    const group = groups.all.value.find((one) => one.isFolded && one.ranks.includes(rank));
    if (group !== undefined) groups.toggle(group.key);
    ranks.toggle(rank, true);
    const row = this.all.value.find((one) => one.rank === rank && one.isPinned !== true);
    if (row)
      viewport.wantedScroll.value = Math.max(0, row.top - this.pinnedHeight.value - 3 * Math.max(18, row.height));
  }
}
