// What is below the pointer, in words; "": nothing.

import {findingAt} from "../../draw/timeline_findings";
import {noteAt} from "../../draw/timeline_flags";
import {metricText} from "../../draw/timeline_metrics";
import {changeText} from "../../draw/timeline_other";
import {rulerHeight, timeAt, type TimelinePicture, type TimelineRow} from "../../draw/timeline_picture";
import {humanDuration} from "../../model/format";
import type {ResultSpan} from "../../model/result_track";
import {lengthOf} from "../../model/run_pair";
import type {Spans} from "../../model/timeline";
import {groupOf} from "../../model/timeline_groups";
import {type Metric, valueAt} from "../../model/timeline_metrics";
import {eventAt, pairAt, resultAt, rowAt, type Spot} from "./hits";
import type {TimelineState} from "./state";

export function textAt(state: TimelineState, picture: TimelinePicture, at: Spot): string {
  if (at.x < picture.gutter) return "";
  if (at.y < rulerHeight) return textOnRuler(state, picture, at);
  const row = rowAt(state, at.y);
  if (row === null) return "";
  const time = timeAt(picture, at.x);
  switch (row.head) {
    case "metric":
      return state.telemetry.metric.value === null ? "" : extremesAt(state.telemetry.metric.value, time);
    case "changes":
      return stepText(state, time);
    case "other":
      return `${state.other.shown.value?.name ?? ""}, rank ${state.other.rankBeside(row.rank)}: ${humanDuration(Math.round(time - state.other.shift.value))} by its clock`;
    case "result":
      return resultText(resultAt(state, picture, row, at));
    case "group":
    case "empty":
    case undefined:
      return textOfRank(state, picture, row, at);
  }
}

function textOnRuler(state: TimelineState, picture: TimelinePicture, {x, y}: Spot): string {
  const note = noteAt(picture, x, y);
  if (note !== null) return `${note.text}\nClick to go there`;
  const key = findingAt(picture, x);
  const finding = state.findings.all.value.find((one) => one.key === key);
  return finding === undefined ? "" : `${finding.title}\nClick to see where`;
}

// Of a group, a rank, or a track of a rank that is open.
function textOfRank(state: TimelineState, picture: TimelinePicture, row: TimelineRow, at: Spot): string {
  const time = timeAt(picture, at.x);
  const when = humanDuration(Math.round(time));
  const group = state.groups.all.value[groupOf(row.rank) ?? -1];
  if (group !== undefined)
    return group.isFolded
      ? `${group.label}, ${when}: the rank that differs most from the group's ${group.ranks.length}. Click to unfold.`
      : "";
  const spans = state.store.spansOf(row.rank);
  if (row.track === null || spans === null)
    return `rank ${row.rank}, ${when}${measured(state.telemetry.metric.value, row.rank, time)}`;
  const span = eventAt(state, picture, row, spans, at, 2);
  return span === null ? "" : eventText(spans, span);
}

function measured(metric: Metric | null, rank: number, time: number): string {
  const line = metric?.lines.get(rank);
  const value = line === undefined ? null : valueAt(line, time);
  return metric === null || value === null ? "" : `\n${metric.name}: ${metricText(value, metric.unit)}`;
}

function eventText(spans: Spans, span: number): string {
  const count = spans.events[span] ?? 1;
  const what = spans.names[spans.name[span] ?? 0] ?? "";
  const length = humanDuration(spans.duration[span] ?? 0);
  return count > 1
    ? `${count} events, the longest ${what}; ${length} together. Click to see them.`
    : `${what}\n${length}`;
}

function stepText(state: TimelineState, time: number): string {
  const pair = pairAt(state, time);
  if (pair === null) return "";
  const [here, there] = [lengthOf(pair.here), lengthOf(pair.there)].map((ns) => humanDuration(ns));
  return `step ${pair.here.step}: ${here} here, ${there} in ${state.other.shown.value?.name}\n${changeText(pair)}. Click to see it`;
}

function resultText(span: ResultSpan | null): string {
  if (span === null) return "";
  const what = span.name === "" ? `row ${span.row + 1}` : span.name;
  return `${what}\n${humanDuration(span.duration)}${span.rank === null ? "" : `, rank ${span.rank}`}`;
}

// "device_power: 310 W on rank 3 to 420 W on rank 5".
function extremesAt(metric: Metric, time: number): string {
  const values = [...metric.lines.values()]
    .map((line) => ({rank: line.rank, value: valueAt(line, time)}))
    .filter((one): one is {rank: number; value: number} => one.value !== null)
    .sort((a, b) => a.value - b.value);
  const [least, most] = [values[0], values.at(-1)];
  if (least === undefined || most === undefined) return `${metric.name}: not measured here`;
  return `${metric.name}: ${metricText(least.value, metric.unit)} on rank ${least.rank}${values.length > 1 ? ` to ${metricText(most.value, metric.unit)} on rank ${most.rank}` : ""}`;
}
