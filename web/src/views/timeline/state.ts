// What the timeline shows: the stores of its parts, built of each other and started together. The canvas and the panels follow their signals.

import {computed, effect, signal} from "@preact/signals";
import {wholeOf} from "../../model/timeline";
import type {TimelineStore} from "../../model/timeline_store";
import {type Place, readPlace} from "./address";
import {AddressBar} from "./address_bar";
import {TimelineArea} from "./area";
import {AreaCalls} from "./area_calls";
import {Arrangement} from "./arrangement";
import {TimelineColours} from "./colours";
import {TimelineCursor} from "./cursor";
import {EmptyTracks} from "./empty_tracks";
import {TimelineEvents} from "./events";
import {TimelineFacts} from "./facts";
import {TimelineFindings} from "./findings";
import {TimelineFraming} from "./framing";
import {TimelineGroups} from "./groups";
import {TimelineGuide} from "./guide";
import {keysAreEverywhere} from "./keys";
import {TimelineLinks} from "./links";
import {EventLookup} from "./lookup";
import {TimelineMarks} from "./marks";
import {placeOfNote, TimelineNotes} from "./notes";
import {TimelineOther} from "./other";
import {placeOf, takePlace} from "./place";
import {TimelineRanks} from "./ranks";
import {TimelineResult} from "./result";
import {TimelineRows} from "./rows";
import {TimelineSearch} from "./search";
import {TimelineSelection} from "./selection";
import {TimelineShares} from "./shares";
import {TimelineTelemetry} from "./telemetry";
import {TimelineTiles} from "./tiles";
import {TimelineViewport} from "./viewport";
import {TimelineWalk} from "./walk";

export class TimelineState {
  // What is looked at, and what the run says of itself.
  readonly viewport: TimelineViewport;
  readonly facts: TimelineFacts;
  readonly shares: TimelineShares;
  readonly notes: TimelineNotes;
  readonly findings: TimelineFindings;
  readonly framing: TimelineFraming;
  readonly telemetry: TimelineTelemetry;
  readonly result: TimelineResult;
  readonly other: TimelineOther;
  readonly links: TimelineLinks;
  // The rows and their pictures.
  readonly arrangement: Arrangement;
  readonly ranks: TimelineRanks;
  readonly groups: TimelineGroups;
  readonly rows: TimelineRows;
  readonly tiles: TimelineTiles;
  readonly colours: TimelineColours;
  readonly cursor: TimelineCursor;
  // What is chosen, and the ways to it.
  readonly lookup: EventLookup;
  readonly selection: TimelineSelection;
  readonly area: TimelineArea;
  readonly calls: AreaCalls;
  readonly marks: TimelineMarks;
  readonly events: TimelineEvents;
  readonly search: TimelineSearch;
  readonly guide: TimelineGuide;
  readonly walk: TimelineWalk;
  readonly keysEverywhere = signal(keysAreEverywhere());
  private readonly empty: EmptyTracks;
  private readonly bar = new AddressBar(
    () => placeOf(this),
    (place) => this.take(place),
  );
  private readonly isUnframed: boolean; // the address says no window

  constructor(
    readonly store: TimelineStore,
    private readonly hasMetrics: boolean,
  ) {
    const place = readPlace(location.search);
    const whole = wholeOf(store.info);
    this.viewport = new TimelineViewport(whole, place.window ?? whole);
    this.facts = new TimelineFacts(store);
    this.notes = new TimelineNotes(store.run);
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
    this.events = new TimelineEvents(
      store,
      async (rank) => {
        await this.facts.whenLoaded();
        const capture = this.facts.captureOf(rank);
        return {capture, file: this.facts.fileOf(rank, capture)};
      },
      (rank) => String(this.facts.layout.value.get(rank)?.pp ?? ""),
    );
    this.events.of.value = place.of;
    this.calls = new AreaCalls(store);
    this.marks = new TimelineMarks(place.marks);
    this.colours = new TimelineColours(store, place.colour, async (rank, capture) => {
      await this.facts.whenLoaded();
      return this.facts.fileOf(rank, capture);
    });
    this.lookup = new EventLookup(store, this.facts);
    this.selection = new TimelineSelection(store, this.viewport, this.ranks, this.links, this.lookup, place.chosen);
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
      chosen: this.selection.chosen,
      empty: this.empty.of,
    });
    this.tiles = new TimelineTiles(store, this.viewport, this.groups, this.rows.seenRanks);
    this.cursor = new TimelineCursor(this.viewport, this.rows);
    this.area = new TimelineArea(store, this.ranks, this.rows, this.selection, place.area);
    this.search = new TimelineSearch(
      store,
      place,
      computed(() => (this.ranks.open.value.length > 0 ? this.ranks.open.value : this.ranks.all.value)),
    );
    this.guide = new TimelineGuide(this);
    this.walk = new TimelineWalk(this);
    this.isUnframed = place.window === null;
  }

  get run(): string {
    return this.store.run;
  }

  start(): () => void {
    const stops = [
      this.tiles.follow(this.ranks.blocks, this.rows.withEvents),
      this.bar.follow(),
      this.colours.follow(this.rows.withEvents),
      this.shares.follow(this.viewport.window, this.ranks.listed, (block) => this.tiles.finest(block)),
      this.empty.follow(this.viewport.window, this.ranks.open),
      this.links.follow(this.viewport.window, this.viewport.size),
      effect(() => this.findings.follow()),
      this.framing.follow(),
      this.area.follow(),
      effect(() => this.telemetry.follow()),
      effect(() => this.result.follow()),
      this.other.follow(this.rows.seenRanks, this.viewport.size),
      this.calls.follow(this.area.still),
      this.selection.follow(),
    ];
    void this.notes.load();
    this.facts.load();
    void this.findings.load();
    const {of} = this.events;
    if (of.value !== null) void this.guide.toEvents(of.value, this.ranks.open.value[0] ?? null, this.isUnframed);
    this.search.ask(this.search.text.value);
    if (this.hasMetrics) void this.telemetry.load();
    return () => stops.forEach((stop) => stop());
  }

  // When nothing is on its way or being worked out.
  async idle(): Promise<void> {
    const parts = [
      this.store,
      this.links,
      this.findings,
      this.telemetry,
      this.result,
      this.other,
      this.events,
      this.calls,
      this.colours,
      this.shares,
      this.empty,
    ];
    do {
      await this.store.idle();
      await new Promise((resolve) => setTimeout(resolve, 20));
    } while (parts.some((part) => part.isBusy));
  }

  private take(place: Place): void {
    takePlace(this, place);
    const of = this.events.of.value;
    if (place.of === null) this.events.clear();
    else if (of?.kind !== place.of.kind || of.value !== place.of.value)
      void this.guide.toEvents(place.of, place.open[0] ?? null, place.window === null);
  }

  // At what is chosen.
  note(text: string): Promise<void> {
    return this.notes.add(text, placeOfNote(this.selection.chosen.value, this.area.chosen.value));
  }

  clear(): void {
    this.area.clear();
    this.selection.clear();
  }
}
