import {expect, test} from "vitest";
import type {Rows} from "./api";
import {findingsIn, stretchesOf} from "./timeline_findings";

const column = (name: string) => ({name, type: "string", unit: ""});
const table = (rows: Rows["rows"]): Rows => ({
  columns: ["id", "title", "severity", "who", "ranks", "steps", "evidence"].map(column),
  rows,
});

test("findings have keys, ranks, steps and events", () => {
  const evidence = JSON.stringify([
    {table: "x", rows: []},
    {rank: 3, capture: 1, event: 77},
    {rank: "x", event: 1},
    null,
  ]);
  const [first, second, third] = findingsIn(
    table([
      ["slow-gpu", "a", "high", "rank 3", "3", "", evidence],
      ["slow-gpu", "b", "high", "", "5-6", "10,12", "no json"],
      ["gc-pause", "c", "low", null, "", "", null],
    ]),
  );
  expect(first).toEqual({
    key: "slow-gpu",
    row: 0,
    title: "A",
    severity: "high",
    who: "rank 3",
    ranks: [3],
    steps: [],
    events: [{rank: 3, capture: 1, event: 77}],
  });
  expect(second).toMatchObject({key: "slow-gpu:2", ranks: [5, 6], steps: [10, 12], events: []});
  expect(third).toMatchObject({key: "gc-pause", ranks: [], events: []});
});

test("steps that follow each other are one stretch", () => {
  const steps = [10, 11, 12, 13].map((step, i) => ({step, start: i * 100, end: i * 100 + 90}));
  const [one] = findingsIn(table([["a", "", "", "", "", "10,11,13", ""]]));
  expect(one && stretchesOf(one, steps)).toEqual([
    {from: 0, to: 190},
    {from: 300, to: 390},
  ]);
  const [all] = findingsIn(table([["a", "", "", "", "", "", ""]]));
  expect(all && stretchesOf(all, steps)).toEqual([]);
});
