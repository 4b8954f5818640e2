// What is held over time: which allocations live behind each event, and in which order they are stacked.

import type {TimeView} from "../../draw/time_view";
import type {Table} from "../../model/report";

// Of a sorted array, how many are at most `value`.
export function upTo(times: Float64Array, value: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? Infinity) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

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
      this.change[at] = event.sign * this.bytesOf(event.i);
    });
    this.order = Array.from(rows.keys()).sort((a, b) => this.beginOf(a) - this.beginOf(b) || a - b);
    this.before = this.order.reduce((sum, i) => sum + (this.beginOf(i) < 0 ? this.bytesOf(i) : 0), 0);
    this.restTimes = Float64Array.from(restRows, (row) => rest.amount(row, "time_ns"));
    this.restBytes = Float64Array.from(restRows, (row) => rest.amount(row, "active_bytes"));
  }
  bytesOf(i: number): number {
    return this.bytes[i] ?? 0;
  }
  private beginOf(i: number): number {
    return this.begins[i] ?? -1;
  }
  restAt(time: number): number {
    const at = upTo(this.restTimes, time) - 1;
    return this.restBytes[Math.max(0, at)] ?? 0;
  }
  isLive(i: number, event: number): boolean {
    return this.beginOf(i) <= event && event < (this.ends[i] ?? -1);
  }
  // For each column the event behind which most is held; -1: before all.
  columns(view: TimeView, width: number): Int32Array {
    const found = new Int32Array(width);
    let at = 0;
    let level = this.before;
    const first = upTo(this.times, view.begin);
    for (; at < first; ++at) level += this.change[at] ?? 0;
    for (let x = 0; x < width; ++x) {
      const until = view.begin + ((x + 1) / width) * view.span;
      let best = at - 1;
      let most = level;
      for (; (this.times[at] ?? Infinity) < until; ++at) {
        level += this.change[at] ?? 0;
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
