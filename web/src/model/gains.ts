// What a finding says of its gain (the table findings). No DOM.

import type {Table} from "./report";

const shownAsNothing = 0.05; // percent: less is 0.0%

const methods: Readonly<Record<string, string>> = {bound: "at most ", estimate: "about "};

// What stands before the figure: nothing where it is of a replay.
export const methodOf = (source: Table, row: number) => methods[source.text(row, "gain_method")] ?? "";

// Nothing is gained while it records (or less than nothing), and something without the profiler: no figure to begin with.
export function isHiddenByProfiler(source: Table, row: number): boolean {
  const part = source.number(row, "gain_pct");
  return part !== null && part < shownAsNothing && (source.number(row, "gain_unprofiled_pct") ?? 0) >= shownAsNothing;
}
