// What a picture of the timeline is made of, and where times are in it.

import type {ResultSpan, ResultTrack} from "../model/result_track";
import type {StepPair} from "../model/run_pair";
import type {Spans, Tile, TimelineCollective, TimelinePath, Window} from "../model/timeline";
import type {Metric} from "../model/timeline_metrics";

export interface FindingMarks {
  readonly all: readonly {readonly key: string; readonly severity: string; readonly stretches: readonly Window[]}[];
  readonly chosen: {
    readonly key: string;
    readonly severity: string;
    readonly rows: readonly {readonly top: number; readonly height: number}[] | null; // null: those of all ranks
    readonly stretches: readonly Window[]; // none: all of the time
    readonly events: readonly {readonly rank: number; readonly start: number; readonly duration: number}[];
  } | null;
}

export interface PictureNote {
  readonly id: number;
  readonly text: string;
  readonly rank: number | null;
  readonly time_ns: number | null;
  readonly end_ns: number | null; // null: at an instant
}

export interface Links {
  readonly collectives: readonly TimelineCollective[];
  readonly chosen: TimelineCollective | null;
  readonly path: TimelinePath | null;
  // What people noted at a time, and at a rank where it is of one.
  readonly notes: readonly PictureNote[];
  // Of each rank that has a row: where, in the document of rows.
  readonly rowOf: ReadonlyMap<number, {readonly top: number; readonly height: number}>;
}

export interface MetricMarks {
  readonly metric: Metric;
  readonly marked: ReadonlySet<number>; // ranks whose lines stand out
}

export interface ResultMarks {
  readonly track: ResultTrack;
  readonly chosen: ResultSpan | null;
}

// Another run beside this one. Its times, moved by `shift`, are those of this one.
export interface OtherRun {
  readonly shift: number;
  readonly rankBeside: (rank: number) => number | null; // its rank beside one of this run
  // Of one of its own ranks, as placeOf.
  readonly tilesOf: (rank: number) => readonly Tile[]; // the coarser first
  readonly placeOf: (rank: number) => (tile: Tile) => number; // its row in a tile of either run; -1: not there
  readonly pairs: readonly StepPair[];
  readonly aligned: StepPair | null;
}

export const laneHeight = 16;
export const trackGap = 5;
export const rulerHeight = 26;

// A row of the picture: a rank's own, or a track of one that is open; of a group that is folded; or the head of one that is not; of a metric,
// or of a result of SQL; the same rank of another run, and how long steps take in both.
export interface TimelineRow {
  readonly rank: number; // below 0: a group's (model/timeline_groups.ts)
  readonly track: number | null; // null: the rank's own
  readonly top: number; // in the document of rows
  readonly height: number;
  readonly label: string;
  readonly head?: "group" | "metric" | "result" | "empty" | "other" | "changes";
  readonly isPinned?: boolean; // stays where it is while the others scroll
}

// In place of a track: the row behind which the empty ones of a rank are folded.
export const emptyTracks = -1;

export interface Chosen {
  readonly rank: number;
  readonly track: number;
  readonly start: number;
  readonly duration: number;
  readonly lane: number;
}

export interface ArrowEnd {
  readonly rank: number;
  readonly event: number;
  // Where it is when it is too short to be told from others; null: not known.
  readonly start: number | null;
  readonly track: number | null;
}
export interface Arrow {
  readonly from: ArrowEnd;
  readonly to: ArrowEnd;
}

export interface TimelinePicture {
  readonly width: number;
  readonly height: number;
  readonly gutter: number; // of labels, at the left
  readonly window: Window;
  readonly scroll: number;
  readonly rows: readonly TimelineRow[]; // those that can be seen; pinned ones last, since they lie over the others
  readonly pinnedHeight: number; // of all that are pinned
  readonly tilesOf: (rank: number) => readonly Tile[]; // the coarser first
  readonly spansOf: (rank: number) => Spans | null;
  readonly kinds: readonly string[];
  readonly steps: readonly {readonly step: number; readonly start: number; readonly end: number}[];
  readonly marked: ReadonlySet<number>; // ranks
  readonly chosen: Chosen | null;
  readonly arrows: readonly Arrow[];
  readonly area: {readonly from: number; readonly to: number; readonly top: number; readonly bottom: number} | null;
  readonly cursor: TimelineRow | null; // on which the keyboard is
  // Names that are lit, and single events of a rank; null: none.
  readonly lit: ((name: string) => boolean) | null;
  readonly litEvents: {readonly rank: number; readonly events: ReadonlySet<number>} | null;
  // The colour of a span that is another than that of its class; null: all have that.
  readonly colourOf: ((spans: Spans, span: number, track: number) => string | null) | null;
  readonly links: Links;
  readonly findings: FindingMarks;
  readonly metric: MetricMarks | null;
  readonly result: ResultMarks | null;
  readonly other: OtherRun | null;
  readonly times: readonly number[]; // that are marked, ascending
}

export function xOf(picture: Pick<TimelinePicture, "window" | "gutter" | "width">, time: number): number {
  const {from, to} = picture.window;
  return picture.gutter + ((time - from) / (to - from)) * (picture.width - picture.gutter);
}
export function timeAt(picture: Pick<TimelinePicture, "window" | "gutter" | "width">, x: number): number {
  const {from, to} = picture.window;
  return from + ((x - picture.gutter) / (picture.width - picture.gutter)) * (to - from);
}
