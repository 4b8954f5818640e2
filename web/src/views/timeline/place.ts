// What of the timeline its address keeps: read from the stores, and given back to them.

import {batch} from "@preact/signals";
import type {Place} from "./address";
import type {TimelineArea} from "./area";
import type {Arrangement} from "./arrangement";
import type {TimelineColours} from "./colours";
import type {TimelineEvents} from "./events";
import type {TimelineFindings} from "./findings";
import type {TimelineGroups} from "./groups";
import type {TimelineLinks} from "./links";
import type {TimelineMarks} from "./marks";
import type {TimelineOther} from "./other";
import type {TimelineRanks} from "./ranks";
import type {TimelineResult} from "./result";
import type {TimelineSearch} from "./search";
import type {TimelineSelection} from "./selection";
import type {TimelineTelemetry} from "./telemetry";
import type {TimelineViewport} from "./viewport";

interface Kept {
  readonly viewport: TimelineViewport;
  readonly ranks: TimelineRanks;
  readonly groups: TimelineGroups;
  readonly arrangement: Arrangement;
  readonly colours: TimelineColours;
  readonly search: TimelineSearch;
  readonly selection: TimelineSelection;
  readonly area: TimelineArea;
  readonly marks: TimelineMarks;
  readonly events: TimelineEvents;
  readonly links: TimelineLinks;
  readonly findings: TimelineFindings;
  readonly telemetry: TimelineTelemetry;
  readonly result: TimelineResult;
  readonly other: TimelineOther;
}

export function placeOf(kept: Kept): Place {
  const window = kept.viewport.window.value;
  return {
    window: kept.viewport.isWhole(window) ? null : window,
    ranks: kept.ranks.shown.value,
    open: kept.ranks.open.value,
    order: kept.ranks.order.value,
    found: kept.search.text.value,
    chosen: kept.selection.chosen.value ?? kept.selection.wanted.value,
    path: kept.links.showsPath.value,
    collectives: kept.links.showsCollectives.value,
    group: kept.groups.by.value,
    folded: [...kept.groups.folded.value],
    finding: kept.findings.key.value,
    metric: kept.telemetry.name.value,
    sql: kept.result.sql.value,
    beside: kept.other.run.value,
    area: kept.area.isDragging.value ? null : (kept.area.chosen.value ?? kept.area.wanted.value),
    of: kept.events.of.value,
    step: null,
    match: kept.search.match.value,
    marks: kept.marks.times.value,
    colour: kept.colours.by.value,
    pinned: kept.arrangement.pinned.value,
    hidden: kept.arrangement.hidden.value,
    placed: kept.arrangement.placed.value,
    empty: kept.arrangement.unfolded.value,
  };
}

// But for the events that are listed, which have to be asked for.
export function takePlace(kept: Kept, place: Place): void {
  batch(() => {
    kept.viewport.window.value = place.window ?? kept.viewport.whole;
    kept.ranks.order.value = place.order;
    kept.ranks.open.value = kept.ranks.known(place.open);
    kept.ranks.shown.value = kept.ranks.known(place.ranks);
    kept.search.text.value = place.found;
    kept.search.match.value = place.match;
    kept.selection.clear();
    kept.selection.wanted.value = place.chosen;
    kept.area.clear();
    kept.area.wanted.value = place.area;
    kept.links.showsPath.value = place.path;
    kept.links.showsCollectives.value = place.collectives;
    kept.groups.by.value = place.group;
    kept.groups.folded.value = new Set(place.folded);
    kept.findings.key.value = place.finding;
    kept.telemetry.name.value = place.metric;
    kept.result.sql.value = place.sql;
    kept.other.run.value = place.beside;
    kept.marks.times.value = place.marks;
    kept.colours.by.value = place.colour;
    kept.arrangement.pinned.value = place.pinned;
    kept.arrangement.hidden.value = place.hidden;
    kept.arrangement.placed.value = place.placed;
    kept.arrangement.unfolded.value = place.empty;
  });
}
