import {expect, test} from "vitest";
import {lossOf, seriesOf} from "./metrics";

const at = (ns: number) => String(1_700_000_000_000_000_000n + BigInt(ns));

test("samples are series, over steps where they have them", () => {
  const series = seriesOf([
    {time: at(0), name: "train/loss", value: 3, step: 10},
    {time: at(2e9), name: "train/loss", value: 2, step: 20},
    {time: at(1e9), name: "gpu", value: 70, rank: 10, unit: "W"},
    {time: at(1e9), name: "gpu", value: 60, rank: 9},
  ]);
  expect(series.map((one) => [one.name, one.who, one.hasSteps, one.x, one.values])).toEqual([
    ["gpu", "rank 9", false, [1], [60]],
    ["gpu", "rank 10", false, [1], [70]],
    ["train/loss", "", true, [10, 20], [3, 2]],
  ]);
  expect(lossOf(series)?.name).toBe("train/loss");
  expect(lossOf(series.slice(0, 1))).toBeNull();
  expect(seriesOf([])).toEqual([]);
});

test("a job that began again is drawn over time", () => {
  const [one] = seriesOf([
    {time: at(0), name: "loss", value: 3, step: 10},
    {time: at(1e9), name: "loss", value: 4, step: 5},
  ]);
  expect(one?.x).toEqual([0, 1]);
});
