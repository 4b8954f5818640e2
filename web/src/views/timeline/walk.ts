// Walking by keys: from event to event, along arrows, into the row of the cursor.

import type {Chosen} from "../../draw/timeline_picture";
import type {Spans} from "../../model/timeline";
import {groupOf} from "../../model/timeline_groups";
import type {TimelineStore} from "../../model/timeline_store";
import type {Arrangement} from "./arrangement";
import type {TimelineCursor} from "./cursor";
import type {TimelineEvents} from "./events";
import type {TimelineGroups} from "./groups";
import type {TimelineGuide} from "./guide";
import type {EventLookup} from "./lookup";
import type {TimelineRanks} from "./ranks";
import type {TimelineRows} from "./rows";
import type {TimelineSelection} from "./selection";
import type {TimelineViewport} from "./viewport";

interface Parts {
  readonly store: TimelineStore;
  readonly viewport: TimelineViewport;
  readonly ranks: TimelineRanks;
  readonly rows: TimelineRows;
  readonly groups: TimelineGroups;
  readonly arrangement: Arrangement;
  readonly cursor: TimelineCursor;
  readonly selection: TimelineSelection;
  readonly lookup: EventLookup;
  readonly events: TimelineEvents;
  readonly guide: TimelineGuide;
}

// The event of a track behind the one of `now` in its lane, or before it; without one now, the first that begins at `from` or later, or the
// last. null: there is none.
export function eventBeside(
  spans: Pick<Spans, "first" | "start" | "lane">,
  track: number,
  now: Pick<Chosen, "start" | "lane"> | null,
  from: number,
  by: 1 | -1,
): number | null {
  let best: number | null = null;
  for (let i = spans.first[track] ?? 0; i < (spans.first[track + 1] ?? 0); ++i) {
    const start = spans.start[i] ?? 0;
    if (now === null ? start < from : (spans.lane[i] ?? 0) !== now.lane || by * (start - now.start) <= 0) continue;
    if (best === null || by * (start - (spans.start[best] ?? 0)) < 0) best = i;
  }
  return best;
}

export class TimelineWalk {
  private readonly came: {readonly rank: number; readonly event: number}[] = [];

  constructor(private readonly parts: Parts) {}

  // The event behind the chosen one, or before it, in its row; along the list where there is one; none is chosen: the first in the picture.
  toEvent(by: 1 | -1): void {
    const {store, viewport, ranks, cursor, selection, events, guide} = this.parts;
    if ((events.found.value?.hits.length ?? 0) > 1) return guide.stepEvents(by);
    const now = selection.chosen.value;
    const row = cursor.row.value;
    const rank = now?.rank ?? (row !== null && row.track !== null ? row.rank : ranks.open.value[0]);
    const spans = rank === undefined ? null : store.spansOf(rank);
    if (rank === undefined || spans === null) return;
    const track = now?.track ?? (row?.rank === rank ? row.track : null) ?? this.firstTrackOf(rank);
    if (track === null) return;
    const best = eventBeside(spans, track, now, viewport.window.value.from, by);
    if (best === null) return;
    viewport.bringIn({start: spans.start[best] ?? 0, duration: spans.duration[best] ?? 0});
    selection.choose(spans, track, best, 1);
  }
  private firstTrackOf(rank: number): number | null {
    return this.parts.rows.all.value.find((one) => one.rank === rank && one.track !== null)?.track ?? null;
  }

  // Along an arrow: from work of a device to its launch, from a backward event to the op of its forward pass; and back.
  along(to: "before" | "next"): void {
    const {lookup, guide} = this.parts;
    const details = lookup.details.value;
    if (details === null) return;
    const {rank} = details.about;
    if (to === "next") {
      const back = this.came.pop();
      if (back !== undefined) void guide.toEvent(back.rank, back.event);
      return;
    }
    const target = details.launch ?? lookup.forward.value?.event ?? lookup.backward.value?.event ?? null;
    if (target === null) return;
    this.came.push({rank, event: details.event});
    void guide.toEvent(rank, target);
  }

  // Opens or closes the rank or the group of the cursor; of a track it chooses the first event in the picture.
  enter(): void {
    const {ranks, groups, arrangement, cursor, selection} = this.parts;
    const row = cursor.row.value;
    if (row === null) return;
    const group = groups.all.value[groupOf(row.rank) ?? -1];
    if (group !== undefined) groups.toggle(group.key);
    else if (row.head === "empty") arrangement.toggleEmpty(row.rank);
    else if (row.track === null) ranks.toggle(row.rank);
    else {
      selection.chosen.value = null;
      this.toEvent(1);
    }
  }
}
