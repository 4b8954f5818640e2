// The row that answers a section: the largest that has a name. No DOM.

import type {Table} from "./report";

// "(no module)" and the wrapper of PyTorch around every collective name nothing.
export function isNamed(name: string): boolean {
  return name !== "" && !name.startsWith("(") && name !== "record_param_comms";
}

export function largestNamed(
  source: Table,
  rows: readonly number[],
  column: string,
  nameOf: (row: number) => string,
): number | null {
  let best: number | null = null;
  for (const row of rows) {
    const value = source.number(row, column);
    if (value === null || value <= 0 || !isNamed(nameOf(row))) continue;
    if (best === null || value > source.amount(best, column)) best = row;
  }
  return best;
}
