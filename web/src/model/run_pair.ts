// Two runs on one clock: which steps belong together, and what is another in the one than in the other. No DOM.

import type {Rows} from "./api";
import {plural} from "./format";
import {rangesOf} from "./ranks";
import {front} from "./text";
import {binBytes, binParts, restByte, restKinds, type Tile, type Window} from "./timeline";

export interface StepTime {
  readonly step: number;
  readonly isCut?: boolean; // by an end of the recording: its length is not known
  readonly start: number;
  readonly end: number;
}
export interface StepPair {
  readonly here: StepTime;
  readonly there: StepTime;
}

// Of the table job_steps.
export function stepsIn(rows: Rows): readonly StepTime[] {
  const at = (name: string) => rows.columns.findIndex((one) => one.name === name);
  const [step, start, length, complete] = [at("step"), at("start_ns"), at("duration_ns"), at("complete")];
  return rows.rows
    .filter((row) => typeof row[start] === "number")
    .map((row) => ({
      step: Number(row[step]),
      start: Number(row[start]),
      end: Number(row[start]) + Number(row[length]),
      isCut: row[complete] === false,
    }));
}

// By their numbers; where no number is common, the first with the first and so on: a job that was begun again counts on. What a recording
// cut is as long as nothing.
export function pairsOf(ours: readonly StepTime[], theirs: readonly StepTime[]): readonly StepPair[] {
  const [here, there] = [ours, theirs].map((steps) => steps.filter((step) => step.isCut !== true)) as [
    StepTime[],
    StepTime[],
  ];
  const byNumber = new Map(there.map((step) => [step.step, step]));
  const pairs = here.flatMap((step) => {
    const other = byNumber.get(step.step);
    return other === undefined ? [] : [{here: step, there: other}];
  });
  if (pairs.length > 0) return pairs;
  return here.flatMap((step, i) => {
    const other = there[i];
    return other === undefined ? [] : [{here: step, there: other}];
  });
}

// The pair at which the runs are laid over each other: that whose step holds the middle of the window, else the one closest to it.
export function pairAt(pairs: readonly StepPair[], {from, to}: Window): StepPair | null {
  const middle = (from + to) / 2;
  let best: StepPair | null = null;
  let least = Infinity;
  for (const pair of pairs) {
    const away = Math.max(0, pair.here.start - middle, middle - pair.here.end);
    if (away < least) [best, least] = [pair, away];
  }
  return best;
}

// Ranks lie beside each other by their numbers; where each run has one rank, these do. Null: none lies beside it.
export function counterpartOf(
  rank: number,
  ours: readonly number[],
  theirs: readonly number[],
  isTheirs: (rank: number) => boolean,
): number | null {
  if (isTheirs(rank)) return rank;
  return ours.length === 1 && theirs.length === 1 ? (theirs[0] ?? null) : null;
}

// What is to be said of ranks that do not all have their like in `name`; "": they do.
export function ranksBeside(ours: readonly number[], theirs: readonly number[], name: string): string {
  const known = new Set(theirs);
  const common = ours.filter((rank) => known.has(rank)).length;
  if (common === ours.length && common === theirs.length) return "";
  if (ours.length === 1 && theirs.length === 1)
    return `Each run has one rank: rank ${theirs[0]} of ${name} lies under rank ${ours[0]} of this one.`;
  const ranks = (all: readonly number[]) => front(`${all.length === 1 ? "rank" : "ranks"} ${rangesOf(all)}`, 80);
  if (common === 0)
    return `No rank has the same number in both runs, so ${name} has no rows: here are ${ranks(ours)}, there ${ranks(theirs)}.`;
  return `Of ${plural(ours.length, "rank")} here and ${theirs.length} there ${common === 1 ? "one has" : `${common} have`} the same number.`;
}

export function lengthOf({start, end}: StepTime): number {
  return end - start;
}

// Within a hundredth two steps are as long as each other.
export function isLike(pair: StepPair): boolean {
  const [here, there] = [lengthOf(pair.here), lengthOf(pair.there)];
  return Math.abs(here - there) <= 0.01 * Math.max(here, there);
}

