// One tooltip for all plots, and the same words for screen readers when a plot is read by keyboard.

import {signal} from "@preact/signals";
import {human} from "../model/format";
import type {Cell} from "../model/report";
import {front} from "../model/text";

// In the window.
export interface Point {
  readonly x: number;
  readonly y: number;
}
export type TipLine = readonly [colour: string | null | undefined, label: string, cell: Cell];

export class Tips {
  readonly shown = signal<{readonly at: Point; readonly title: string; readonly lines: readonly TipLine[]} | null>(
    null,
  );
  readonly spoken = signal("");

  show(at: Point, title: string, lines: readonly TipLine[], speak: boolean): void {
    this.shown.value = {at, title, lines};
    if (!speak) return;
    const words = lines.map(([, label, cell]) => `${label} ${human(cell.value, cell.unit)}`).join(", ");
    this.spoken.value = `${front(title, 300)}: ${words}`;
  }
  hide(): void {
    this.shown.value = null;
  }
}
