import {expect, test} from "vitest";
import {counterpartOf, differing, isLike, pairAt, pairsOf, partChanges, ranksBeside, type StepTime} from "./run_pair";
import {binBytes, type Tile} from "./timeline";

const steps = (first: number, length: number, numbers: readonly number[]): StepTime[] =>
  numbers.map((step, i) => ({step, start: first + i * length, end: first + (i + 1) * length}));

test("steps belong together by number, else by order", () => {
  const pairs = pairsOf(steps(0, 100, [4, 5, 6]), steps(1000, 80, [5, 6, 7]));
  expect(pairs.map(({here, there}) => [here.step, here.start, there.start])).toEqual([
    [5, 100, 1000],
    [6, 200, 1080],
  ]);
  expect(pairsOf(steps(0, 100, [1, 2]), steps(0, 100, [101])).map(({there}) => there.step)).toEqual([101]);
  expect(pairsOf([], steps(0, 1, [1]))).toEqual([]);
  const cut = steps(0, 100, [1, 2, 3]).map((step, i) => ({...step, isCut: i === 0}));
  expect(pairsOf(cut, steps(0, 90, [1, 2, 3])).map(({here}) => here.step)).toEqual([2, 3]);
  expect(pairsOf(cut, steps(0, 90, [101, 102])).map(({here, there}) => [here.step, there.step])).toEqual([
    [2, 101],
    [3, 102],
  ]);
});

test("the runs are laid over each other at the step in the middle, else at the closest", () => {
  const pairs = pairsOf(steps(0, 100, [1, 2, 3]), steps(0, 100.5, [1, 2, 3]));
  expect(pairAt(pairs, {from: 120, to: 160})?.here.step).toBe(2);
  expect(pairAt(pairs, {from: -500, to: -400})?.here.step).toBe(1);
  expect(pairAt(pairs, {from: 900, to: 1000})?.here.step).toBe(3);
  expect(pairAt([], {from: 0, to: 1})).toBeNull();
  expect(pairs.map(isLike)).toEqual([true, true, true]);
  expect(pairsOf(steps(0, 100, [1]), steps(0, 98, [1])).map(isLike)).toEqual([false]);
});

// One rank, a bin of a nanosecond for each letter: c computes, w waits, h idles by the host, d by the device, n not observed.
const tileOf = (text: string, begin = 0): Tile => {
  const data = new Uint8Array(text.length * binBytes);
  [...text].forEach((one, i) => {
    const part = {c: 0, w: 2, h: 5}[one];
    if (part !== undefined) data[i * binBytes + part] = 200;
    data[i * binBytes + 6] = (one === "n" ? 3 : 1) << 4;
  });
  return {ranks: new Float64Array([0]), bins: text.length, shift: 0, begin, data};
};

test("stretches in which the one does what the other does not, by its own clock", () => {
  const here = {tiles: [tileOf("ccwwhhdn")], rowOf: () => 0};
  const there = {tiles: [tileOf("ccccwhhd", 1000)], rowOf: () => 0};
  // The other begins at 1000 what this one begins at 0.
  expect(differing(here, there, -1000, {from: 0, to: 8}, 8)).toEqual([
    {from: 2, to: 5},
    {from: 6, to: 7},
  ]);
  expect(differing(here, {tiles: [], rowOf: () => 0}, 0, {from: 0, to: 8}, 8)).toEqual([]);
  expect(differing(here, {...there, rowOf: () => -1}, -1000, {from: 0, to: 8}, 8)).toEqual([]);
});

test("parts of a step are means over devices, the largest change first", () => {
  const columns = [{name: "rank"}, {name: "compute_ns"}, {name: "idle_host_ns"}];
  const here = {
    columns,
    rows: [
      [0, 100, 10],
      [1, 140, 10],
    ],
  };
  const there = {columns, rows: [[0, 90, 40]]};
  expect(partChanges(here, there)).toEqual([
    {words: "computing", here: 120, there: 90},
    {words: "idle: the host", here: 10, there: 40},
  ]);
  expect(partChanges(here, {columns, rows: []})).toBeNull();
});

test("ranks lie beside each other by number, or where each run has one", () => {
  const beside = (rank: number, ours: readonly number[], theirs: readonly number[]) =>
    counterpartOf(rank, ours, theirs, (one) => theirs.includes(one));
  expect(beside(1, [0, 1], [1, 2])).toBe(1);
  expect(beside(0, [0, 1], [1, 2])).toBeNull();
  expect(beside(0, [0], [5])).toBe(5);
  expect(beside(0, [0, 1], [5])).toBeNull();
  expect(ranksBeside([0, 1], [0, 1], "test")).toBe("");
  expect(ranksBeside([0], [5], "test")).toBe("Each run has one rank: rank 5 of test lies under rank 0 of this one.");
  expect(ranksBeside([0, 1, 2, 3], [8], "test")).toBe(
    "No rank has the same number in both runs, so test has no rows: here are ranks 0-3, there rank 8.",
  );
  expect(ranksBeside([0, 1], [1], "test")).toBe("Of 2 ranks here and 1 there one has the same number.");
});
