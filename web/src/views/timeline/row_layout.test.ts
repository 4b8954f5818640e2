import {expect, test} from "vitest";
import {emptyTracks} from "../../draw/timeline_picture";
import type {Track} from "../../model/timeline";
import {layOutRows, type RowPlan} from "./row_layout";

const track = (role: Track["role"], name: string, lanes = 1): Track => ({
  role,
  name,
  lanes,
  capture: 0,
  first: 0,
  second: 0,
});
// Two ranks of 10 pixels; rank 1 has a thread, a stream of two lanes and another stream.
const tracks = [track("thread", "main"), track("stream", "7", 2), track("stream", "20")];
const plan: RowPlan = {
  metric: null,
  resultLanes: null,
  hasChanges: false,
  pinned: [],
  hidden: new Set(),
  placed: [],
  ranks: [0, 1],
  groups: null,
  rankHeight: 10,
  isKnown: (rank) => rank < 2,
  isOpen: (rank) => rank === 1,
  isTall: () => false,
  labelOf: (rank) => `rank ${rank}`,
  labelBeside: () => null,
  tracksOf: (rank) => (rank === 1 ? tracks : []),
  emptyOf: () => new Set(),
  showsEmpty: () => false,
  chosenOf: () => null,
};
const rowsOf = (changes: Partial<RowPlan>) =>
  layOutRows({...plan, ...changes}).map(({label, top, height}) => [label, top, height]);

test("an open rank is high enough for its label, and its streams stand over its threads", () => {
  expect(rowsOf({})).toEqual([
    ["rank 0", 0, 10],
    ["rank 1", 10, 18],
    ["7", 30, 32],
    ["20", 67, 16],
    ["main", 88, 16],
  ]);
  expect(rowsOf({hidden: new Set(["1/stream:7"]), placed: ["1/thread:main"]}).slice(2)).toEqual([
    ["main", 30, 16],
    ["20", 51, 16],
  ]);
});

test("tracks without events fold to one row, but not that of the chosen event", () => {
  const empty = {emptyOf: () => new Set([0, 2])};
  expect(rowsOf(empty).map(([label]) => label)).toEqual(["rank 0", "rank 1", "7", "\u25b8 2 empty rows"]);
  expect(layOutRows({...plan, ...empty}).at(-1)).toMatchObject({rank: 1, track: emptyTracks, head: "empty"});
  const chosen = {...empty, chosenOf: () => 2};
  expect(rowsOf(chosen).map(([label]) => label)).toEqual(["rank 0", "rank 1", "7", "20", "\u25b8 1 empty row"]);
  expect(rowsOf({...empty, showsEmpty: () => true}).map(([label]) => label)).toEqual([
    "rank 0",
    "rank 1",
    "7",
    "20",
    "main",
    "\u25be 2 empty rows",
  ]);
});

test("what lies over all ranks comes first, then pinned rows; what is pinned and not there has none", () => {
  const over = {metric: "power", resultLanes: 2, hasChanges: true, pinned: ["1/stream:20", "0", "5", "1/stream:9"]};
  expect(rowsOf({...over, isOpen: () => false})).toEqual([
    ["power", 0, 64],
    ["SQL", 66, 32],
    ["here against there", 103, 19],
    ["\u25aa 1: 20", 124, 16],
    ["\u25aa rank 0", 145, 18],
    ["rank 0", 167, 10],
    ["rank 1", 177, 10],
  ]);
});

test("groups have a row each, and their ranks unless they are folded", () => {
  const groups = [
    {key: "a", label: "host a", ranks: [1], isFolded: true},
    {key: "b", label: "host b", ranks: [0], isFolded: false},
  ];
  expect(rowsOf({groups, labelBeside: (rank) => `beside ${rank}`})).toEqual([
    ["\u25b8 host a  (1)", 0, 20],
    ["\u25be host b  (1)", 20, 20],
    ["rank 0", 40, 10],
    ["beside 0", 50, 10],
  ]);
});
