// What is held over time: a box per allocation, stacked in the order of their begin, so that a box moves down when one below it is freed.
// Small allocations are one band at the bottom.
//
// A column of pixels may hold thousands of events. It shows the one behind which most is held, so that no peak is lost, and boxes of
// neighbouring columns are drawn as one while they do not move: drawing costs columns times what is live, however many events there are.

import {useMemo, useRef, useState} from "preact/hooks";
import {CanvasPlot} from "../../draw/canvas_plot";
import {colour} from "../../draw/colour";
import {type Move, usePlot} from "../../draw/plot_box";
import {TimeView} from "../../draw/time_view";
import type {Point, TipLine} from "../../draw/tips";
import type {Snapshot} from "../../model/report";
import {type Box, categoryColours, categoryLabel, paintAxes} from "./allocation_colours";
import type {Allocations} from "./allocations";
import {TimeTools} from "./time_tools";

interface AllocationTimeline {
  readonly snapshot: Snapshot;
  readonly name: string;
  readonly all: Allocations;
  readonly length: number; // ns
  readonly most: number;
  readonly reserved: readonly (readonly [time: number, bytes: number])[];
  // The row that is kept, and the one that is under the pointer; null when none is.
  readonly pinned: number | null;
  readonly show: (row: number | null) => void;
  readonly pin: (row: number | null) => void;
}
// Of a column from below: an allocation, or those that are small (-1).
interface Layer {
  readonly i: number;
  readonly from: number;
  readonly to: number;
}

const margin = {left: 62, right: 8, top: 8, bottom: 24};
const height = 380;
const area = (width: number): Box => ({
  left: margin.left,
  right: width - margin.right,
  top: margin.top,
  bottom: height - margin.bottom,
});
const shades = [1, 0.82, 0.66];

// Paints boxes as long as they lie where they lay.
class BoxPainter {
  private readonly start: Float64Array;
  private readonly level: Float64Array;
  private readonly fills: readonly string[];

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly all: Allocations,
    private readonly box: Box,
    private readonly scale: number, // pixels per byte
    private readonly pinned: number | null,
  ) {
    this.start = new Float64Array(all.rows.length);
    this.level = new Float64Array(all.rows.length).fill(-1);
    const inks = new Map<string, string>();
    this.fills = all.rows.map((row) => {
      const name = row === pinned ? "text" : (categoryColours.get(all.source.text(row, "category")) ?? "idle_gap");
      let ink = inks.get(name);
      if (ink === undefined) inks.set(name, (ink = colour(name)));
      return ink;
    });
  }
  // It lies at `level` from column `x` on.
  move(i: number, x: number, level: number): void {
    if (this.level[i] === level) return;
    this.close(i, x);
    this.start[i] = x;
    this.level[i] = level;
  }
  close(i: number, x: number): void {
    const level = this.level[i] ?? -1;
    if (level < 0) return;
    const bytes = this.all.bytesOf(i);
    const size = bytes * this.scale;
    const start = this.start[i] ?? 0;
    if (size >= 0.25) {
      const {left, bottom} = this.box;
      this.context.globalAlpha = this.all.rows[i] === this.pinned ? 1 : (shades[this.all.shade[i] ?? 0] ?? 1);
      this.context.fillStyle = this.fills[i] ?? "gray";
      this.context.fillRect(
        left + start,
        bottom - (level + bytes) * this.scale,
        Math.max(x - start, 0.6),
        size > 2 ? size - 0.5 : size,
      );
    }
    this.level[i] = -1;
  }
}

