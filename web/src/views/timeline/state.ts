// What the timeline shows, as signals; the canvas and the panels follow them.

import {batch, computed, effect, signal} from "@preact/signals";
import type {Note} from "@made/api_types";
import {
  getEvents,
  getSums,
  type NameMatch,
  runQuery,
  searchTimeline,
  type TimelineHit,
  type TimelineSums,
} from "../../model/api";
import type {Events} from "../../model/doors";
import {type EventDetail, eventDetailOf, type FrameOfStack, ownSequence, sequenceOf} from "../../model/event_detail";
import {plural} from "../../model/format";

import {rangesOf} from "../../model/ranks";
import {
  binParts,
  type Role,
  sharesOf,
  type Spans,
  type Tile,
  tilesFor,
  type Window,
  wholeOf,
} from "../../model/timeline";
import {doorOfResult} from "../../model/doors";
import type {ResultSpan} from "../../model/result_track";
import {groupOf, groupRank} from "../../model/timeline_groups";
import type {TimelineStore} from "../../model/timeline_store";
import {isCommunication} from "../../draw/timeline_paint";
import {
  type Arrow,
  laneHeight,
  type Chosen,
  emptyTracks,
  rulerHeight,
  type TimelineRow,
  trackGap,
} from "../../draw/timeline_picture";
import {dimensions, type Order, type Place, readPlace, writePlace} from "./address";
import {Arrangement, arranged, rankOfKey, rowKey} from "./arrangement";
import {TimelineColours} from "./colours";
import {AreaCalls} from "./area_calls";
import {backwardQuery, detailQuery, forwardQuery, stackQuery} from "./detail_queries";
import {TimelineEvents} from "./events";
import {TimelineFindings} from "./findings";
import {TimelineGroups} from "./groups";
import {keysAreEverywhere} from "./keys";
import {TimelineLinks} from "./links";
import {TimelineMarks} from "./marks";
import {TimelineFacts} from "./facts";
import {TimelineFraming} from "./framing";
import {placeOfNote, TimelineNotes} from "./notes";
import {TimelineOther} from "./other";
import {TimelineViewport} from "./viewport";
import {TimelineResult} from "./result";
import {TimelineTelemetry} from "./telemetry";

export interface Area extends Window {
  readonly ranks: readonly number[];
  readonly top: number;
  readonly bottom: number;
}

const roleOrder: readonly Role[] = ["stream", "thread", "annotations", "waits", "other"];
const mostOpen = 16;
const stillMs = 120;
const sliceMs = 8;
const leastRoom = 360; // pixels for the rows of ranks
const groupHeight = 20;
const tallHeight = 18; // of a rank that is open, or of the chosen finding: high enough for its label
const mostTall = 16;
const metricHeight = 64;
const changesHeight = 19;
// The rows of a metric and of a result are nobody's; groups have the numbers below 0.
const noRank = -1_000_000_000;

// Unknown comes last.
function compared(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", {numeric: true});
}

function hasEvents(spans: Spans, track: number, from: number, to: number): boolean {
  for (let i = spans.first[track] ?? 0; i < (spans.first[track + 1] ?? 0); ++i) {
    const start = spans.start[i] ?? 0;
    if (start > to) return false;
    if (start + (spans.duration[i] ?? 0) >= from) return true;
  }
  return false;
}

// The keyboard passes over it: there is nothing to open.
function isOfNobody(row: TimelineRow): boolean {
  return row.head !== undefined && row.head !== "group" && row.head !== "empty";
}

// An op at the other end of an arrow, and where it is.
export interface LinkedOp extends FrameOfStack {
  readonly at: TimelineHit | null; // null: not in the timeline
}

export class TimelineState {
  readonly viewport: TimelineViewport;
  readonly facts: TimelineFacts;
  readonly framing: TimelineFraming;
  readonly notes: TimelineNotes;
  readonly order;
  readonly open;
  readonly shown;
  readonly found;
  readonly chosen = signal<Chosen | null>(null);
  readonly area = signal<Area | null>(null);
  readonly sums = signal<TimelineSums | null>(null);
  readonly hits = signal<{complete: boolean; hits: readonly TimelineHit[]} | null>(null);
  // What an event stands in, the outermost first: of work of a device that of the call that launched it, and the call.
  readonly stack = signal<readonly FrameOfStack[]>([]);
  // The op of the forward pass whose gradient the chosen event computes.
  readonly forward = signal<LinkedOp | null>(null);
  // The op of the backward pass that computes the gradient of the chosen one.
  readonly backward = signal<LinkedOp | null>(null);
  readonly details = signal<{
    readonly about: Chosen;
    readonly name: string;
    readonly event: number;
    readonly detail: EventDetail | null; // null: not known yet
    readonly launch: number | null;
  } | null>(null);
  readonly wait = signal(false);
  readonly links: TimelineLinks;
  readonly findings: TimelineFindings;
  readonly groups: TimelineGroups;
  readonly telemetry: TimelineTelemetry;
  readonly result: TimelineResult;
  readonly other: TimelineOther;
  readonly events: TimelineEvents;
  readonly calls: AreaCalls;
  readonly marks: TimelineMarks;
  readonly arrangement: Arrangement;
  readonly colours: TimelineColours;
  readonly match; // how `found` is meant
  // While an area is being drawn it makes no steps of history.
  readonly isDragging = signal(false);
  readonly keysEverywhere = signal(keysAreEverywhere());
  // The row on which the keyboard is: of a rank, or of one of its tracks.
  readonly cursor = signal<{readonly rank: number; readonly track: number | null; readonly isPinned: boolean} | null>(
    null,
  );
  private readonly wantedArea;
  private readonly wantedEvent;
  private selection = ""; // that the address has
  private readonly isUnframed: boolean; // the address says no window
  private summing = new AbortController();
  private asking = new AbortController();
  private searching = new AbortController();

