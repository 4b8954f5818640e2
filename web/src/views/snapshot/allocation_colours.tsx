// What the program did when it allocated, in colours; the same in all plots of the page.

import {colour} from "../../draw/colour";
import type {ComponentChildren} from "preact";
import {ticks} from "../../draw/axes";
import {Legend, type LegendEntry} from "../../draw/legend";
import type {TimeView} from "../../draw/time_view";
import {human, words} from "../../model/format";
import {type CellValue, type Snapshot, type Table} from "../../model/report";
import {front} from "../../model/text";

export const categoryColours: ReadonlyMap<string, string> = new Map([
  ["forward", "forward"],
  ["backward", "backward"],
  ["recompute", "series-5"],
  ["optimizer", "series-3"],
  ["module", "series-6"],
  ["data", "series-4"],
  ["communication", "exposed_communication"],
  ["unknown", "idle_gap"],
  // Of a memory timeline.
  ["parameter", "series-6"],
  ["optimizer_state", "series-3"],
  ["input", "series-4"],
  ["temporary", "series-5"],
  ["activation", "series-1"],
  ["gradient", "series-2"],
  ["autograd_detail", "idle_launch"],
]);

export function categoryLabel(snapshot: Snapshot, category: CellValue): string {
  return category === "unknown" && !snapshot.data.is_timeline ? "unknown stack" : words(category);
}

interface CategoriesLegend {
  readonly snapshot: Snapshot;
  readonly categories: ReadonlySet<CellValue>;
  readonly more?: readonly LegendEntry[];
  // What is drawn empty.
  readonly children?: ComponentChildren;
}
export function CategoriesLegend({snapshot, categories, more = [], children}: CategoriesLegend) {
  const present = Array.from(categoryColours).filter(([one]) => categories.has(one));
  const entries = present.map(([one, itsColour]): LegendEntry => [itsColour, categoryLabel(snapshot, one)]);
  return <Legend entries={[...entries, ...more]}>{children}</Legend>;
}

// "forward (model.py:54) <- main (train.py:10)" as a list of frames.
export function frameList(stack: CellValue) {
  return (
    <ol>
      {String(stack)
        .split(" <- ")
        .map((frame) => (
          <li>{front(frame, 400)}</li>
        ))}
    </ol>
  );
}

// A place that opens to the frames around it.
export function stackCell(source: Table, row: number) {
  const place = source.get(row, "place");
  const stack = source.get(row, "stack");
  const label = place === null ? "(no stack)" : front(place, 200);
  return stack === null ? (
    <span>{label}</span>
  ) : (
    <details class="stack">
      <summary>{label}</summary>
      {frameList(stack)}
    </details>
  );
}

// Lines and labels of a scale of bytes at the left, and the times below.
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}
interface Axes extends Box {
  readonly most: number; // at the top
  readonly view: TimeView;
}
export function paintAxes(context: CanvasRenderingContext2D, {left, top, right, bottom, most, view}: Axes): void {
  context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  context.fillStyle = colour("muted");
  context.strokeStyle = colour("grid");
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const value of ticks(most, 5)) {
    const y = Math.round(bottom - (value / most) * (bottom - top)) + 0.5;
    if (y < top - 1) continue;
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.stroke();
    context.fillText(human(value, "bytes"), left - 6, y);
  }
  context.textBaseline = "top";
  context.textAlign = "center";
  for (const [time, label] of view.ticks(Math.max(2, Math.floor((right - left) / 90)))) {
    const x = left + ((time - view.begin) / view.span) * (right - left);
    if (x < left + 14 || x > right - 14) continue;
    context.fillText(label, x, bottom + 6);
  }
}
