import {expect, test} from "vitest";
import {isHiddenByProfiler, methodOf} from "./gains";
import type {Table} from "./report";

// Of one row.
function tableOf(values: Record<string, number | string>) {
  return {
    number: (_: number, column: string) => values[column] ?? null,
    text: (_: number, column: string) => String(values[column] ?? ""),
  } as unknown as Table;
}

test("a gain that is seen without the profiler alone", () => {
  const isHidden = (gain_pct: number, gain_unprofiled_pct?: number) =>
    isHiddenByProfiler(tableOf(gain_unprofiled_pct === undefined ? {gain_pct} : {gain_pct, gain_unprofiled_pct}), 0);
  expect(isHidden(-0.02, 37)).toBe(true);
  expect(isHidden(0, 0.04)).toBe(false);
  expect(isHidden(0)).toBe(false);
  expect(isHidden(0.06, 37)).toBe(false);
  expect(isHiddenByProfiler(tableOf({gain_unprofiled_pct: 37}), 0)).toBe(false);
});

test("how a gain is known", () => {
  expect(methodOf(tableOf({gain_method: "bound"}), 0)).toBe("at most ");
  expect(methodOf(tableOf({gain_method: "replay"}), 0)).toBe("");
});
