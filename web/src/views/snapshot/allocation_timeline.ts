// What is held over time: a box per allocation, stacked in the order of their begin, so that a box moves down when one below it is freed.
// Small allocations are one band at the bottom.
//
// A column of pixels may hold thousands of events. It shows the one behind which most is held, so that no peak is lost, and boxes of
// neighbouring columns are drawn as one while they do not move: drawing costs columns times what is live, however many events there are.

import {colour, el} from "../../draw/dom";
import {plots} from "../../draw/redraw";
import {type TimeView} from "../../draw/time_view";
import {type Point, type TipLine, byKeyboard, hideTip, showTip, spoken} from "../../draw/tooltip";
import {type Table} from "../../model/report";
import {type Box, canvasPlot, categoryColours, categoryLabel, paintAxes, timeTools} from "./allocation_colours";

export class Allocations {
  readonly bytes: Float64Array;
  readonly shade: Uint8Array; // of the category's colour: 0 to 2
  private readonly times: Float64Array; // of events: an allocation begins or ends
  private readonly change: Float64Array; // in bytes
  private readonly begins: Int32Array; // events, by allocation; -1: before all
  private readonly ends: Int32Array;
  readonly order: readonly number[]; // of stacking
  private readonly before: number; // bytes
  private readonly restTimes: Float64Array;
  private readonly restBytes: Float64Array;

