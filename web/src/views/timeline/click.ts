// What a click in the picture does.

import {findingAt} from "../../draw/timeline_findings";
import {noteAt} from "../../draw/timeline_flags";
import {rulerHeight, timeAt, type TimelinePicture, type TimelineRow} from "../../draw/timeline_picture";
import {groupOf} from "../../model/timeline_groups";
import {eventAt, pairAt, resultAt, rowAt, type Spot} from "./hits";
import type {TimelineState} from "./state";

export function clickAt(state: TimelineState, picture: TimelinePicture, at: Spot): void {
  if (at.y < rulerHeight) return clickRuler(state, picture, at);
  const row = rowAt(state, at.y);
  if (row === null) return state.clear();
  switch (row.head) {
    case "metric":
    case "other":
      return;
    case "changes": {
      const pair = pairAt(state, timeAt(picture, at.x));
      if (pair !== null) state.viewport.frameStep(pair.here);
      return;
    }
    case "result": {
      const span = resultAt(state, picture, row, at);
      if (span !== null) state.guide.toResult(span);
      return;
    }
    case "group":
    case "empty":
    case undefined:
      return clickRank(state, picture, row, at);
  }
}

// Notes, and the steps of findings.
function clickRuler(state: TimelineState, picture: TimelinePicture, {x, y}: Spot): void {
  if (x < picture.gutter) return;
  const id = noteAt(picture, x, y)?.id;
  const note = state.notes.all.value.find((one) => one.id === id);
  if (note !== undefined) return state.guide.toNote(note);
  const key = findingAt(picture, x);
  if (key !== null) state.findings.key.value = key === state.findings.key.value ? "" : key;
}

// A group, a rank, or a track of a rank that is open.
function clickRank(state: TimelineState, picture: TimelinePicture, row: TimelineRow, at: Spot): void {
  const group = state.groups.all.value[groupOf(row.rank) ?? -1];
  if (group !== undefined) return state.groups.toggle(group.key);
  if (row.head === "empty") return state.arrangement.toggleEmpty(row.rank);
  if (at.x < picture.gutter || row.track === null) return state.ranks.toggle(row.rank);
  const spans = state.store.spansOf(row.rank);
  if (spans === null) return;
  const span = eventAt(state, picture, row, spans, at, 3);
  if (span === null) return state.clear();
  state.area.chosen.value = null;
  state.selection.choose(spans, row.track, span);
}
