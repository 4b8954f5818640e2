import {describe, expect, it} from "vitest";
import {
  coarser,
  decodeSpans,
  decodeTile,
  moved,
  ranksIn,
  sharesOf,
  spanAt,
  tilesFor,
  tileWindow,
  type Spans,
  type TimelineInfo,
  wholeOf,
  zoomed,
} from "./timeline";

const info: TimelineInfo = {
  version: 1,
  origin_ns: "0",
  begin_ns: -1000,
  base_shift: 10,
  last_shift: 14,
  tile_bins: 512,
  tile_ranks: 128,
  kinds: ["gemm"],
  captures: [
    [0, 0, 0, 5_000_000, 9],
    [0, 1, 5_000_000, 6_000_000, 9],
    [3, 0, 10, 7_000_000, 9],
  ],
};

function tile(
  ranks: readonly number[],
  bins: number,
  shift: number,
  begin: number,
  bytes: readonly number[],
): ArrayBuffer {
  const buffer = new ArrayBuffer(24 + 8 * ranks.length + bytes.length);
  const view = new DataView(buffer);
  view.setUint32(0, 0x4c545352, true);
  view.setUint32(4, ranks.length, true);
  view.setUint32(8, bins, true);
  view.setUint32(12, shift, true);
  view.setFloat64(16, begin, true);
  ranks.forEach((rank, i) => view.setFloat64(24 + 8 * i, rank, true));
  new Uint8Array(buffer, 24 + 8 * ranks.length).set(bytes);
  return buffer;
}

describe("tiles", () => {
  it("are decoded, and refused when their length is another", () => {
    const bytes = [255, 0, 0, 0, 0, 0, 1, 0, 51, 102, 34, 0, 68, 16];
    const one = decodeTile(tile([7], 2, 4, 100, bytes));
    expect([one.ranks[0], one.bins, one.shift, one.begin]).toEqual([7, 2, 4, 100]);
    expect(sharesOf([one], 0, {from: 100, to: 132})).toEqual([127.5, 25.5, 51, 17, 0, 34, 255]);
    expect(sharesOf([one], 0, {from: 116, to: 132})).toEqual([0, 51, 102, 34, 0, 68, 255]);
    const next = decodeTile(tile([7], 2, 4, 132, [255, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0]));
    expect(sharesOf([one, next], 0, {from: 116, to: 148})).toEqual([127.5, 25.5, 51, 17, 0, 34, 255]);
    expect(sharesOf([one], 0, {from: 116, to: 132}, 8)).toBeNull();
    // Half of a bin was not observed, and nothing was recorded in the next.
    const cut = decodeTile(tile([7], 2, 4, 100, [102, 0, 26, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0, 0]));
    expect(sharesOf([cut], 0, {from: 100, to: 132})).toEqual([51, 0, 13, 0, 0, 0, 64]);
    expect(() => decodeTile(tile([7], 3, 4, 100, bytes))).toThrow("another length");
    expect(() => decodeTile(new ArrayBuffer(3))).toThrow("no tile");
  });
  it("cover the window with bins of a pixel at most", () => {
    const keys = tilesFor(info, {from: 0, to: 1_000_000}, 500, [0]);
    expect(keys[0]?.shift).toBe(10);
    expect(keys.map((key) => key.column)).toEqual([0, 1]);
    for (const key of keys) expect(tileWindow(info, key).to).toBeGreaterThan(0);
  });
  it("become coarser rather than many", () => {
    const blocks = Array.from({length: 40}, (_, i) => i);
    const keys = tilesFor(info, {from: 0, to: 7_000_000}, 1400, blocks);
    expect(keys.length).toBeLessThanOrEqual(48);
    expect(new Set(keys.map((key) => key.block)).size).toBe(40);
  });
  it("have coarser ones around them", () => {
    expect(coarser(info, {shift: 10, column: 5, block: 1})).toEqual({shift: 11, column: 2, block: 1});
    expect(coarser(info, {shift: 14, column: 0, block: 1})).toBeNull();
  });
});

