// The part of a time axis that a plot shows: from `begin` to `end`, never beyond [0, whole].

import {timeTicks} from "./time_ticks";

export class TimeView {
  begin = 0;
  end: number;
  private readonly least: number;

  constructor(
    readonly whole: number,
    least: number,
  ) {
    this.end = whole;
    this.least = Math.min(least, whole);
  }
  all(): void {
    this.begin = 0;
    this.end = this.whole;
  }
  get span(): number {
    return this.end - this.begin;
  }
  get isWhole(): boolean {
    return this.span >= this.whole;
  }
  // The same span from another time on.
  moveTo(begin: number): void {
    const span = this.span;
    this.begin = Math.max(0, Math.min(this.whole - span, begin));
    this.end = this.begin + span;
  }
  // `factor` > 1 shows less; what is at `time` stays where it is.
  zoom(factor: number, time: number): void {
    const part = (time - this.begin) / this.span;
    const span = Math.max(this.least, Math.min(this.whole, this.span / factor));
    this.begin = time - part * span;
    this.end = this.begin + span;
    this.moveTo(this.begin);
  }
  // So that something from `begin` to `end` can be seen.
  reveal(begin: number, end: number): boolean {
    if (begin >= this.begin && end <= this.end) return false;
    this.moveTo((begin + end - this.span) / 2);
    return true;
  }
  // Round times inside, about `count` of them.
  ticks(count: number): [time: number, label: string][] {
    return timeTicks(this.begin, this.end, count);
  }
}
