import {expect, test} from "vitest";
import {nearestOf, nearRange, ticksBetween, zeroRange} from "./line_scales";

test("ticks are round and far enough from each other", () => {
  expect(ticksBetween(0, 10, 2.2, false)).toEqual([0, 2.5, 5, 7.5, 10]);
  expect(ticksBetween(10, 15, 0.3, true)).toEqual([10, 11, 12, 13, 14, 15]);
  expect(ticksBetween(0, 100, 21, true)).toEqual([0, 25, 50, 75, 100]);
  expect(ticksBetween(7, 7, 1, true)).toEqual([7]);
});

test("a range begins at 0 where that costs little", () => {
  expect(nearRange(1, 10)).toEqual([0, 10.99]);
  expect(nearRange(98, 100)[0]).toBe(80);
  expect(nearRange(0, 0)).toEqual([0, 1]);
  expect(zeroRange(100)).toEqual([0, 106]);
});

test("the nearest value", () => {
  expect(nearestOf([1, 4, 9], 6)).toBe(1);
  expect(nearestOf([], 6)).toBe(-1);
});