export function AllocationTimeline({
  snapshot,
  name,
  all,
  length,
  most,
  reserved,
  pinned,
  show: tell,
  pin,
}: AllocationTimeline) {
  const plot = usePlot();
  const view = useMemo(() => new TimeView(length, 1000), [length]);
  const [, redraw] = useState({});
  const [withReserved, setReserved] = useState(false);
  const columns = useRef<Int32Array>(new Int32Array(0));
  const cursor = useRef<{readonly x: number; readonly i: number} | null>(null);
  const limit = (withReserved ? Math.max(most, ...reserved.map(([, bytes]) => bytes)) : most) * 1.04;

  function paint(context: CanvasRenderingContext2D, width: number) {
    const box = area(width);
    const {left, right, top, bottom} = box;
    paintAxes(context, {...box, most: limit, view});
    const wide = Math.max(1, Math.floor(right - left));
    columns.current = all.columns(view, wide);
    const scale = (bottom - top) / limit;
    paintBoxes(context, box, scale, wide);
    if (withReserved) paintReserved(context, box, scale, wide);
    if (cursor.current === null) return;
    context.strokeStyle = colour("muted");
    context.strokeRect(left + cursor.current.x + 0.5, top, 0, bottom - top);
  }
  function paintBoxes(context: CanvasRenderingContext2D, box: Box, scale: number, wide: number) {
    const painter = new BoxPainter(context, all, box, scale, pinned);
    const line = colour("line");
    // The live ones in stacking order.
    let live: readonly number[] = [];
    let event = -2;
    let restBefore = -1;
    let restStart = 0;
    const closeRest = (x: number) => {
      if (restBefore <= 0) return;
      context.globalAlpha = 1;
      context.fillStyle = line;
      context.fillRect(box.left + restStart, box.bottom - restBefore * scale, x - restStart, restBefore * scale);
    };
    columns.current.forEach((column, x) => {
      const rest = all.restAt(view.begin + ((x + 0.5) / wide) * view.span);
      if (column === event && rest === restBefore) return;
      if (column !== event) {
        event = column;
        for (const i of live) if (!all.isLive(i, event)) painter.close(i, x);
        live = all.order.filter((i) => all.isLive(i, event));
      }
      if (rest !== restBefore) {
        closeRest(x);
        restBefore = rest;
        restStart = x;
      }
      let y = rest;
      for (const i of live) {
        painter.move(i, x, y);
        y += all.bytesOf(i);
      }
    });
    for (const i of live) painter.close(i, wide);
    closeRest(wide);
    context.globalAlpha = 1;
  }
  function paintReserved(context: CanvasRenderingContext2D, {left, bottom, top}: Box, scale: number, wide: number) {
    context.strokeStyle = colour("text");
    context.setLineDash([5, 3]);
    context.beginPath();
    let last: number | null = null;
    for (const [time, bytes] of reserved) {
      const x = left + Math.max(0, Math.min(wide, ((time - view.begin) / view.span) * wide));
      const y = Math.max(top, bottom - bytes * scale);
      if (last !== null) context.lineTo(x, last);
      context.lineTo(x, y);
      last = y;
    }
    if (last !== null) context.lineTo(left + wide, last);
    context.stroke();
    context.setLineDash([]);
  }

  // The live ones of a column from below, with the level at which each begins.
  function stackAt(x: number): Layer[] {
    const {left, right} = area(plot.width);
    const time = view.begin + ((x + 0.5) / (right - left)) * view.span;
    let y = all.restAt(time);
    const stack: Layer[] = y > 0 ? [{i: -1, from: 0, to: y}] : [];
    for (const i of all.order) {
      if (!all.isLive(i, columns.current[x] ?? -1)) continue;
      const to = y + all.bytesOf(i);
      stack.push({i, from: y, to});
      y = to;
    }
    return stack;
  }
  const rowOf = (i: number) => all.rows[i] ?? null;
  function show(x: number, entry: Layer, point: Point, speak: boolean) {
    cursor.current = {x, i: entry.i};
    const row = rowOf(entry.i);
    const none = {value: "", unit: "", type: "string", id: ""};
    const category = row === null ? "" : all.source.text(row, "category");
    const cell = (column: string) => all.source.cell(row ?? -1, column);
    const lines: TipLine[] =
      row === null
        ? [["line", "at most", {value: entry.to, unit: "bytes", type: "int64", id: ""}]]
        : [
            [categoryColours.get(category), categoryLabel(snapshot, category), none],
            ["", "allocated", cell("bytes")],
            ["", "begin", cell("begin_ns")],
            ["", "end", cell("end_ns")],
          ];
    const title = row === null ? "Small allocations, summed" : all.source.text(row, "place") || "(no stack)";
    plot.tips.show(point, title, lines, speak);
    if (pinned === null) tell(row);
  }
  function leave() {
    cursor.current = null;
    plot.tips.hide();
    if (pinned === null) tell(null);
  }
  function under(px: number, py: number) {
    const {left, right, bottom, top} = area(plot.width);
    const x = Math.floor(px - left);
    if (x < 0 || x >= columns.current.length || px > right) return null;
    const bytes = ((bottom - py) / (bottom - top)) * limit;
    const entry = stackAt(x).find((one) => bytes >= one.from && bytes < one.to);
    return entry ? {x, entry} : null;
  }
  const pinAt = (i: number) => {
    const row = rowOf(i);
    if (row !== null) pin(row === pinned ? null : row);
  };
  function read(move: Move) {
    const last = columns.current.length - 1;
    const now = cursor.current;
    let x = now?.x ?? Math.floor(last / 2);
    const before = stackAt(x);
    let place = now === null ? before.length - 1 : before.findIndex((one) => one.i === now.i);
    if (move === "first") x = 0;
    else if (move === "last") x = last;
    else {
      x = Math.max(0, Math.min(last, x + 8 * move[0]));
      place -= move[1];
    }
    const stack = stackAt(x);
    const entry = stack[Math.max(0, Math.min(stack.length - 1, place < 0 ? stack.length - 1 : place))];
    if (entry === undefined) {
      leave();
      cursor.current = {x, i: -1};
      plot.tips.spoken.value = "Nothing is held";
      return;
    }
    const box = plot.box();
    const {left, bottom, top} = area(box.width);
    const y = box.top + bottom - ((entry.from + entry.to) / 2 / limit) * (bottom - top);
    show(x, entry, {x: box.left + left + x, y}, true);
  }

  return (
    <>
      <TimeTools plot={plot} view={view} area={area} changed={() => redraw({})}>
        {reserved.length === 0 ? null : (
          <button type="button" aria-pressed={withReserved} onClick={() => setReserved(!withReserved)}>
            Reserved memory (dashed)
          </button>
        )}
      </TimeTools>
      <CanvasPlot
        plot={plot}
        name={name}
        kind={view.isWhole ? "" : " zoomed"}
        data={{"data-allocations": all.rows.length}}
        height={height}
        paint={paint}
        reading={{
          point: (px, py, pointer, event) => {
            if (event.buttons !== 0) return;
            const found = under(px, py);
            if (found) show(found.x, found.entry, pointer, false);
            else leave();
          },
          move: read,
          leave,
          click: (px, py) => {
            const found = under(px, py);
            if (found) pinAt(found.entry.i);
          },
          key: (event) => {
            if (event.key === "Enter" && cursor.current !== null) pinAt(cursor.current.i);
          },
        }}
      />
    </>
  );
}
