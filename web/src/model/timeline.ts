// A run's timeline: what the server sends of it (docs/server.md#timelines), decoded, and which pieces of it a picture needs. No DOM.

export interface TimelineInfo {
  readonly version: number;
  readonly origin_ns: string;
  readonly begin_ns: number; // of the first bin
  readonly base_shift: number;
  readonly last_shift: number;
  readonly tile_bins: number;
  readonly tile_ranks: number;
  readonly kinds: readonly string[];
  readonly captures: readonly (readonly [
    rank: number,
    capture: number,
    begin_ns: number,
    end_ns: number,
    spans: number,
  ])[];
}

export interface Window {
  readonly from: number;
  readonly to: number;
}

// Where the time of a bin goes, in 255ths; the order is that of the bytes.
export const binParts = ["compute", "transfer", "wait", "communication_unknown", "copy", "idle_host"] as const;
export const wholeByte = 255;
export const restByte = binParts.length;
export const binBytes = restByte + 1;
export const lateFlag = 1;
// The upper half of the last byte: most of the rest.
export const restKinds = ["nothing", "idle_device", "idle_unknown", "not_observed"] as const;

export interface Tile {
  readonly ranks: Float64Array;
  readonly bins: number;
  readonly shift: number;
  readonly begin: number;
  readonly data: Uint8Array; // of the first rank all bins, and so on
}

export class BadTimeline extends Error {}

export function decodeTile(buffer: ArrayBuffer): Tile {
  const view = new DataView(buffer);
  if (buffer.byteLength < 24 || view.getUint32(0, true) !== 0x4c545352) throw new BadTimeline("no tile of a timeline");
  const [count, bins, shift] = [view.getUint32(4, true), view.getUint32(8, true), view.getUint32(12, true)];
  const begin = view.getFloat64(16, true);
  const head = 24 + 8 * count;
  if (buffer.byteLength !== head + count * bins * binBytes) throw new BadTimeline("a tile of another length");
  return {ranks: new Float64Array(buffer, 24, count), bins, shift, begin, data: new Uint8Array(buffer, head)};
}

export type Role = "stream" | "waits" | "annotations" | "thread" | "other";
export interface Track {
  readonly name: string;
  readonly role: Role;
  readonly capture: number;
  readonly first: number;
  readonly second: number;
  readonly lanes: number;
}

// The events of a rank within a window, in columns.
export interface Spans {
  readonly rank: number;
  readonly resolution_ns: number;
  readonly tracks: readonly Track[];
  readonly names: readonly string[];
  readonly count: number;
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly name: Uint32Array;
  readonly event: Uint32Array;
  readonly events: Uint32Array; // how many one stands for
  readonly track: Uint16Array;
  readonly lane: Uint8Array;
  readonly kind: Uint8Array;
  readonly share: Uint8Array;
  readonly flags: Uint8Array;
  readonly first: readonly number[]; // of each track its first span; one more at the end
}

export function decodeSpans(buffer: ArrayBuffer): Spans {
  const view = new DataView(buffer);
  const length = buffer.byteLength < 8 ? NaN : Number(view.getBigUint64(0, true));
  if (!(length <= buffer.byteLength - 8)) throw new BadTimeline("no events of a timeline");
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) as {
    rank: number;
    resolution_ns: number;
    tracks: Track[];
    names: string[];
    spans: number;
  };
  const count = head.spans;
  let at = 8 + length;
  const take = <T>(make: new (buffer: ArrayBuffer, offset: number, count: number) => T, bytes: number): T => {
    const column = new make(buffer, at, count);
    at += bytes * count;
    return column;
  };
  if (buffer.byteLength !== at + 34 * count) throw new BadTimeline("events of another length");
  const start = take(Float64Array, 8);
  const duration = take(Float64Array, 8);
  const name = take(Uint32Array, 4);
  const event = take(Uint32Array, 4);
  const events = take(Uint32Array, 4);
  const track = take(Uint16Array, 2);
  const first: number[] = [];
  for (let i = 0; i < count; ++i) while (first.length <= (track[i] ?? 0)) first.push(i);
  while (first.length <= head.tracks.length) first.push(count);
  return {
    rank: head.rank,
    resolution_ns: head.resolution_ns,
    tracks: head.tracks,
    names: head.names,
    count,
    start,
    duration,
    name,
    event,
    events,
    track,
    lane: take(Uint8Array, 1),
    kind: take(Uint8Array, 1),
    share: take(Uint8Array, 1),
    flags: take(Uint8Array, 1),
    first,
  };
}

// Tiles by (level, column, block of ranks): whatever the order of rows, they stay what they are.
export interface TileKey {
  readonly shift: number;
  readonly column: number;
  readonly block: number;
}
export function keyText(key: TileKey): string {
  return `${key.shift}/${key.column}/${key.block}`;
}

// Finer than this the events themselves are as good.
const finestShift = 8;
const mostTiles = 48;

// The tiles of a picture, `pixels` wide, of these blocks of ranks: bins are no longer than a pixel, unless that would take too many.
export function tilesFor(info: TimelineInfo, window: Window, pixels: number, blocks: readonly number[]): TileKey[] {
  const perPixel = (window.to - window.from) / Math.max(1, pixels);
  let shift = Math.max(finestShift, Math.min(info.last_shift, Math.floor(Math.log2(Math.max(1, perPixel)))));
  const columns = () => {
    const length = info.tile_bins * 2 ** shift;
    const first = Math.max(0, Math.floor((window.from - info.begin_ns) / length));
    return {first, count: Math.max(0, Math.floor((window.to - info.begin_ns - 1) / length) - first + 1)};
  };
  while (shift < info.last_shift && columns().count * blocks.length > mostTiles) ++shift;
  const {first, count} = columns();
  return blocks.flatMap((block) => Array.from({length: count}, (_, i) => ({shift, column: first + i, block})));
}

