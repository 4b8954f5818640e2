// Brings into the picture what is asked for by name: hits, events of a table's row, rows of SQL, notes, what is chosen. Its rank is opened,
// the window moves there, and an event is chosen as soon as it is here.

import type {Note} from "@made/api_types";
import {getEvents, searchTimeline, type TimelineHit} from "../../model/api";
import {doorOfResult, type Events} from "../../model/doors";
import {rangesOf} from "../../model/ranks";
import type {ResultSpan} from "../../model/result_track";
import type {TimelineStore} from "../../model/timeline_store";
import type {TimelineArea} from "./area";
import type {TimelineEvents} from "./events";
import type {TimelineResult} from "./result";
import type {TimelineRows} from "./rows";
import type {TimelineSearch} from "./search";
import type {TimelineSelection} from "./selection";
import type {TimelineViewport} from "./viewport";

// What it finds its ways by.
interface Parts {
  readonly store: TimelineStore;
  readonly viewport: TimelineViewport;
  readonly rows: TimelineRows;
  readonly selection: TimelineSelection;
  readonly area: TimelineArea;
  readonly events: TimelineEvents;
  readonly search: TimelineSearch;
  readonly result: TimelineResult;
}

// The one that begins next behind an event, on any rank; behind the last comes the first. Hits are by begin, then rank.
export function nextHit<Hit extends Pick<TimelineHit, "rank" | "start_ns">>(
  hits: readonly Hit[],
  now: {readonly rank: number; readonly start: number} | null,
): Hit | null {
  const next = hits.find(
    (hit) => now === null || hit.start_ns > now.start || (hit.start_ns === now.start && hit.rank > now.rank),
  );
  return next ?? hits[0] ?? null;
}

export class TimelineGuide {
  private walking = new AbortController();

  constructor(private readonly parts: Parts) {}

  toHit(hit: Pick<TimelineHit, "rank" | "start_ns" | "duration_ns">): void {
    const {rows, viewport, selection} = this.parts;
    rows.reveal(hit.rank);
    const middle = hit.start_ns + hit.duration_ns / 2;
    viewport.frame({from: middle, to: middle}, Math.max(hit.duration_ns * 8, 20_000) / 2);
    selection.wanted.value = {rank: hit.rank, start: hit.start_ns, duration: hit.duration_ns};
  }

  // Along what a search found.
  stepHits(by: 1 | -1): void {
    const hit = this.parts.search.step(by);
    if (hit !== null) this.toHit(hit);
  }

  // The events that a row of a table is made of: listed, lit, and the longest of them in the picture.
  async toEvents(of: Events, rank: number | null, isFramed = true): Promise<void> {
    const {events} = this.parts;
    const longest = await events.show(of, rank);
    if (longest !== null && isFramed && events.of.value === of) this.toHit(longest);
  }
  // Walks along them.
  stepEvents(by: 1 | -1): void {
    const hit = this.parts.events.step(by);
    if (hit !== null) this.toHit(hit);
  }

  // One of a file, by what SQL calls `event`.
  async toEvent(rank: number, event: number): Promise<void> {
    const {store, selection} = this.parts;
    const chosen = selection.chosen.value;
    const track = chosen?.rank === rank ? store.spansOf(rank)?.tracks[chosen.track] : undefined;
    const capture = track?.capture ?? 0;
    try {
      const [hit] = await getEvents(store.run, rank, capture, String(event), new AbortController().signal);
      if (hit !== undefined) this.toHit(hit);
    } catch (error) {
      store.problem.value = error instanceof Error ? error.message : String(error);
    }
  }

  // The event of this name that begins next in the area, behind the chosen one.
  async toNextInArea(name: string): Promise<void> {
    const {store, selection} = this.parts;
    const area = this.parts.area.chosen.value;
    if (area === null) return;
    const ranks = rangesOf(area.ranks);
    this.walking.abort();
    const walking = (this.walking = new AbortController());
    try {
      const found = await searchTimeline(store.run, name, "whole", ranks, walking.signal, Math.floor(area.from));
      const hits = found.hits
        .filter((hit) => hit.start_ns < area.to)
        .sort((a, b) => a.start_ns - b.start_ns || a.rank - b.rank);
      const hit = nextHit(hits, selection.chosen.value);
      if (hit !== null) this.toHit(hit);
    } catch (error) {
      if (!walking.signal.aborted) store.problem.value = error instanceof Error ? error.message : String(error);
    }
  }

  // A row of the result of SQL: its event where it names one, else its time with its rank open.
  toResult(span: ResultSpan): void {
    const {store, viewport, rows, result} = this.parts;
    result.chosen.value = span;
    const found = result.result.value;
    const names = (found?.columns ?? []).map((column) => column.name);
    const event = doorOfResult(names, found?.rows[span.row] ?? [])?.of;
    if (event !== undefined) {
      void this.toEvents(event, span.rank);
      return;
    }
    viewport.frame({from: span.start, to: span.start + span.duration}, Math.max(span.duration * 0.5, 10_000));
    if (span.rank !== null && store.rowOf.has(span.rank)) rows.reveal(span.rank);
  }

  // A note with its rank open; one at an instant with what is around it.
  toNote(note: Note): void {
    const {store, viewport, rows} = this.parts;
    if (note.time_ns === null) return;
    const [from, to] = [note.time_ns, note.end_ns ?? note.time_ns];
    viewport.frame({from, to}, Math.max((to - from) * 0.25, note.end_ns === null ? 2_000_000 : 0));
    if (note.rank !== null && store.rowOf.has(note.rank)) rows.reveal(note.rank);
  }

  // What is chosen fits into the window, or else everything.
  fit(): void {
    const {viewport, selection} = this.parts;
    const [chosen, area] = [selection.chosen.value, this.parts.area.chosen.value];
    if (chosen !== null)
      viewport.frame({from: chosen.start, to: chosen.start + chosen.duration}, chosen.duration * 0.2 + 100);
    else if (area !== null) viewport.frame({from: area.from, to: Math.max(area.to, area.from + 200)}, 0);
    else viewport.showAll();
  }
}