// What a rank mostly does at a time: a place in binParts, or behind them one in restKinds; null: no tile tells. Tiles from the coarsest to
// the finest, as they are drawn.
function mostAt(tiles: readonly Tile[], rowOf: (tile: Tile) => number, time: number): number | null {
  for (let i = tiles.length - 1; i >= 0; --i) {
    const tile = tiles[i];
    if (tile === undefined) continue;
    const bin = Math.floor((time - tile.begin) / 2 ** tile.shift);
    const row = rowOf(tile);
    if (bin < 0 || bin >= tile.bins || row < 0) continue;
    const at = (row * tile.bins + bin) * binBytes;
    let [most, share, known] = [-1, 0, 0];
    for (let part = 0; part < binParts.length; ++part) {
      const value = tile.data[at + part] ?? 0;
      known += value;
      if (value > share) [most, share] = [part, value];
    }
    if (255 - known > share) most = binParts.length + ((tile.data[at + restByte] ?? 0) >> 4);
    return most;
  }
  return null;
}

export interface Side {
  readonly tiles: readonly Tile[];
  readonly rowOf: (tile: Tile) => number; // of the rank; -1: not in it
}

const unrecorded = ["nothing", "not_observed"].map(
  (kind) => binParts.length + restKinds.findIndex((one) => one === kind),
);

// Stretches of `window`, in the time of `here`, in which a rank mostly does something else than there; `shift` is what the other run's
// times are moved by. What either did not record is no difference. No shorter than a `columns`-th.
export function differing(here: Side, there: Side, shift: number, window: Window, columns: number): readonly Window[] {
  const found: Window[] = [];
  const length = (window.to - window.from) / Math.max(1, columns);
  let begin: number | null = null;
  for (let i = 0; i <= columns; ++i) {
    const time = window.from + (i + 0.5) * length;
    const [a, b] =
      i === columns
        ? [null, null]
        : [mostAt(here.tiles, here.rowOf, time), mostAt(there.tiles, there.rowOf, time - shift)];
    const differs = a !== null && b !== null && a !== b && !unrecorded.includes(a) && !unrecorded.includes(b);
    if (differs && begin === null) begin = window.from + i * length;
    if (!differs && begin !== null) {
      found.push({from: begin, to: window.from + i * length});
      begin = null;
    }
  }
  return found;
}

// The parts of a device's time in a step, in the order and words in which they are shown.
export const stepParts = [
  ["compute_ns", "computing"],
  ["exposed_communication_ns", "exposed communication"],
  ["exposed_copy_ns", "exposed copies"],
  ["idle_host_ns", "idle: the host"],
  ["idle_data_ns", "idle: data loading"],
  ["idle_sync_ns", "idle: synchronisation"],
  ["idle_launch_ns", "idle: launch latency"],
  ["idle_gap_ns", "idle: gaps between kernels"],
  ["idle_stream_ns", "idle: another stream"],
  ["unknown_ns", "idle: cause not known"],
] as const;

export interface PartChange {
  readonly words: string;
  readonly here: number; // ns, mean over the devices
  readonly there: number;
}

export interface Breakdown {
  readonly columns: readonly {readonly name: string}[];
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
}

// From the rows of time_breakdown of one step of each: the largest change first, what is nothing in both left out. Null: no device.
export function partChanges(here: Breakdown, there: Breakdown): readonly PartChange[] | null {
  if (here.rows.length === 0 || there.rows.length === 0) return null;
  const mean = (of: Breakdown, name: string) => {
    const at = of.columns.findIndex((column) => column.name === name);
    return of.rows.reduce((sum, row) => sum + Number(row[at] ?? 0), 0) / of.rows.length;
  };
  return stepParts
    .map(([name, words]) => ({words, here: mean(here, name), there: mean(there, name)}))
    .filter((part) => part.here > 0 || part.there > 0)
    .sort((a, b) => Math.abs(b.here - b.there) - Math.abs(a.here - a.there));
}