export function tileWindow(info: TimelineInfo, key: TileKey): Window {
  const length = info.tile_bins * 2 ** key.shift;
  return {from: info.begin_ns + key.column * length, to: info.begin_ns + (key.column + 1) * length};
}

// What holds the place of a tile that is not there yet: the coarser one around it.
export function coarser(info: TimelineInfo, key: TileKey): TileKey | null {
  return key.shift >= info.last_shift ? null : {shift: key.shift + 1, column: key.column >> 1, block: key.block};
}

export function ranksIn(info: TimelineInfo): number[] {
  const ranks: number[] = [];
  for (const [rank] of info.captures) if (ranks.at(-1) !== rank) ranks.push(rank);
  return ranks;
}

export function wholeOf(info: TimelineInfo): Window {
  let [from, to] = [Infinity, -Infinity];
  for (const [, , begin, end] of info.captures) {
    from = Math.min(from, begin);
    to = Math.max(to, end);
  }
  return from < to ? {from, to} : {from: 0, to: 1};
}

// What a bin's devices did is known but for the rest where that is of these kinds.
const unrecorded = [restKinds.indexOf("nothing"), restKinds.indexOf("not_observed")];

// How a rank's time goes over a window, in 255ths of it, by the bins that begin in it; tiles of one level, the rank's row in them. Behind
// binParts, at restByte, how much of it was recorded. Null when they have fewer than `least` bins there: too coarse to tell.
export function sharesOf(tiles: readonly Tile[], row: number, window: Window, least = 1): number[] | null {
  const sums = [...binParts.map(() => 0), 0];
  let bins = 0;
  for (const tile of tiles) {
    const length = 2 ** tile.shift;
    const first = Math.max(0, Math.ceil((window.from - tile.begin) / length));
    const last = Math.min(tile.bins, Math.ceil((window.to - tile.begin) / length));
    for (let bin = first; bin < last; ++bin) {
      const at = (row * tile.bins + bin) * binBytes;
      let known = 0;
      for (let part = 0; part < restByte; ++part) {
        const share = tile.data[at + part] ?? 0;
        sums[part] = (sums[part] ?? 0) + share;
        known += share;
      }
      const isKnown = !unrecorded.includes((tile.data[at + restByte] ?? 0) >> 4);
      sums[restByte] = (sums[restByte] ?? 0) + (isKnown ? Math.max(255, known) : known);
    }
    bins += Math.max(0, last - first);
  }
  return bins < least ? null : sums.map((sum) => sum / bins);
}

// A window made longer or shorter around a time, within what there is and no shorter than a picture can show.
export function zoomed(window: Window, factor: number, at: number, whole: Window): Window {
  const least = 200;
  const most = (whole.to - whole.from) * 1.1;
  const span = Math.max(least, Math.min(most, (window.to - window.from) / factor));
  const part = (at - window.from) / (window.to - window.from);
  return moved({from: at - part * span, to: at - part * span + span}, 0, whole);
}
export function moved(window: Window, by: number, whole: Window): Window {
  const span = window.to - window.from;
  const slack = Math.max(span * 0.5, (whole.to - whole.from) * 0.05);
  const from = Math.max(whole.from - slack, Math.min(whole.to + slack - span, window.from + by));
  return {from, to: from + span};
}

// Where the spans of a track's lanes stand, each in order of time, as what is in one lane does not overlap. Made once for a track that is pointed at.
const lanesOfSpans = new WeakMap<Spans, Map<number, number[][]>>();
function lanesOf(spans: Spans, track: number): readonly number[][] {
  let tracks = lanesOfSpans.get(spans);
  if (tracks === undefined) lanesOfSpans.set(spans, (tracks = new Map()));
  let lanes = tracks.get(track);
  if (lanes === undefined) {
    tracks.set(track, (lanes = []));
    for (let i = spans.first[track] ?? 0; i < (spans.first[track + 1] ?? 0); ++i)
      (lanes[spans.lane[i] ?? 0] ??= []).push(i);
  }
  return lanes;
}

// The span that a click or a cursor is over: the one of the lane that holds `time`, else the nearest that is no further than `slack`.
export function spanAt(spans: Spans, track: number, lane: number, time: number, slack: number): number | null {
  const inLane = lanesOf(spans, track)[lane] ?? [];
  let [low, high] = [0, inLane.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans.start[inLane[middle] ?? 0] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  let best: number | null = null;
  let least = Infinity;
  for (const span of [inLane[low - 1], inLane[low]]) {
    if (span === undefined) continue;
    const start = spans.start[span] ?? 0;
    const distance = Math.max(0, start - time, time - start - (spans.duration[span] ?? 0));
    if (distance <= slack && distance < least) [best, least] = [span, distance];
  }
  return best;
}

// When each member came to a collective, and the critical path, as the server tells them.
// [rank, start_ns, duration_ns, wait_ns, event]
export type Arrival = readonly [rank: number, start: number, duration: number, wait: number | null, event: number];
export interface TimelineCollective {
  readonly name: string;
  readonly wait_ns: number | string;
  readonly last_rank: number | null; // null: the clocks do not tell
  readonly members: readonly Arrival[];
}
export interface TimelinePath {
  readonly resolution_ns: number;
  readonly pieces: readonly {
    readonly rank: number;
    readonly start_ns: number;
    readonly duration_ns: number;
    readonly event: number | null;
    readonly count: number;
    readonly part: string;
    readonly name: string;
  }[];
}
