import {expect, test} from "vitest";
import {metricsIn, overWindow, valueAt, within} from "./timeline_metrics";

const origin = "1712345678901234567";
const sample = (rank: number | undefined, ns: number, value: number, name = "device_power") => ({
  time: String(BigInt(origin) + BigInt(ns)),
  name,
  value,
  unit: "W",
  ...(rank === undefined ? {} : {rank}),
});

test("samples that name their rank are lines on the job's clock", () => {
  const [power, ...others] = metricsIn(
    [sample(1, 200, 300), sample(0, 100, 400), sample(0, -100, 200), sample(undefined, 0, 1)],
    origin,
  );
  expect(others).toEqual([]);
  expect(power).toMatchObject({name: "device_power", unit: "W", least: 200, most: 400});
  const line = power?.lines.get(0);
  expect([...(line?.times ?? [])]).toEqual([-100, 100]);
  expect(line && valueAt(line, 0)).toBe(300);
  expect(line && valueAt(line, 101)).toBe(null);
  expect(line && within(line, {from: 0, to: 50})).toEqual({first: 0, last: 2});
});

test("a window's values are those between the samples around it", () => {
  const [power] = metricsIn([sample(0, 0, 100), sample(0, 100, 300), sample(0, 200, 300), sample(1, 500, 7)], origin);
  expect(power && overWindow(power, {from: 50, to: 150})).toEqual([{rank: 0, mean: 275, least: 200, most: 300}]);
});