describe("windows", () => {
  const whole = wholeOf(info);
  it("know the whole and its ranks", () => {
    expect(whole).toEqual({from: 0, to: 7_000_000});
    expect(ranksIn(info)).toEqual([0, 3]);
  });
  it("keep the time under the cursor while zooming", () => {
    const near = zoomed({from: 0, to: 4_000_000}, 2, 1_000_000, whole);
    expect(near).toEqual({from: 500_000, to: 2_500_000});
    expect(zoomed(near, 1e9, 1_000_000, whole).to - zoomed(near, 1e9, 1_000_000, whole).from).toBeCloseTo(200);
  });
  it("stay where something was recorded", () => {
    expect(moved({from: 0, to: 1_000_000}, 1e12, whole).to).toBe(7_500_000);
  });
});

describe("spans", () => {
  it("are decoded and found by arithmetic", () => {
    const json = JSON.stringify({
      rank: 3,
      resolution_ns: 10,
      tracks: [
        {name: "a", role: "thread", capture: 0, first: 1, second: 1, lanes: 2},
        {name: "b", role: "stream", capture: 0, first: 0, second: 7, lanes: 1},
      ],
      names: ["x", "y"],
      spans: 3,
    });
    const text = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 8) * 8));
    const buffer = new ArrayBuffer(8 + text.length + 3 * 34);
    const view = new DataView(buffer);
    view.setBigUint64(0, BigInt(text.length), true);
    new Uint8Array(buffer, 8).set(text);
    let at = 8 + text.length;
    for (const start of [100, 120, 50]) {
      view.setFloat64(at, start, true);
      at += 8;
    }
    for (const duration of [100, 10, 500]) {
      view.setFloat64(at, duration, true);
      at += 8;
    }
    for (const value of [0, 1, 1, 4, 5, 6, 1, 1, 9]) {
      view.setUint32(at, value, true);
      at += 4;
    }
    for (const track of [0, 0, 1]) {
      view.setUint16(at, track, true);
      at += 2;
    }
    for (const byte of [0, 1, 0]) view.setUint8(at++, byte);
    const spans = decodeSpans(buffer);
    expect([spans.rank, spans.count, spans.first]).toEqual([3, 3, [0, 2, 3]]);
    expect([...spans.event]).toEqual([4, 5, 6]);
    expect(spanAt(spans, 0, 0, 150, 0)).toBe(0);
    expect(spanAt(spans, 0, 1, 125, 0)).toBe(1);
    expect(spanAt(spans, 0, 1, 150, 0)).toBeNull();
    expect(spanAt(spans, 1, 0, 549, 0)).toBe(2);
    expect(() => decodeSpans(buffer.slice(0, 60))).toThrow();
  });

  const lanes = (...rows: readonly (readonly [lane: number, start: number, duration: number])[]): Spans => ({
    rank: 0,
    resolution_ns: 1,
    tracks: [],
    names: ["x"],
    count: rows.length,
    first: [0, rows.length],
    lane: Uint8Array.from(rows, ([lane]) => lane),
    start: Float64Array.from(rows, ([, start]) => start),
    duration: Float64Array.from(rows, ([, , duration]) => duration),
    name: new Uint32Array(rows.length),
    event: new Uint32Array(rows.length),
    events: new Uint32Array(rows.length).fill(1),
    kind: new Uint8Array(rows.length),
    track: new Uint16Array(rows.length),
    share: new Uint8Array(rows.length),
    flags: new Uint8Array(rows.length),
  });
  it("are what is under the pointer, not a neighbour that is near", () => {
    const spans = lanes([0, 100, 10], [0, 112, 10], [0, 200, 5]);
    expect(spanAt(spans, 0, 0, 108, 6)).toBe(0);
    expect(spanAt(spans, 0, 0, 111, 6)).toBe(0);
    expect(spanAt(spans, 0, 0, 112, 6)).toBe(1);
    expect(spanAt(spans, 0, 0, 196, 6)).toBe(2);
    expect(spanAt(spans, 0, 0, 150, 6)).toBeNull();
  });
  it("are found below any number of others", () => {
    const rows = Array.from({length: 10_000}, (_, i): [number, number, number] => [1, 10 + 2 * i, 1]);
    expect(spanAt(lanes([0, 0, 50_000], ...rows), 0, 0, 40_000, 0)).toBe(0);
  });
});
