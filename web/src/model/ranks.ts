// Lists of ranks as people write them.

import type {CellValue} from "./data";
import {front} from "./text";

// "0-3,7" -> [0, 1, 2, 3, 7]; what is not understood is left out.
const mostChosen = 20000;
export function numbersOf(text: CellValue | undefined): number[] {
  const found: number[] = [];
  for (const range of String(text ?? "").split(",")) {
    const ends = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(range);
    if (!ends) continue;
    const last = Number(ends[2] === undefined ? ends[1] : ends[2]);
    for (let number = Number(ends[1]); number <= last && found.length < mostChosen; ++number) found.push(number);
  }
  return found;
}

// [0, 1, 2, 3, 7] -> "0-3,7".
export function rangesOf(numbers: Iterable<number>): string {
  const order = Array.from(new Set(numbers)).sort((a, b) => a - b);
  const found: string[] = [];
  for (let i = 0; i < order.length; ) {
    let end = i + 1;
    while (end < order.length && order[end] === (order[end - 1] ?? NaN) + 1) ++end;
    found.push(end - i > 1 ? `${order[i]}-${order[end - 1]}` : String(order[i]));
    i = end;
  }
  return found.join(",");
}

// "rank 5", "ranks 0-3,7"; "steps 1-4" with another word. No longer than `most`.
export function named(word: string, numbers: Iterable<number>, most = 80): string {
  const ranges = rangesOf(numbers);
  return front(`${/[-,]/.test(ranges) ? `${word}s` : word} ${ranges}`, most);
}
