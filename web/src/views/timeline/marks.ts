// Times that people marked. They stay in the address, and any two of them are the ends of an area.

import {signal} from "@preact/signals";
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
  clear(): void {
    this.times.value = [];
  }
}