  constructor(
    readonly store: TimelineStore,
    private readonly hasMetrics: boolean,
  ) {
    const place = readPlace(location.search);
    const whole = wholeOf(store.info);
    this.viewport = new TimelineViewport(whole, place.window ?? whole);
    this.facts = new TimelineFacts(store);
    this.notes = new TimelineNotes(store.run);
    this.order = signal<Order>(place.order);
    this.open = signal<readonly number[]>(place.open.filter((rank) => store.rowOf.has(rank)));
    this.shown = signal<readonly number[]>(place.ranks.filter((rank) => store.rowOf.has(rank)));
    this.found = signal(place.found);
    this.wantedEvent = signal(place.chosen);
    this.wantedArea = signal(place.area);
    this.links = new TimelineLinks(store, place.path, place.collectives);
    this.findings = new TimelineFindings(store, place.finding, this.facts.steps, this.facts.files);
    this.framing = new TimelineFraming(
      this.viewport,
      this.findings,
      this.facts.steps,
      place.window === null ? place.finding : "",
      place.window === null ? place.step : null,
    );
    this.groups = new TimelineGroups(
      store,
      place.group,
      place.folded,
      this.ranks,
      (rank, by) => this.facts.layout.value.get(rank)?.[by] ?? null,
    );
    this.telemetry = new TimelineTelemetry(store, place.metric);
    this.result = new TimelineResult(store, place.sql);
    this.other = new TimelineOther(store, place.beside, this.facts.steps, this.viewport.window);
    this.match = signal<NameMatch>(place.match);
    this.events = new TimelineEvents(store, async (rank) => {
      await this.facts.whenLoaded();
      const capture = this.facts.captureOf(rank);
      return {capture, file: this.facts.fileOf(rank, capture)};
    });
    this.events.of.value = place.of;
    this.calls = new AreaCalls(store);
    this.marks = new TimelineMarks(place.marks);
    this.colours = new TimelineColours(store, place.colour, async (rank, capture) => {
      await this.facts.whenLoaded();
      return this.facts.fileOf(rank, capture);
    });
    this.arrangement = new Arrangement(place.pinned, place.hidden, place.placed, place.empty);
    this.isUnframed = place.window === null;
    if (this.open.value.length === 0 && store.ranks.length === 1) this.open.value = [...store.ranks];
  }

  get run(): string {
    return this.store.run;
  }

  // How each rank's time goes in the window, in 255ths (binParts): worked out when the window has been still for a moment, a slice at a
  // time, since there may be 10,000 ranks.
  readonly shares = signal<ReadonlyMap<number, readonly number[]>>(new Map());
  private sharing = 0;
  private planShares(): void {
    const [time, ranks] = [
      this.viewport.window.value,
      this.shown.value.length > 0 ? this.shown.value : this.store.ranks,
    ];
    void this.store.changes.value;
    clearTimeout(this.sharing);
    const found = new Map<number, readonly number[]>();
    let at = 0;
    const work = () => {
      const begin = performance.now();
      for (; at < ranks.length && performance.now() - begin < sliceMs; ++at) {
        const rank = ranks[at] ?? 0;
        const row = this.store.rowOf.get(rank) ?? 0;
        const block = this.store.blockOf(rank);
        const whole = this.store.wholeOf(block);
        const place = row % this.store.info.tile_ranks;
        // Close up the coarsest tell nothing; of the ranks that are seen, finer ones are here.
        const of = (whole && sharesOf([whole], place, time, 16)) ?? sharesOf(this.finest(block), place, time);
        if (of) found.set(rank, of);
      }
      if (at < ranks.length) this.sharing = window.setTimeout(work, 0);
      else {
        this.sharing = 0;
        this.shares.value = found;
      }
    };
    this.sharing = window.setTimeout(work, stillMs);
  }

  // The ranks from above: as they were placed by hand, then those of the chosen finding.
  readonly ranks = computed(() => {
    const hidden = new Set(this.arrangement.hidden.value);
    const ranks =
      hidden.size === 0 ? this.ordered.value : this.ordered.value.filter((rank) => !hidden.has(String(rank)));
    const first = new Set(this.findings.ranks.value);
    const theirs =
      first.size === 0
        ? ranks
        : [...ranks.filter((rank) => first.has(rank)), ...ranks.filter((rank) => !first.has(rank))];
    return arranged(theirs, String, this.arrangement.placed.value);
  });
  private readonly ordered = computed(() => {
    const ranks = this.shown.value.length > 0 ? this.shown.value : this.store.ranks;
    const order = this.order.value;
    if (order === "rank") return ranks;
    const dimension = dimensions.find((one) => one === order);
    if (dimension !== undefined) {
      const at = (rank: number) => this.facts.layout.value.get(rank)?.[dimension] ?? null;
      return [...ranks].sort((a, b) => compared(at(a), at(b)) || a - b);
    }
    const place = binParts.indexOf(order === "waiting" ? "wait" : order === "computing" ? "compute" : "idle_host");
    const of = (rank: number) => this.shares.value.get(rank)?.[place] ?? 0;
    // Who waits least makes the others wait, so it comes first; of the others, most.
    const sign = order === "waiting" ? 1 : -1;
    return [...ranks].sort((a, b) => sign * (of(a) - of(b)) || a - b);
  });

  private readonly blocks = computed(() => [
    ...new Set(
      (this.shown.value.length > 0 ? this.shown.value : this.store.ranks).map((rank) => this.store.blockOf(rank)),
    ),
  ]);

  // The ranks that have a row of their own.
  private readonly alone = computed(() =>
    this.groups.by.value === null
      ? this.ranks.value
      : this.groups.all.value.flatMap((group) => (group.isFolded ? [] : group.ranks)),
  );

