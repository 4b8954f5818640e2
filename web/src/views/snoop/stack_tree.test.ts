import {expect, test} from "vitest";
import {treeOf} from "./stack_tree";

test("stacks that begin alike share their frames", () => {
  const {frames, totals, own} = treeOf([
    {stack: "main (a.py:1);f (a.py:2);cudaMalloc (libcudart.so.12)", weight: 5, last: ""},
    {stack: "main (a.py:1);g (a.py:9)", weight: 3, last: "relu"},
    {stack: "main (a.py:1)", weight: 1, last: ""},
  ]);
  expect(frames.map(({name, parent, kind}) => [name, parent, kind])).toEqual([
    ["all", null, null],
    ["main (a.py:1)", 0, "python"],
    ["f (a.py:2)", 1, "python"],
    ["cudaMalloc (libcudart.so.12)", 2, "native"],
    ["g (a.py:9)", 1, "python"],
    ["relu", 4, "last"],
  ]);
  expect(totals).toEqual([9, 9, 5, 5, 3, 3]);
  expect(own).toEqual([0, 1, 0, 5, 0, 3]);
});

test("a stack that is not known is one frame", () => {
  const {frames, totals} = treeOf([
    {stack: "", weight: 2, last: ""},
    {stack: "", weight: 3, last: ""},
  ]);
  expect(frames.map(({name}) => name)).toEqual(["all", "(stack not known)"]);
  expect(totals).toEqual([5, 5]);
});

test("one frame may be called by itself", () => {
  expect(treeOf([{stack: "f;f", weight: 1, last: ""}]).totals).toEqual([1, 1, 1]);
});
