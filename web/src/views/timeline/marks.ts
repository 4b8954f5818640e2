// Times that people marked. They stay in the address, and any two of them are the ends of an area.

import {signal} from "@preact/signals";
import type {Window} from "../../model/timeline";
import {marksOf, mostMarks} from "./address";

export class TimelineMarks {
  readonly times; // ascending: a mark is called by its place

  constructor(times: readonly number[]) {
    this.times = signal(times);
  }

  add(time: number): void {
    // One more than there may be takes no other's place.
    if (this.times.value.length < mostMarks) this.times.value = marksOf([...this.times.value, time]);
  }
  remove(time: number): void {
    this.times.value = this.times.value.filter((one) => one !== time);
  }
  // Between the two marks around a time, or else the last two; null: there are no two.
  around(time: number): Window | null {
    const times = this.times.value;
    const at = times.findIndex((one) => one > time);
    const [from, to] = at > 0 ? [times[at - 1], times[at]] : [times.at(-2), times.at(-1)];
    return from === undefined || to === undefined ? null : {from, to};
  }
  clear(): void {
    this.times.value = [];
  }
}