  readonly rankHeight = computed(() => {
    // The place is no higher than its rows: of few ranks it says nothing of the room that there is.
    const room = Math.max(this.viewport.size.value.height - 40, leastRoom) - groupHeight * this.groups.all.value.length;
    const each = this.other.shown.value === null ? 1 : 2;
    const height = Math.floor(room / Math.max(1, each * this.alone.value.length));
    return height >= 14 ? Math.min(22, height) : Math.max(1, Math.min(12, height));
  });

  readonly rows = computed((): readonly TimelineRow[] => {
    void this.store.spanChanges.value;
    const rows: TimelineRow[] = [];
    const open = new Set(this.open.value);
    const tall = new Set(this.findings.ranks.value.length <= mostTall ? this.findings.ranks.value : []);
    let top = 0;
    const metric = this.telemetry.metric.value;
    if (metric !== null) {
      rows.push({rank: noRank, track: null, top, height: metricHeight, label: metric.name, head: "metric"});
      top += metricHeight + 2;
    }
    const track = this.result.track.value;
    if (track !== null) {
      const height = track.lanes * laneHeight;
      rows.push({rank: noRank, track: null, top, height, label: "SQL", head: "result"});
      top += height + trackGap;
    }
    if (this.other.pairs.value.length > 0) {
      rows.push({rank: noRank, track: null, top, height: changesHeight, label: "here against there", head: "changes"});
      top += changesHeight + 2;
    }
    const hidden = new Set(this.arrangement.hidden.value);
    const labelOf = (rank: number) => {
      const where = this.facts.places.value.get(rank);
      return where ? `rank ${rank}  ${where}` : `rank ${rank}`;
    };
    for (const key of this.arrangement.pinned.value) {
      const rank = rankOfKey(key);
      if (rank === null || !this.store.rowOf.has(rank)) continue;
      const tracks = this.store.spansOf(rank)?.tracks ?? [];
      const track = key === String(rank) ? null : tracks.findIndex((one) => rowKey(rank, one) === key);
      if (track === -1) continue; // not here yet, or not in this recording
      const lanes = track === null ? 0 : (tracks[track]?.lanes ?? 1);
      const height = track === null ? Math.max(tallHeight, this.rankHeight.value) : lanes * laneHeight;
      const label = track === null ? labelOf(rank) : `${rank}: ${tracks[track]?.name}`;
      rows.push({rank, track, top, height, label: `\u25aa ${label}`, isPinned: true});
      top += height + (track === null ? 0 : trackGap);
    }
    if (rows.at(-1)?.isPinned === true) top += 4;
    const add = (rank: number) => {
      const isOpen = open.has(rank);
      const height = isOpen || tall.has(rank) ? Math.max(tallHeight, this.rankHeight.value) : this.rankHeight.value;
      rows.push({rank, track: null, top, height, label: labelOf(rank)});
      top += height;
      const beside = this.other.rankBeside(rank);
      if (beside !== null) {
        const label = `\u2514 ${this.other.shown.value?.name ?? ""}${beside === rank ? "" : `, rank ${beside}`}`;
        rows.push({rank, track: null, top, height, label, head: "other"});
        top += height + 1;
      }
      if (!isOpen) return;
      const spans = this.store.spansOf(rank);
      top += 2;
      const tracks = (spans?.tracks ?? [])
        .map((track, i) => ({track, i}))
        .filter(({track}) => !hidden.has(rowKey(rank, track)))
        .sort((a, b) => roleOrder.indexOf(a.track.role) - roleOrder.indexOf(b.track.role) || a.i - b.i);
      const empty = this.empty.value.get(rank);
      const isUnfolded = this.arrangement.unfolded.value.includes(rank);
      const chosen = this.chosen.value?.rank === rank ? this.chosen.value.track : null;
      const isFolded = (i: number) => !isUnfolded && i !== chosen && empty?.has(i) === true;
      const placed = this.arrangement.placed.value;
      for (const {track, i} of arranged(tracks, (one) => rowKey(rank, one.track), placed)) {
        if (isFolded(i)) continue;
        rows.push({rank, track: i, top, height: track.lanes * laneHeight, label: track.name});
        top += track.lanes * laneHeight + trackGap;
      }
      const count = tracks.filter(({i}) => i !== chosen && empty?.has(i) === true).length;
      if (count === 0) return;
      const label = `${isUnfolded ? "\u25be" : "\u25b8"} ${plural(count, "empty row")}`;
      rows.push({rank, track: emptyTracks, top, height: laneHeight, label, head: "empty"});
      top += laneHeight + trackGap;
    };
    if (this.groups.by.value === null) {
      for (const rank of this.ranks.value) add(rank);
      return rows;
    }
    this.groups.all.value.forEach((group, i) => {
      const label = `${group.isFolded ? "\u25b8" : "\u25be"} ${group.label}  (${group.ranks.length})`;
      rows.push({
        rank: groupRank(i),
        track: null,
        top,
        height: groupHeight,
        label,
        ...(group.isFolded ? {} : {head: "group"}),
      });
      top += groupHeight;
      if (!group.isFolded) for (const rank of group.ranks) add(rank);
    });
    return rows;
  });

  // Where each rank's own row is: of those in a folded group the group's.
  readonly rowOf = computed(() => {
    const found = new Map<number, TimelineRow>();
    for (const row of this.rows.value) {
      if (row.track !== null || row.head !== undefined || row.isPinned === true) continue;
      const group = groupOf(row.rank);
      if (group === null) found.set(row.rank, row);
      else for (const rank of this.groups.all.value[group]?.ranks ?? []) found.set(rank, row);
    }
    return found;
  });

