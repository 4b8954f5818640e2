// A result of SQL on the time axis: when each of its rows was, from the columns that say so. No DOM.

import type {Result, Value} from "./sql";
import type {Window} from "./timeline";

export interface ResultSpan {
  readonly start: number; // from the job's origin, by the job's clock
  readonly duration: number; // 0: an instant
  readonly lane: number;
  readonly name: string;
  readonly rank: number | null;
  readonly row: number; // of the result
}
export interface ResultTrack {
  readonly spans: readonly ResultSpan[]; // by start
  readonly lanes: number;
  readonly withoutTime: number; // rows whose begin is null
  readonly covered: number; // spans that lie over another one, since all lanes were taken
}

const begins = ["ts_ns", "start_ns", "begin_ns"] as const;
const lengths = ["dur_ns", "duration_ns", "length_ns"] as const;
const mostLanes = 8;

interface Columns {
  readonly begin: number;
  readonly isOwnClock: boolean;
  readonly length: number; // -1: none
  readonly end: number; // -1: none
  readonly rank: number; // -1: none
  readonly name: number; // -1: none
}

function columnsOf(result: Result): Columns | null {
  const at = (name: string) => result.columns.findIndex((column) => column.name === name);
  const first = (names: readonly string[]) => names.map(at).find((place) => place >= 0) ?? -1;
  const begin = first(begins);
  if (begin < 0) return null;
  const text = result.columns.findIndex((column) => column.type === "string");
  return {
    begin,
    isOwnClock: result.columns[begin]?.name === "ts_ns",
    length: first(lengths),
    end: at("end_ns"),
    rank: at("rank"),
    name: at("name") >= 0 ? at("name") : text,
  };
}

// Whether rows of a result say when they were.
export function hasTimes(result: Result): boolean {
  return columnsOf(result) !== null && result.rows.length > 0;
}

function numberOf(value: Value | undefined): number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?\d{1,19}$/.test(value) ? Number(value) : null;
}

// `ts_ns` of events is by the clock of their rank, and `offsetOf` what that is ahead of the job's; `start_ns` and `begin_ns` are taken as
// they are. Null: no column says when.
export function trackOf(result: Result, offsetOf: (rank: number) => number): ResultTrack | null {
  const columns = columnsOf(result);
  if (columns === null) return null;
  const spans: ResultSpan[] = [];
  let withoutTime = 0;
  result.rows.forEach((row, i) => {
    const begin = numberOf(row[columns.begin]);
    if (begin === null) {
      ++withoutTime;
      return;
    }
    const rank = columns.rank < 0 ? null : numberOf(row[columns.rank]);
    const shift = columns.isOwnClock && rank !== null ? offsetOf(rank) : 0;
    const end = columns.end < 0 ? null : numberOf(row[columns.end]);
    const length = columns.length < 0 ? (end === null ? 0 : end - begin) : (numberOf(row[columns.length]) ?? 0);
    const name = columns.name < 0 ? "" : String(row[columns.name] ?? "");
    spans.push({start: begin - shift, duration: Math.max(0, length), lane: 0, name, rank, row: i});
  });
  spans.sort((a, b) => a.start - b.start || b.duration - a.duration || a.row - b.row);
  const free: number[] = []; // by lane: when its last span ends
  let covered = 0;
  const placed = spans.map((span) => {
    let lane = free.findIndex((end) => end <= span.start);
    if (lane < 0 && free.length < mostLanes) lane = free.length;
    if (lane < 0) {
      ++covered;
      lane = mostLanes - 1;
    }
    free[lane] = Math.max(free[lane] ?? -Infinity, span.start + span.duration);
    return {...span, lane};
  });
  return {spans: placed, lanes: Math.max(1, free.length), withoutTime, covered};
}

// Those that are in the window, from the first on.
export function spansIn(track: ResultTrack, {from, to}: Window): readonly ResultSpan[] {
  return track.spans.filter((span) => span.start <= to && span.start + span.duration >= from);
}

// The one at a place, or the nearest within `slack`: the last that is drawn there.
export function resultSpanAt(track: ResultTrack, lane: number, time: number, slack: number): ResultSpan | null {
  let best: ResultSpan | null = null;
  let nearest = slack;
  for (const span of track.spans) {
    if (span.lane !== lane) continue;
    if (span.start > time + slack) break;
    const away = Math.max(span.start - time, time - span.start - span.duration, 0);
    if (away <= nearest) {
      nearest = away;
      best = span;
    }
  }
  return best;
}
