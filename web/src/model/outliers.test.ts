import {expect, test} from "vitest";
import {outliersOf} from "./outliers";

test("what stands apart from the others", () => {
  expect([...outliersOf([10, 10.1, 9.9, 10, 15])]).toEqual([4]);
  expect([...outliersOf([10, 10, 10, 10, 12, 10])]).toEqual([4]);
  // A wide spread, a small difference, and too few to tell.
  expect([...outliersOf([1, 5, 9, 13, 17])]).toEqual([]);
  expect([...outliersOf([100, 100, 100, 101])]).toEqual([]);
  expect([...outliersOf([1, 1, 9])]).toEqual([]);
});
