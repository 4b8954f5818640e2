// Which colour stands for what.

import type {CellValue} from "../model/report";
import {choosableText, takesTab} from "./choosable";
import {el, swatch} from "./dom";

// entries: [colour, label], and the rank that it is, if it is one.
export type LegendEntry = readonly [colour: string, label: string, rank?: CellValue];

export function legend(entries: readonly LegendEntry[]): HTMLElement {
  return takesTab(
    el(
      "ul",
      {class: "legend"},
      entries.map(([name, label, rank]) => {
        const entry = el("li", {}, name ? swatch(name) : null, label);
        return rank === undefined ? entry : choosableText(entry, [Number(rank)]);
      }),
    ),
  );
}
