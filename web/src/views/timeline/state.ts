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

import {rangesOf} from "../../model/ranks";
import {type Window, wholeOf} from "../../model/timeline";
import {doorOfResult} from "../../model/doors";
import type {ResultSpan} from "../../model/result_track";
import {groupOf} from "../../model/timeline_groups";
import type {TimelineStore} from "../../model/timeline_store";
import {isCommunication} from "../../draw/timeline_paint";
import {type Arrow, type Chosen} from "../../draw/timeline_picture";
import {type Place, readPlace, writePlace} from "./address";
import {Arrangement} from "./arrangement";
import {TimelineColours} from "./colours";
import {TimelineCursor} from "./cursor";
import {EmptyTracks} from "./empty_tracks";
import {TimelineRanks} from "./ranks";
import {TimelineRows} from "./rows";
import {TimelineShares} from "./shares";
import {TimelineTiles} from "./tiles";
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

// An op at the other end of an arrow, and where it is.
export interface LinkedOp extends FrameOfStack {
  readonly at: TimelineHit | null; // null: not in the timeline
}

export class TimelineState {
  readonly viewport: TimelineViewport;
  readonly facts: TimelineFacts;
  readonly framing: TimelineFraming;
  readonly notes: TimelineNotes;
  readonly shares: TimelineShares;
  readonly ranks: TimelineRanks;
  readonly rows: TimelineRows;
  readonly tiles: TimelineTiles;
  readonly cursor: TimelineCursor;
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
  private readonly wantedArea;
  private readonly wantedEvent;
  private readonly empty: EmptyTracks;
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
    this.arrangement = new Arrangement(place.pinned, place.hidden, place.placed, place.empty);
    this.shares = new TimelineShares(store);
    this.ranks = new TimelineRanks(store, place, {
      layout: this.facts.layout,
      shares: this.shares.of,
      ofFinding: this.findings.ranks,
      arrangement: this.arrangement,
    });
    this.groups = new TimelineGroups(
      store,
      place.group,
      place.folded,
      this.ranks.all,
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
    this.empty = new EmptyTracks(store);
    this.rows = new TimelineRows({
      store,
      viewport: this.viewport,
      facts: this.facts,
      ranks: this.ranks,
      groups: this.groups,
      arrangement: this.arrangement,
      findings: this.findings,
      telemetry: this.telemetry,
      result: this.result,
      other: this.other,
      chosen: this.chosen,
      empty: this.empty.of,
    });
    this.tiles = new TimelineTiles(store, this.viewport, this.groups, this.rows.seenRanks);
    this.cursor = new TimelineCursor(this.viewport, this.rows);
    this.isUnframed = place.window === null;
  }

  get run(): string {
    return this.store.run;
  }

  start(): () => void {
    const stops: (() => void)[] = [
      this.tiles.follow(this.ranks.blocks, this.rows.withEvents),
      effect(() => {
        const place: Place = {
          window: this.viewport.window.value,
          ranks: this.ranks.shown.value,
          open: this.ranks.open.value,
          order: this.ranks.order.value,
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
      this.colours.follow(this.rows.withEvents),
      this.shares.follow(this.viewport.window, this.ranks.listed, (block) => this.tiles.finest(block)),
      this.empty.follow(this.viewport.window, this.ranks.open),
      this.links.follow(this.viewport.window, this.viewport.size),
      effect(() => this.findings.follow()),
      this.framing.follow(),
      effect(() => this.findArea()),
      effect(() => this.telemetry.follow()),
      effect(() => this.result.follow()),
      this.other.follow(this.rows.seenRanks, this.viewport.size),
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
    if (of.value !== null) void this.showEvents(of.value, this.ranks.open.value[0] ?? null, this.isUnframed);
    if (this.found.value.length >= 2) this.search(this.found.value);
    if (this.hasMetrics) void this.telemetry.load();
    const back = () => this.take(readPlace(location.search));
    addEventListener("popstate", back);
    stops.push(() => removeEventListener("popstate", back));
    return () => {
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
      this.shares.isBusy ||
      this.empty.isBusy
    );
  }

  // The area that the address names, over the rows that its ranks have.
  private findArea(): void {
    const wanted = this.wantedArea.value;
    if (wanted === null) return;
    const ranks = new Set(wanted.ranks);
    const rows = this.rows.all.value.filter((row) => this.rows.ranksOf(row).some((rank) => ranks.has(rank)));
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
    const cursor = this.cursor.row.value;
    const rank = now?.rank ?? (cursor !== null && cursor.track !== null ? cursor.rank : this.ranks.open.value[0]);
    const spans = rank === undefined ? null : this.store.spansOf(rank);
    if (rank === undefined || spans === null) return;
    const row = this.rows.all.value.find(
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
  // Opens or closes the rank or the group of the cursor; of a track it chooses the first event in the picture.
  enter(): void {
    const row = this.cursor.row.value;
    if (row === null) return;
    const group = this.groups.all.value[groupOf(row.rank) ?? -1];
    if (group !== undefined) this.groups.toggle(group.key);
    else if (row.head === "empty") this.arrangement.toggleEmpty(row.rank);
    else if (row.track === null) this.ranks.toggle(row.rank);
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
    if (span.rank !== null && this.store.rowOf.has(span.rank)) this.rows.reveal(span.rank);
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
    batch(() => {
      this.clear();
      this.viewport.window.value = place.window ?? this.viewport.whole;
      this.ranks.order.value = place.order;
      this.ranks.open.value = this.ranks.known(place.open);
      this.ranks.shown.value = this.ranks.known(place.ranks);
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
    if (note.rank !== null && this.store.rowOf.has(note.rank)) this.rows.reveal(note.rank);
  }
  // All rows between two times.
  selectBetween(from: number, to: number): void {
    this.selectArea({from, to, ranks: this.ranks.all.value, top: 0, bottom: this.rows.bottom.value});
  }

  // At what is chosen.
  note(text: string): Promise<void> {
    return this.notes.add(text, placeOfNote(this.chosen.value, this.area.value));
  }

  // An event that the address names is chosen as soon as it is here.
  private findWanted(): void {
    const wanted = this.wantedEvent.value;
    if (wanted === null) return;
    if (!this.ranks.open.value.includes(wanted.rank)) return this.ranks.toggle(wanted.rank, true);
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
      rangesOf(this.ranks.open.value.length > 0 ? this.ranks.open.value : this.ranks.all.value),
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
    this.rows.reveal(hit.rank);
    const span = Math.max(hit.duration_ns * 8, 20_000);
    this.viewport.window.value = {
      from: hit.start_ns + hit.duration_ns / 2 - span / 2,
      to: hit.start_ns + hit.duration_ns / 2 + span / 2,
    };
    this.wantedEvent.value = {rank: hit.rank, start: hit.start_ns, duration: hit.duration_ns};
  }
}