  // Whose time a row shows.
  ranksOf(row: TimelineRow): readonly number[] {
    if (row.head !== undefined) return [];
    const group = groupOf(row.rank);
    return group === null ? [row.rank] : (this.groups.all.value[group]?.ranks ?? []);
  }

  readonly bottom = computed(() => {
    const last = this.rows.value.at(-1);
    return last ? last.top + last.height : 0;
  });

  // How many rows are pinned, and where they end.
  private readonly pins = computed(() => this.rows.value.filter((row) => row.isPinned === true));
  readonly pinnedHeight = computed(() => {
    const last = this.pins.value.at(-1);
    return last === undefined ? 0 : last.top + last.height + 4;
  });

  // Those that can be seen; what is pinned lies over the others, wherever these are scrolled to.
  readonly visible = computed(() => {
    const rows = this.rows.value;
    const {value: scroll} = this.viewport.scroll;
    const pinned = this.pins.value.map((row) => ({...row, top: row.top + scroll}));
    const [top, bottom] = [scroll, scroll + this.viewport.size.value.height];
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

  // Tracks of open ranks without an event in the window, worked out when it has been still for a moment: rows do not jump while it moves.
  private readonly empty = signal<ReadonlyMap<number, ReadonlySet<number>>>(new Map());
  private emptying = 0;
  private findEmpty(): void {
    this.emptying = 0;
    const {from, to} = this.viewport.window.peek();
    const found = new Map<number, ReadonlySet<number>>();
    for (const rank of this.open.peek()) {
      const spans = this.store.spansOf(rank);
      const tracks = spans?.tracks.map((_, i) => i).filter((i) => !hasEvents(spans, i, from, to));
      if (tracks !== undefined && tracks.length > 0) found.set(rank, new Set(tracks));
    }
    const text = (all: ReadonlyMap<number, ReadonlySet<number>>) =>
      JSON.stringify([...all].map(([rank, tracks]) => [rank, ...tracks]));
    if (text(found) !== text(this.empty.peek())) this.empty.value = found;
  }
  private planEmpty(): void {
    void this.viewport.window.value;
    clearTimeout(this.emptying);
    this.emptying = window.setTimeout(() => this.findEmpty(), stillMs);
  }

  // Whose own rows can be seen.
  private readonly seenRanks = computed(() => [
    ...new Set(this.visible.value.filter((row) => row.track === null).flatMap((row) => this.ranksOf(row))),
  ]);

  readonly tileKeys = computed(() => {
    const blocks = [...new Set(this.seenRanks.value.map((rank) => this.store.blockOf(rank)))];
    return tilesFor(this.store.info, this.viewport.window.value, this.viewport.size.value.width, blocks);
  });

  // Ranks one of whose tracks is pinned: their events are needed although they may be closed.
  private readonly pinnedRanks = computed(() =>
    this.arrangement.pinned.value
      .map((key) => ({key, rank: rankOfKey(key) ?? -1}))
      .filter(({key, rank}) => key !== String(rank) && this.store.rowOf.has(rank))
      .map(({rank}) => rank)
      .slice(0, mostOpen),
  );

  // What a row is called in the arrangement; null: it is none of a rank or a track.
  keyOf(row: TimelineRow): string | null {
    if (row.rank < 0 || row.head !== undefined) return null;
    if (row.track === null) return String(row.rank);
    const track = this.store.spansOf(row.rank)?.tracks[row.track];
    return track === undefined ? null : rowKey(row.rank, track);
  }
  // Up or down among the ranks of its group, or the tracks of its rank.
  moveRow(row: TimelineRow, by: 1 | -1): void {
    const key = this.keyOf(row);
    if (key === null) return;
    const group = (rank: number) => this.groups.all.value.findIndex((one) => one.ranks.includes(rank));
    const isBeside = (one: TimelineRow) =>
      (one.isPinned === true) === (row.isPinned === true) &&
      (row.isPinned === true || ((one.track === null) === (row.track === null) && one.head === undefined)) &&
      (row.isPinned === true || row.track === null || one.rank === row.rank);
    const rows = this.rows.value.filter((one) => isBeside(one) && this.keyOf(one) !== null);
    const other = rows[rows.findIndex((one) => this.keyOf(one) === key) + by];
    if (other === undefined || (row.track === null && !row.isPinned && group(other.rank) !== group(row.rank))) return;
    this.arrangement.trade(
      rows.map((one) => this.keyOf(one) ?? ""),
      key,
      this.keyOf(other) ?? "",
    );
  }
  // The row whose menu is open, and where on the screen.
  readonly menu = signal<{readonly row: TimelineRow; readonly x: number; readonly y: number} | null>(null);

  // Of the row of a rank, or of a folded group.
  tilesOfRow(rank: number, tilesOfRank: (rank: number) => readonly Tile[]): readonly Tile[] {
    return groupOf(rank) === null ? tilesOfRank(rank) : this.groups.tilesOf(rank, tilesOfRank);
  }

  // Of a block of ranks, the coarser first, so that finer ones are drawn over them.
  tilesOf(block: number): Tile[] {
    const tiles = new Set<Tile>();
    const whole = this.store.wholeOf(block);
    if (whole) tiles.add(whole);
    for (const key of this.tileKeys.value) {
      if (key.block !== block) continue;
      const found = this.store.tile(key);
      if (found) tiles.add(found.tile);
    }
    return [...tiles].sort((a, b) => b.shift - a.shift);
  }

  // The tiles of the picture now, of one level.
  private finest(block: number): Tile[] {
    const tiles = this.tileKeys
      .peek()
      .filter((key) => key.block === block)
      .map((key) => this.store.tile(key)?.tile);
    const shift = Math.min(...tiles.map((tile) => tile?.shift ?? Infinity));
    return [...new Set(tiles.filter((tile) => tile !== undefined && tile.shift === shift))].filter(
      (tile) => tile !== undefined,
    );
  }

  start(): () => void {
    const stops: (() => void)[] = [
      effect(() => {
        const {info} = this.store;
        const coarsest = (blocks: Iterable<number>) =>
          [...new Set(blocks)].map((block) => ({shift: info.last_shift, column: 0, block}));
        const keys = this.tileKeys.value;
        // First what holds the place of finer ones; last what only the sentence and the order go by.
        this.store.want(
          [...coarsest(keys.map((key) => key.block)), ...keys, ...coarsest(this.blocks.value)],
          [...new Set([...this.open.value, ...this.pinnedRanks.value])],
          this.viewport.window.value,
          this.viewport.size.value.width,
        );
      }),
      effect(() => {
        const place: Place = {
          window: this.viewport.window.value,
          ranks: this.shown.value,
          open: this.open.value,
          order: this.order.value,
          found: this.found.value,
          chosen: this.chosen.value ?? this.wantedEvent.value,
          path: this.links.showsPath.value,
          collectives: this.links.showsCollectives.value,
          group: this.groups.by.value,
          folded: [...this.groups.folded.value],
          finding: this.findings.key.value,
          metric: this.telemetry.name.value,
          sql: this.result.sql.value,
          beside: this.other.run.value,
          area: this.isDragging.value ? null : (this.area.value ?? this.wantedArea.value),
          of: this.events.of.value,
          step: null,
          match: this.match.value,
          marks: this.marks.times.value,
          colour: this.colours.by.value,
          pinned: this.arrangement.pinned.value,
          hidden: this.arrangement.hidden.value,
          placed: this.arrangement.placed.value,
          empty: this.arrangement.unfolded.value,
        };
        const address =
          location.pathname +
          writePlace({
            ...place,
            window: place.window === null || this.viewport.isWhole(place.window) ? null : place.window,
          });
        // What is selected is a step that Back undoes; where one looks is none.
        const selection = JSON.stringify([
          place.open,
          place.ranks,
          place.chosen && [place.chosen.rank, place.chosen.start, place.chosen.duration],
          place.finding,
          place.group,
          place.of,
          place.area,
          place.marks,
          place.sql,
          place.beside,
          place.pinned,
          place.hidden,
          place.placed,
        ]);
        const isStep = this.selection !== "" && selection !== this.selection;
        this.selection = selection;
        if (address === location.pathname + location.search) return;
        if (isStep) history.pushState(null, "", address);
        else history.replaceState(null, "", address);
      }),
      this.colours.follow(computed(() => [...this.open.value, ...this.pinnedRanks.value])),
      effect(() => this.planShares()),
      effect(() => this.planEmpty()),
      effect(() => {
        void [this.store.spanChanges.value, this.open.value];
        this.findEmpty();
      }),
      this.links.follow(this.viewport.window, this.viewport.size),
      effect(() => this.findings.follow()),
      this.framing.follow(),
      effect(() => this.findArea()),
      effect(() => this.telemetry.follow()),
      effect(() => this.result.follow()),
      this.other.follow(this.seenRanks, this.viewport.size),
      this.calls.follow(computed(() => (this.isDragging.value ? null : this.area.value))),
      effect(() => {
        void this.store.spanChanges.value;
        this.findWanted();
      }),
    ];
    void this.notes.load();
    this.facts.load();
    void this.findings.load();
    const {of} = this.events;
    if (of.value !== null) void this.showEvents(of.value, this.open.value[0] ?? null, this.isUnframed);
    if (this.found.value.length >= 2) this.search(this.found.value);
    if (this.hasMetrics) void this.telemetry.load();
    const back = () => this.take(readPlace(location.search));
    addEventListener("popstate", back);
    stops.push(() => removeEventListener("popstate", back));
    return () => {
      clearTimeout(this.sharing);
      clearTimeout(this.emptying);
      stops.forEach((stop) => stop());
    };
  }

  // When nothing is on its way or being worked out.
  async idle(): Promise<void> {
    do {
      await this.store.idle();
      await new Promise((resolve) => setTimeout(resolve, 20));
    } while (
      this.store.isBusy ||
      this.links.isBusy ||
      this.findings.isBusy ||
      this.telemetry.isBusy ||
      this.result.isBusy ||
      this.other.isBusy ||
      this.events.isBusy ||
      this.calls.isBusy ||
      this.colours.isBusy ||
      this.sharing !== 0 ||
      this.emptying !== 0
    );
  }

  // The area that the address names, over the rows that its ranks have.
  private findArea(): void {
    const wanted = this.wantedArea.value;
    if (wanted === null) return;
    const ranks = new Set(wanted.ranks);
    const rows = this.rows.value.filter((row) => this.ranksOf(row).some((rank) => ranks.has(rank)));
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return;
    this.wantedArea.value = null;
    this.addUp({...wanted, top: first.top, bottom: last.top + last.height});
  }

  // The events that a row of a table is made of: listed, lit, and the longest of them in the picture.
  async showEvents(of: Events, rank: number | null, isFramed = true): Promise<void> {
    const longest = await this.events.show(of, rank);
    if (longest !== null && isFramed && this.events.of.value === of) this.show(longest);
  }
  // One of a file, by what SQL calls `event`.
  async showEvent(rank: number, event: number): Promise<void> {
    const track =
      this.chosen.value?.rank === rank ? this.store.spansOf(rank)?.tracks[this.chosen.value.track] : undefined;
    try {
      const [hit] = await getEvents(this.run, rank, track?.capture ?? 0, String(event), new AbortController().signal);
      if (hit !== undefined) this.show(hit);
    } catch (error) {
      this.store.problem.value = error instanceof Error ? error.message : String(error);
    }
  }
  // The event behind the chosen one, or before it, in its row; along the list where there is one; none is chosen: the first in the picture.
  walk(by: 1 | -1): void {
    if ((this.events.found.value?.hits.length ?? 0) > 1) return this.stepEvents(by);
    const {chosen} = this;
    const now = chosen.value;
    const cursor = this.cursorRow.value;
    const rank = now?.rank ?? (cursor !== null && cursor.track !== null ? cursor.rank : this.open.value[0]);
    const spans = rank === undefined ? null : this.store.spansOf(rank);
    if (rank === undefined || spans === null) return;
    const row = this.rows.value.find(
      (one) => one.rank === rank && one.track !== null && (now === null || one.track === now.track),
    );
    const track = now?.track ?? (cursor?.rank === rank ? cursor.track : null) ?? row?.track ?? null;
    if (track === null) return;
    let best = -1;
    const from = now?.start ?? this.viewport.window.value.from;
    for (let i = spans.first[track] ?? 0; i < (spans.first[track + 1] ?? 0); ++i) {
      const start = spans.start[i] ?? 0;
      if (now !== null && ((spans.lane[i] ?? 0) !== now.lane || (by > 0 ? start <= from : start >= from))) continue;
      if (now === null && start < from) continue;
      if (best < 0 || (by > 0 ? start < (spans.start[best] ?? 0) : start > (spans.start[best] ?? 0))) best = i;
    }
    if (best < 0) return;
    const about = {
      rank,
      track,
      start: spans.start[best] ?? 0,
      duration: spans.duration[best] ?? 0,
      lane: spans.lane[best] ?? 0,
    };
    this.viewport.bringIn(about);
    this.choose(
      about,
      spans.names[spans.name[best] ?? 0] ?? "",
      spans.event[best] ?? 0,
      1,
      this.store.info.kinds[spans.kind[best] ?? 0] ?? "",
    );
  }
  // The row of the cursor; null: it is nowhere, or its row is no longer there.
  readonly cursorRow = computed((): TimelineRow | null => {
    const at = this.cursor.value;
    return at === null
      ? null
      : (this.rows.value.find(
          (row) => row.rank === at.rank && row.track === at.track && (row.isPinned === true) === at.isPinned,
        ) ?? null);
  });
  moveCursor(by: 1 | -1): void {
    const rows = this.rows.value.filter((row) => !isOfNobody(row));
    const now = this.cursorRow.value;
    // First where the picture begins.
    const at =
      now === null
        ? rows.findIndex((row) => row.isPinned === true || row.top >= this.viewport.scroll.value)
        : rows.indexOf(now) + by;
    const row = rows[Math.max(0, Math.min(rows.length - 1, at))];
    if (row === undefined) return;
    this.cursor.value = {rank: row.rank, track: row.track, isPinned: row.isPinned === true};
    if (row.isPinned === true) return;
    const room = this.viewport.size.value.height - rulerHeight;
    const top = this.viewport.scroll.value;
    if (row.top < top + this.pinnedHeight.value)
      this.viewport.wantedScroll.value = Math.max(0, row.top - this.pinnedHeight.value);
    else if (row.top + row.height > top + room) this.viewport.wantedScroll.value = row.top + row.height - room;
  }
  // Opens or closes the rank or the group of the cursor; of a track it chooses the first event in the picture.
  enter(): void {
    const row = this.cursorRow.value;
    if (row === null) return;
    const group = this.groups.all.value[groupOf(row.rank) ?? -1];
    if (group !== undefined) this.groups.toggle(group.key);
    else if (row.head === "empty") this.arrangement.toggleEmpty(row.rank);
    else if (row.track === null) this.toggle(row.rank);
    else {
      this.chosen.value = null;
      this.walk(1);
    }
  }

  // Along an arrow: from work of a device to its launch, from a backward event to the op of its forward pass; and back.
  private readonly came: {readonly rank: number; readonly event: number}[] = [];
  follow(to: "before" | "next"): void {
    const details = this.details.value;
    if (details === null) return;
    const {rank} = details.about;
    if (to === "next") {
      const back = this.came.pop();
      if (back !== undefined) void this.showEvent(back.rank, back.event);
      return;
    }
    const target = details.launch ?? this.forward.value?.event ?? this.backward.value?.event ?? null;
    if (target === null) return;
    this.came.push({rank, event: details.event});
    void this.showEvent(rank, target);
  }
  // A row of the result of SQL: its event where it names one, else its time with its rank open.
  chooseResult(span: ResultSpan): void {
    this.result.chosen.value = span;
    const {value: result} = this.result.result;
    const names = (result?.columns ?? []).map((column) => column.name);
    const event = doorOfResult(names, result?.rows[span.row] ?? [])?.of;
    if (event !== undefined) {
      void this.showEvents(event, span.rank);
      return;
    }
    const margin = Math.max(span.duration * 0.5, 10_000);
    this.viewport.frame({from: span.start, to: span.start + span.duration}, margin);
    if (span.rank !== null && this.store.rowOf.has(span.rank)) this.reveal(span.rank);
  }
  // Walks along them.
  stepEvents(by: number): void {
    const hit = this.events.step(by);
    if (hit !== null) this.show(hit);
  }
  // The event of this name that begins next in the area, behind the chosen one; behind the last comes the first.
  async nextInArea(name: string): Promise<void> {
    const area = this.area.value;
    if (area === null) return;
    const {ranks} = area;
    this.walking.abort();
    const walking = (this.walking = new AbortController());
    try {
      const found = await searchTimeline(
        this.run,
        name,
        "whole",
        rangesOf(ranks),
        walking.signal,
        Math.floor(area.from),
      );
      const hits = found.hits
        .filter((hit) => hit.start_ns < area.to)
        .sort((a, b) => a.start_ns - b.start_ns || a.rank - b.rank);
      const now = this.chosen.value;
      const next = hits.find(
        (hit) => now === null || hit.start_ns > now.start || (hit.start_ns === now.start && hit.rank > now.rank),
      );
      const hit = next ?? hits[0];
      if (hit !== undefined) this.show(hit);
    } catch (error) {
      if (!walking.signal.aborted) this.store.problem.value = error instanceof Error ? error.message : String(error);
    }
  }
  private walking = new AbortController();
  // Along what a search found.
  private hitAt = -1;
  stepHits(by: number): void {
    const hits = this.hits.value?.hits ?? [];
    if (hits.length === 0) return;
    this.hitAt = (Math.max(this.hitAt, by < 0 ? 0 : -1) + by + hits.length) % hits.length;
    const hit = hits[this.hitAt];
    if (hit !== undefined) this.show(hit);
  }

  private take(place: Place): void {
    const known = (ranks: readonly number[]) => ranks.filter((rank) => this.store.rowOf.has(rank));
    batch(() => {
      this.clear();
      this.viewport.window.value = place.window ?? this.viewport.whole;
      this.order.value = place.order;
      this.open.value = known(place.open);
      this.shown.value = known(place.ranks);
      this.found.value = place.found;
      this.wantedEvent.value = place.chosen;
      this.wantedArea.value = place.area;
      this.links.showsPath.value = place.path;
      this.links.showsCollectives.value = place.collectives;
      this.groups.by.value = place.group;
      this.groups.folded.value = new Set(place.folded);
      this.findings.key.value = place.finding;
      this.telemetry.name.value = place.metric;
      this.result.sql.value = place.sql;
      this.other.run.value = place.beside;
      this.match.value = place.match;
      this.marks.times.value = place.marks;
      this.colours.by.value = place.colour;
      this.arrangement.pinned.value = place.pinned;
      this.arrangement.hidden.value = place.hidden;
      this.arrangement.placed.value = place.placed;
      this.arrangement.unfolded.value = place.empty;
    });
    const of = this.events.of.value;
    if (place.of === null) this.events.clear();
    else if (of?.kind !== place.of.kind || of.value !== place.of.value)
      void this.showEvents(place.of, place.open[0] ?? null, place.window === null);
  }

  // A note with its rank open; one at an instant with what is around it.
  goToNote(note: Note): void {
    if (note.time_ns === null) return;
    const [from, to] = [note.time_ns, note.end_ns ?? note.time_ns];
    const margin = Math.max((to - from) * 0.25, note.end_ns === null ? 2_000_000 : 0);
    this.viewport.frame({from, to}, margin);
    if (note.rank !== null && this.store.rowOf.has(note.rank)) this.reveal(note.rank);
  }
  // All rows between two times.
  selectBetween(from: number, to: number): void {
    this.selectArea({from, to, ranks: this.ranks.value, top: 0, bottom: this.bottom.value});
  }

  // At what is chosen.
  note(text: string): Promise<void> {
    return this.notes.add(text, placeOfNote(this.chosen.value, this.area.value));
  }

  // An event that the address names is chosen as soon as it is here.
  private findWanted(): void {
    const wanted = this.wantedEvent.value;
    if (wanted === null) return;
    if (!this.open.value.includes(wanted.rank)) return this.toggle(wanted.rank, true);
    const spans = this.store.spansOf(wanted.rank);
    if (spans === null) return;
    for (let track = 0; track < spans.tracks.length; ++track) {
      for (let i = spans.first[track] ?? 0; i < (spans.first[track + 1] ?? 0); ++i) {
        if (spans.start[i] !== wanted.start || spans.duration[i] !== wanted.duration) continue;
        this.wantedEvent.value = null;
        this.choose(
          {rank: wanted.rank, track, start: wanted.start, duration: wanted.duration, lane: spans.lane[i] ?? 0},
          spans.names[spans.name[i] ?? 0] ?? "",
          spans.event[i] ?? 0,
          spans.events[i] ?? 1,
          this.store.info.kinds[spans.kind[i] ?? 0] ?? "",
        );
        return;
      }
    }
  }

  // From a call to the work that it launched, and from an op of the forward pass to that of the backward pass.
  readonly arrows = computed((): readonly Arrow[] => {
    const details = this.details.value;
    if (details === null) return [];
    const {rank, start} = details.about;
    const own = {rank, event: details.event, start, track: details.about.track};
    const end = ({event, at}: LinkedOp) => {
      const tracks = this.store.spansOf(rank)?.tracks ?? [];
      const track = tracks.findIndex((one) => one.role === "thread" && one.name === at?.track);
      return {rank, event, start: at?.start_ns ?? null, track: track < 0 ? null : track};
    };
    const [forward, backward] = [this.forward.value, this.backward.value];
    return [
      ...(details.launch === null ? [] : [{from: {rank, event: details.launch, start: null, track: null}, to: own}]),
      ...(forward === null ? [] : [{from: end(forward), to: own}]),
      ...(backward === null ? [] : [{from: own, to: end(backward)}]),
    ];
  });
  fit(): void {
    const {chosen} = this;
    const area = this.area.value;
    if (chosen.value === null && area !== null)
      this.viewport.window.value = {from: area.from, to: Math.max(area.to, area.from + 200)};
    else if (chosen.value !== null)
      this.viewport.window.value = {
        from: chosen.value.start - chosen.value.duration * 0.2 - 100,
        to: chosen.value.start + chosen.value.duration * 1.2 + 100,
      };
    else this.viewport.window.value = this.viewport.whole;
  }
  toggle(rank: number, isOpen = !this.open.value.includes(rank)): void {
    const others = this.open.value.filter((one) => one !== rank);
    this.open.value = isOpen ? [...others.slice(-(mostOpen - 1)), rank].sort((a, b) => a - b) : others;
  }

  // Open, and where it is seen.
  reveal(rank: number): void {
    this.arrangement.hidden.value = this.arrangement.hidden.value.filter((key) => key !== String(rank));
    const group = this.groups.all.value.find((one) => one.isFolded && one.ranks.includes(rank));
    if (group !== undefined) this.groups.toggle(group.key);
    this.toggle(rank, true);
    const row = this.rows.value.find((one) => one.rank === rank && one.isPinned !== true);
    if (row)
      this.viewport.wantedScroll.value = Math.max(0, row.top - this.pinnedHeight.value - 3 * Math.max(18, row.height));
  }

  clear(): void {
    this.area.value = null;
    this.chosen.value = null;
    this.details.value = null;
    this.sums.value = null;
    this.wantedEvent.value = null;
    this.links.clear();
  }

  // An event, or `count` that are drawn as one.
  choose(about: Chosen, name: string, event: number, count: number, kind: string): void {
    this.links.clear();
    this.chosen.value = about;
    this.details.value = {about, name, event, detail: null, launch: null};
    if (count > 1) {
      this.viewport.zoom(
        (this.viewport.window.value.to - this.viewport.window.value.from) / Math.max(1, about.duration * 3),
        about.start + about.duration / 2,
      );
      return;
    }
    if (isCommunication(kind)) this.links.choose(about.rank, event, about.start);
    this.stack.value = [];
    this.forward.value = null;
    this.backward.value = null;
    this.asking.abort();
    const asking = (this.asking = new AbortController());
    void this.lookUp(about, name, event, asking.signal);
  }

  // Arguments, launch and stack, from the event's own file.
  private async lookUp(about: Chosen, name: string, event: number, signal: AbortSignal): Promise<void> {
    await this.facts.whenLoaded();
    const track = this.store.spansOf(about.rank)?.tracks[about.track];
    const isWork = track?.role === "stream";
    const file = this.facts.fileOf(about.rank, track?.capture ?? 0);
    // Of one file there is one capture, whatever its number is in the job.
    const own = file === undefined ? {rank: about.rank, capture: track?.capture ?? 0} : null;
    try {
      const rows = await runQuery(this.run, detailQuery(event, isWork, own), signal, file);
      const detail = eventDetailOf(rows);
      const launch = detail.launch;
      this.details.value = {about, name, event, detail, launch};
      const inner = isWork ? launch : event;
      if (inner === null) return;
      const stack = await runQuery(this.run, stackQuery(inner, isWork, own), signal, file);
      this.stack.value = stack.rows.map(([name, cat, of]) => ({
        name: String(name),
        cat: String(cat),
        event: Number(of),
      }));
      const linked = async (sql: string): Promise<LinkedOp | null> => {
        const [found] = (await runQuery(this.run, sql, signal, file)).rows;
        if (found === undefined) return null;
        const number = Number(found[1]);
        const [at] = await getEvents(this.run, about.rank, track?.capture ?? 0, String(number), signal);
        return {name: String(found[0]), cat: "cpu_op", event: number, at: at ?? null};
      };
      const sequence = sequenceOf(stack.rows.map((row) => String(row[3] ?? "")).concat(detail.json));
      const forwardOf = isWork ? null : ownSequence(detail.json);
      if (sequence !== null) this.forward.value = await linked(forwardQuery(sequence, own));
      else if (forwardOf !== null) this.backward.value = await linked(backwardQuery(forwardOf, own));
    } catch (error) {
      if (!signal.aborted) this.store.problem.value = error instanceof Error ? error.message : String(error);
    }
  }

  selectArea(area: Area): void {
    this.links.clear();
    this.chosen.value = null;
    this.details.value = null;
    this.addUp(area);
  }
  // An event that is chosen by a row of the sums stays.
  private addUp(area: Area): void {
    this.area.value = area;
    this.sums.value = null;
    this.summing.abort();
    const summing = (this.summing = new AbortController());
    this.wait.value = true;
    getSums(
      this.run,
      this.store.info.version,
      Math.round(area.from),
      Math.max(Math.round(area.from) + 1, Math.round(area.to)),
      rangesOf(area.ranks),
      summing.signal,
    )
      .then((sums) => {
        this.sums.value = sums;
      })
      .catch((error: unknown) => {
        if (!summing.signal.aborted) this.store.problem.value = error instanceof Error ? error.message : String(error);
      })
      .finally(() => {
        if (this.summing === summing) this.wait.value = false;
      });
  }

  search(text: string): void {
    this.found.value = text;
    this.searching.abort();
    this.hits.value = null;
    this.hitAt = -1;
    if (text.length < 2) return;
    const searching = (this.searching = new AbortController());
    searchTimeline(
      this.run,
      text,
      this.match.value,
      rangesOf(this.open.value.length > 0 ? this.open.value : this.ranks.value),
      searching.signal,
    )
      .then((hits) => {
        this.hits.value = hits;
      })
      .catch((error: unknown) => {
        if (!searching.signal.aborted)
          this.store.problem.value = error instanceof Error ? error.message : String(error);
      });
  }

  show(hit: Pick<TimelineHit, "rank" | "start_ns" | "duration_ns">): void {
    this.reveal(hit.rank);
    const span = Math.max(hit.duration_ns * 8, 20_000);
    this.viewport.window.value = {
      from: hit.start_ns + hit.duration_ns / 2 - span / 2,
      to: hit.start_ns + hit.duration_ns / 2 + span / 2,
    };
    this.wantedEvent.value = {rank: hit.rank, start: hit.start_ns, duration: hit.duration_ns};
  }
}
