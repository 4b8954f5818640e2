// What lies where in the picture: rows, events, rows of a result of SQL, and the area between two places.

import {laneHeight, rulerHeight, timeAt, type TimelinePicture, type TimelineRow} from "../../draw/timeline_picture";
import {type ResultSpan, resultSpanAt} from "../../model/result_track";
import type {StepPair} from "../../model/run_pair";
import {spanAt, type Spans} from "../../model/timeline";
import type {TimelineState} from "./state";

// Pixels from the picture's upper left corner.
export interface Spot {
  readonly x: number;
  readonly y: number;
}

export function rowAt(state: TimelineState, y: number): TimelineRow | null {
  const at = y - rulerHeight + state.viewport.scroll.value;
  const hit = (row: TimelineRow) => at >= row.top && at < row.top + row.height;
  const rows = state.rows.visible.value;
  // What is pinned lies over the others.
  const pinned = rows.find((row) => row.isPinned === true && hit(row));
  if (pinned !== undefined || y - rulerHeight < state.rows.pinnedHeight.value) return pinned ?? null;
  return rows.find(hit) ?? null;
}

function laneAt(state: TimelineState, row: TimelineRow, y: number): number {
  return Math.floor((y - rulerHeight + state.viewport.scroll.value - row.top) / laneHeight);
}
// So many pixels as a time.
function timeOf(pixels: number, {window, width, gutter}: TimelinePicture): number {
  return (pixels * (window.to - window.from)) / (width - gutter);
}

// An event of a track that is at most so many pixels away; null: there is none.
export function eventAt(
  state: TimelineState,
  picture: TimelinePicture,
  row: TimelineRow,
  spans: Spans,
  {x, y}: Spot,
  pixels: number,
): number | null {
  if (row.track === null) return null;
  return spanAt(spans, row.track, laneAt(state, row, y), timeAt(picture, x), timeOf(pixels, picture));
}

export function resultAt(
  state: TimelineState,
  picture: TimelinePicture,
  row: TimelineRow,
  {x, y}: Spot,
): ResultSpan | null {
  const track = state.result.track.value;
  if (track === null || x < picture.gutter) return null;
  return resultSpanAt(track, laneAt(state, row, y), timeAt(picture, x), timeOf(3, picture));
}

// The step, here and in the other run.
export function pairAt(state: TimelineState, time: number): StepPair | null {
  return state.other.pairs.value.find(({here}) => time >= here.start && time < here.end) ?? null;
}

// An area in time covers the ranks whose rows it touches.
export function areaBetween(state: TimelineState, picture: TimelinePicture, a: Spot, b: Spot) {
  const from = timeAt(picture, Math.max(picture.gutter, Math.min(a.x, b.x)));
  const to = timeAt(picture, Math.max(a.x, b.x));
  const top = Math.min(a.y, b.y) - rulerHeight + state.viewport.scroll.value;
  const bottom = Math.max(a.y, b.y) - rulerHeight + state.viewport.scroll.value;
  const touched = state.rows.all.value.filter((row) => row.top + row.height > top && row.top < bottom);
  const ranks = [...new Set(touched.flatMap((row) => state.rows.ranksOf(row)))];
  const [first, last] = [touched[0], touched.at(-1)];
  return {from, to, ranks, top: first?.top ?? top, bottom: last ? last.top + last.height : bottom};
}
