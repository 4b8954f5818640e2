// Orders of lists.

import type {CellValue} from "./data";

// A copy of rows ordered by key; unknown comes last either way.
export function sorted<T>(rows: readonly T[], key: (row: T) => CellValue | undefined, down: boolean): T[] {
  return rows
    .map((row): [CellValue, T] => [key(row) ?? null, row])
    .sort(([a], [b]) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      const order =
        typeof a === "string" && typeof b === "string" ? (a < b ? -1 : a > b ? 1 : 0) : Number(a) - Number(b);
      return down ? -order : order;
    })
    .map(([, row]) => row);
}

// Distinct values in the order of their first row.
export function distinct<T>(values: readonly T[]): T[] {
  return Array.from(new Set(values));
}
