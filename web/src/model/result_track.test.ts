import {expect, test} from "vitest";
import {hasTimes, resultSpanAt, spansIn, trackOf} from "./result_track";
import type {Result, Value} from "./sql";

const resultOf = (names: readonly string[], rows: readonly (readonly Value[])[]): Result => ({
  columns: names.map((name) => ({name, type: name === "name" || name === "why" ? "string" : "int64"})),
  rows,
});
const noOffset = () => 0;

test("rows of events are moved to the job's clock, and lie side by side where they overlap", () => {
  const result = resultOf(
    ["name", "rank", "ts_ns", "dur_ns"],
    [
      ["b", 1, 150, 100],
      ["a", 0, 0, 100],
      ["c", 0, 100, 20],
      ["d", 0, null, 5],
    ],
  );
  // Rank 1 is 60 ahead: what it calls 150 is 90.
  const track = trackOf(result, (rank) => (rank === 1 ? 60 : 0));
  expect(track).toMatchObject({lanes: 2, withoutTime: 1, covered: 0});
  expect(
    track?.spans.map(({start, duration, lane, name, rank, row}) => [start, duration, lane, name, rank, row]),
  ).toEqual([
    [0, 100, 0, "a", 0, 1],
    [90, 100, 1, "b", 1, 0],
    [100, 20, 0, "c", 0, 2],
  ]);
});

test("a begin with an end, alone, or as text; without one there is no time", () => {
  const both = trackOf(resultOf(["start_ns", "end_ns", "why"], [["10", 30, "late"]]), noOffset);
  expect(both?.spans[0]).toMatchObject({start: 10, duration: 20, name: "late", rank: null});
  expect(trackOf(resultOf(["begin_ns"], [[10]]), noOffset)?.spans[0]).toMatchObject({duration: 0, name: ""});
  // start_ns of tables is by the job's clock already.
  expect(trackOf(resultOf(["rank", "start_ns"], [[1, 10]]), () => 5)?.spans[0]?.start).toBe(10);
  expect(trackOf(resultOf(["rank", "total_ns"], [[1, 10]]), noOffset)).toBeNull();
  expect(hasTimes(resultOf(["ts_ns"], []))).toBe(false);
  expect(hasTimes(resultOf(["ts_ns"], [[1]]))).toBe(true);
});

test("what has no lane of its own is counted", () => {
  const track = trackOf(
    resultOf(
      ["start_ns", "dur_ns"],
      Array.from({length: 10}, (_, i) => [i, 1000]),
    ),
    noOffset,
  );
  expect(track).toMatchObject({lanes: 8, covered: 2});
});

test("a place in the picture is of the span that is drawn last there", () => {
  const track = trackOf(
    resultOf(
      ["name", "start_ns", "dur_ns"],
      [
        ["a", 0, 10],
        ["b", 100, 10],
      ],
    ),
    noOffset,
  );
  if (track === null) throw new Error("no track");
  expect(resultSpanAt(track, 0, 105, 0)?.name).toBe("b");
  expect(resultSpanAt(track, 0, 14, 5)?.name).toBe("a");
  expect(resultSpanAt(track, 0, 50, 5)).toBeNull();
  expect(resultSpanAt(track, 1, 105, 5)).toBeNull();
  expect(spansIn(track, {from: 11, to: 99})).toEqual([]);
  expect(spansIn(track, {from: 5, to: 100}).length).toBe(2);
});