  constructor(
    readonly source: Table,
    rest: Table,
    readonly rows: readonly number[],
    restRows: readonly number[],
  ) {
    const count = rows.length;
    this.bytes = new Float64Array(count);
    this.shade = new Uint8Array(count);
    const events: {time: number; i: number; sign: number}[] = [];
    rows.forEach((row, i) => {
      this.bytes[i] = source.amount(row, "bytes");
      const begin = source.number(row, "begin_ns");
      const stop = source.number(row, "end_ns");
      if (begin !== null) events.push({time: begin, i, sign: 1});
      if (stop !== null) events.push({time: stop, i, sign: -1});
    });
    // What ends makes room for what begins at the same time; but nothing ends before it began.
    events.sort((a, b) => a.time - b.time || a.sign - b.sign || a.i - b.i);
    this.times = Float64Array.from(events, (event) => event.time);
    this.begins = new Int32Array(count).fill(-1);
    this.ends = new Int32Array(count).fill(events.length);
    this.change = new Float64Array(events.length);
    events.forEach((event, at) => {
      (event.sign > 0 ? this.begins : this.ends)[event.i] = at;
      this.change[at] = event.sign * this.bytes[event.i];
    });
    this.order = Array.from(rows.keys()).sort((a, b) => this.begins[a] - this.begins[b] || a - b);
    this.before = this.order.reduce((sum, i) => sum + (this.begins[i] < 0 ? this.bytes[i] : 0), 0);
    this.restTimes = Float64Array.from(restRows, (row) => rest.amount(row, "time_ns"));
    this.restBytes = Float64Array.from(restRows, (row) => rest.amount(row, "active_bytes"));
  }
  // Of a sorted array, how many are at most `value`.
  static upTo(times: Float64Array, value: number): number {
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  restAt(time: number): number {
    const at = Allocations.upTo(this.restTimes, time) - 1;
    return this.restBytes.length === 0 ? 0 : this.restBytes[Math.max(0, at)];
  }
  isLive(i: number, event: number): boolean {
    return this.begins[i] <= event && event < this.ends[i];
  }
  // For each column the event behind which most is held; -1: before all.
  columns(view: TimeView, width: number): Int32Array {
    const found = new Int32Array(width);
    let at = 0;
    let level = this.before;
    const first = Allocations.upTo(this.times, view.begin);
    for (; at < first; ++at) level += this.change[at];
    for (let x = 0; x < width; ++x) {
      const until = view.begin + ((x + 1) / width) * view.span;
      let best = at - 1;
      let most = level;
      for (; at < this.times.length && this.times[at] < until; ++at) {
        level += this.change[at];
        if (level > most) {
          most = level;
          best = at;
        }
      }
      found[x] = best;
    }
    return found;
  }
}

interface AllocationTimeline {
  readonly name: string;
  readonly all: Allocations;
  readonly view: TimeView;
  readonly most: number;
  readonly reserved: readonly (readonly [time: number, bytes: number])[];
  // The row that is under the pointer or kept, null when none is.
  readonly onShow: (row: number | null) => void;
  readonly onPin: (row: number | null) => void;
}
// Of a column from below: an allocation, or those that are small (-1).
interface Layer {
  readonly i: number;
  readonly from: number;
  readonly to: number;
}

export function allocationTimeline({
  name,
  all,
  view,
  most,
  reserved,
  onShow,
  onPin,
}: AllocationTimeline): [tools: HTMLElement, plot: HTMLElement] {
  const margin = {left: 62, right: 8, top: 8, bottom: 24};
  const height = 380;
  const area = (width: number): Box => ({
    left: margin.left,
    right: width - margin.right,
    top: margin.top,
    bottom: height - margin.bottom,
  });
  let columns: Int32Array = new Int32Array(0);
  let pinned = -1;
  let cursor: {x: number; i: number} | null = null;
  let withReserved = false;
  const scaleMost = () => (withReserved ? Math.max(most, ...reserved.map(([, bytes]) => bytes)) : most) * 1.04;

  function paint(context: CanvasRenderingContext2D, width: number) {
    const box = area(width);
    const {left, right, top, bottom} = box;
    const limit = scaleMost();
    paintAxes(context, {...box, most: limit, view});
    const wide = Math.max(1, Math.floor(right - left));
    columns = all.columns(view, wide);
    const high = bottom - top;
    const scale = high / limit;
    const fills = all.rows.map((row) => categoryColours.get(all.source.text(row, "category")) ?? "idle_gap");
    const colours = new Map(Array.from(new Set([...fills, "line", "text", "muted"]), (one) => [one, colour(one)]));
    const ink = (name: string) => colours.get(name) ?? "gray";
    // The live ones in stacking order, with where their box began and how high it lies.
    let live: readonly number[] = [];
    const start = new Float64Array(all.rows.length);
    const level = new Float64Array(all.rows.length).fill(-1);
    const close = (i: number, x: number) => {
      if (level[i] < 0) return;
      const size = all.bytes[i] * scale;
      if (size >= 0.25) {
        context.globalAlpha = i === pinned ? 1 : ([1, 0.82, 0.66][all.shade[i]] ?? 1);
        context.fillStyle = i === pinned ? ink("text") : ink(fills[i]);
        context.fillRect(
          left + start[i],
          bottom - (level[i] + all.bytes[i]) * scale,
          Math.max(x - start[i], 0.6),
          size > 2 ? size - 0.5 : size,
        );
      }
      level[i] = -1;
    };
    let event = -2;
    let restBefore = -1;
    let restStart = 0;
    const closeRest = (x: number) => {
      if (restBefore > 0) {
        context.globalAlpha = 1;
        context.fillStyle = ink("line");
        context.fillRect(left + restStart, bottom - restBefore * scale, x - restStart, restBefore * scale);
      }
    };
    for (let x = 0; x < wide; ++x) {
      const rest = all.restAt(view.begin + ((x + 0.5) / wide) * view.span);
      if (columns[x] === event && rest === restBefore) continue;
      if (columns[x] !== event) {
        event = columns[x];
        const next = all.order.filter((i) => all.isLive(i, event));
        for (const i of live) if (!all.isLive(i, event)) close(i, x);
        live = next;
      }
      if (rest !== restBefore) {
        closeRest(x);
        restBefore = rest;
        restStart = x;
      }
      let y = rest;
      for (const i of live) {
        if (level[i] !== y) {
          close(i, x);
          start[i] = x;
          level[i] = y;
        }
        y += all.bytes[i];
      }
    }
    for (const i of live) close(i, wide);
    closeRest(wide);
    context.globalAlpha = 1;
    if (withReserved) paintReserved(context, box, scale, wide);
    if (cursor) {
      context.strokeStyle = ink("muted");
      context.strokeRect(left + cursor.x + 0.5, top, 0, high);
    }
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

  const plot = canvasPlot(name, height, paint);
  plot.dataset["allocations"] = String(all.rows.length);
  const redraw = () => {
    for (const one of plots) if (one.node === plot) one.draw();
  };

  // The live ones of a column from below, with the level at which each begins.
  function stackAt(x: number): Layer[] {
    const {left, right} = area(plot.clientWidth);
    const time = view.begin + ((x + 0.5) / (right - left)) * view.span;
    let y = all.restAt(time);
    const stack: Layer[] = y > 0 ? [{i: -1, from: 0, to: y}] : [];
    for (const i of all.order) {
      if (!all.isLive(i, columns[x])) continue;
      stack.push({i, from: y, to: y + all.bytes[i]});
      y += all.bytes[i];
    }
    return stack;
  }
  function linesOf(i: number): TipLine[] {
    const cell = (column: string) => all.source.cell(all.rows[i], column);
    return [
      ["", "allocated", cell("bytes")],
      ["", "begin", cell("begin_ns")],
      ["", "end", cell("end_ns")],
    ];
  }
  function show(x: number, entry: Layer, point: Point, speak: boolean) {
    cursor = {x, i: entry.i};
    const title =
      entry.i < 0 ? "Small allocations, summed" : all.source.text(all.rows[entry.i], "place") || "(no stack)";
    const category = entry.i < 0 ? "" : all.source.text(all.rows[entry.i], "category");
    const lines: TipLine[] =
      entry.i < 0
        ? [["line", "at most", {value: entry.to, unit: "bytes", type: "int64", id: ""}]]
        : [
            [categoryColours.get(category), categoryLabel(category), {value: "", unit: "", type: "string", id: ""}],
            ...linesOf(entry.i),
          ];
    showTip(point, title, lines, speak);
    if (pinned < 0) onShow(entry.i < 0 ? null : all.rows[entry.i]);
  }
  function leave() {
    cursor = null;
    hideTip();
    if (pinned < 0) onShow(null);
  }
  function under(event: PointerEvent) {
    const box = plot.getBoundingClientRect();
    const {left, right, bottom, top} = area(box.width);
    const x = Math.floor(event.clientX - box.left - left);
    if (x < 0 || x >= columns.length || event.clientX - box.left > right) return null;
    const bytes = ((bottom - (event.clientY - box.top)) / (bottom - top)) * scaleMost();
    const entry = stackAt(x).find((one) => bytes >= one.from && bytes < one.to);
    return entry ? {x, entry} : null;
  }
  function pin(i: number) {
    pinned = pinned === i ? -1 : i;
    onPin(pinned < 0 ? null : all.rows[pinned]);
    redraw();
  }
  plot.addEventListener("pointermove", (event) => {
    if (event.buttons !== 0) return;
    const found = under(event);
    if (found) show(found.x, found.entry, {x: event.clientX, y: event.clientY}, false);
    else leave();
  });
  plot.addEventListener("pointerleave", leave);
  let down: PointerEvent | null = null;
  plot.addEventListener(
    "pointerdown",
    (event) => {
      down = event;
    },
    true,
  );
  plot.addEventListener("click", (event) => {
    if (down && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 3) return;
    const found = under(event);
    if (found && found.entry.i >= 0) pin(found.entry.i);
  });
  byKeyboard(
    plot,
    name,
    (key) => {
      const last = columns.length - 1;
      let x = cursor ? cursor.x : Math.floor(last / 2);
      const before = stackAt(x);
      const own = cursor?.i;
      let place = own === undefined ? before.length - 1 : before.findIndex((one) => one.i === own);
      if (key === "first") x = 0;
      else if (key === "last") x = last;
      else {
        x = Math.max(0, Math.min(last, x + 8 * key[0]));
        place -= key[1];
      }
      const stack = stackAt(x);
      if (stack.length === 0) {
        leave();
        cursor = {x, i: -1};
        spoken.textContent = "Nothing is held";
        return;
      }
      place = Math.max(0, Math.min(stack.length - 1, place < 0 ? stack.length - 1 : place));
      const box = plot.getBoundingClientRect();
      const {left, bottom, top} = area(box.width);
      const y = box.top + bottom - ((stack[place].from + stack[place].to) / 2 / scaleMost()) * (bottom - top);
      show(x, stack[place], {x: box.left + left + x, y}, true);
    },
    leave,
  );
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && cursor && cursor.i >= 0) pin(cursor.i);
  });

  const tools = timeTools(plot, view, area, redraw);
  if (reserved.length) {
    const toggle = el(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        onclick: () => {
          withReserved = !withReserved;
          toggle.setAttribute("aria-pressed", String(withReserved));
          redraw();
        },
      },
      "Reserved memory (dashed)",
    );
    tools.append(toggle);
  }
  return [tools, plot];
}
