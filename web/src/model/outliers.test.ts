import {expect, test} from "vitest";
import {farthestOf, outliersByGroup, outliersOf} from "./outliers";

test("what stands apart from the others", () => {
  expect([...outliersOf([10, 10.1, 9.9, 10, 15])]).toEqual([4]);
  expect([...outliersOf([10, 10, 10, 10, 12, 10])]).toEqual([4]);
  // A wide spread, a small difference, and too few to tell.
  expect([...outliersOf([1, 5, 9, 13, 17])]).toEqual([]);
  expect([...outliersOf([100, 100, 100, 101])]).toEqual([]);
  expect([...outliersOf([1, 1, 9])]).toEqual([]);
});

const outlier = (rank: number, metric: string, unit: string, value: number, median: number, deviation: number) => ({
  row: rank,
  rank,
  metric,
  unit,
  value,
  median,
  deviation,
});

test("the metric in which ranks differ most: time before counts, one rank before several", () => {
  const counts = [outlier(3, "kernels", "1/step", 273, 262, 7.4), outlier(4, "kernels", "1/step", 273, 262, 7.4)];
  const ranksOf = (outliers: readonly ReturnType<typeof outlier>[], wanted?: string, step: number | null = 16e6) =>
    farthestOf(outliers, wanted, step).map((one) => `${one.metric} ${one.rank}`);
  expect(ranksOf([])).toEqual([]);
  // Both have the same count.
  expect(ranksOf(counts)).toEqual(["kernels 3", "kernels 4"]);
  const hidden = [
    outlier(4, "hidden", "ns/step", 37_000, 265_000, -4.16),
    outlier(5, "hidden", "ns/step", 40_000, 265_000, -4.1),
  ];
  expect(ranksOf([...counts, ...hidden])).toEqual(["hidden 4", "hidden 5"]);
  // A time that is nothing beside a step says less.
  expect(ranksOf([...counts, outlier(1, "idle", "ns/step", 900, 20, 40)])).toEqual(["idle 1"]);
  expect(ranksOf([outlier(1, "idle", "ns/step", 900, 20, 4), outlier(2, "copies", "1/step", 9, 5, 8)])).toEqual([
    "copies 2",
  ]);
  // What the first finding is about comes first; ranks on the other side of the median are others.
  expect(ranksOf([...counts, ...hidden], "kernels")).toEqual(["kernels 3", "kernels 4"]);
  expect(
    ranksOf([outlier(0, "compute", "ns/step", 9e6, 6e6, 5), outlier(1, "compute", "ns/step", 3e6, 6e6, -5)]),
  ).toEqual(["compute 0"]);
});

test("outliers stand apart from their own group", () => {
  const values = [10, 10, 10, 10, 40, 40, 40, 60];
  expect([...outliersOf(values)]).not.toEqual([7]);
  expect([...outliersByGroup(values, ["a", "a", "a", "a", "b", "b", "b", "b"])]).toEqual([7]);
});
