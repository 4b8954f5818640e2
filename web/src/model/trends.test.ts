import {expect, test} from "vitest";
import type {Run} from "./api";
import {trendsOf} from "./trends";

const run = (name: string, day: number, step: number | null, ranks = 8) =>
  ({
    id: `${name}${day}`,
    name,
    world_size: ranks,
    created: `2026-01-${String(day).padStart(2, "0")}T00:00:00Z`,
    summary: step === null ? null : {step_time_ns: {median: step, mean: step, complete_steps: 4}, ranks},
  }) as unknown as Run;

test("a run that is slower than those before it is a regression", () => {
  const [trend, ...others] = trendsOf([
    run("llama", 5, 103),
    run("llama", 4, 120),
    run("llama", 3, 101),
    run("llama", 2, 99),
    run("llama", 1, 100),
    run("llama", 6, null), // failed
    run("llama", 7, 50, 4), // of another size, alone
    run("other", 1, 9),
  ]);
  expect(others).toEqual([]);
  expect(trend?.name).toBe("llama");
  expect(trend?.points.map((one) => one.step_ns)).toEqual([100, 99, 101, 120, 103]);
  expect(trend?.points.map((one) => one.isRegression)).toEqual([false, false, false, true, false]);
  expect(trend?.points[0]?.change_pct).toBe(null);
  expect(trend?.points[3]?.change_pct).toBeCloseTo(20);
  // Against the median of 100, 99, 101 and 120.
  expect(trend?.points[4]?.change_pct).toBeCloseTo((100 * 103) / 100.5 - 100);
});
