// Texts of traces as people may read them.

import type {CellValue} from "./data";

// Control characters and those that reorder or hide text, as visible escapes.
const hidden = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
export function visible(text: unknown): string {
  return String(text).replace(hidden, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// The front of a text that may be 10 kB long.
export function front(text: CellValue, most: number): string {
  const shown = visible(text);
  return shown.length <= most ? shown : `${shown.slice(0, most)}\u2026`;
}

// Both ends of a path, which say most: "Model/\u2026/Attention". `between` splits it.
export function shortPath(text: CellValue, most: number, between: RegExp): string {
  const whole = visible(text);
  if (whole.length <= most) return whole;
  const [first = "", ...rest] = whole.split(between);
  const head = rest.length > 0 && first.length <= most / 3 ? first : "";
  let tail = "";
  for (const piece of rest.reverse()) {
    if (head.length + 2 + piece.length + tail.length > most) break;
    tail = piece + tail;
  }
  if (tail) return `${head}\u2026${/^[/.]/.test(tail) ? "" : (whole[whole.length - tail.length - 1] ?? "")}${tail}`;
  const half = Math.floor((most - 1) / 2);
  return `${whole.slice(0, half)}\u2026${whole.slice(whole.length - half)}`;
}

// What went wrong, as it may stand on a page.
export function problemOf(error: unknown): string {
  return visible(error instanceof Error ? error.message : String(error));
}

// "3", "3 and 4", "3, 4 and 5"; of more than `most` "3, 4 and 7 more".
export function listed(names: readonly string[], most: number): string {
  const shown = names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`;
}
