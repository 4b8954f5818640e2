// What part of the timeline is looked at: the window in time, how large the picture is, how far its rows are scrolled.

import {signal} from "@preact/signals";
import type {StepTime} from "../../model/run_pair";
import {moved, type Window, zoomed} from "../../model/timeline";

export class TimelineViewport {
  readonly window;
  readonly size = signal({width: 1000, height: 500});
  readonly scroll = signal(0);
  // Where the rows are to be scrolled to.
  readonly wantedScroll = signal(0);

  // `whole`: all that was recorded.
  constructor(
    readonly whole: Window,
    window: Window,
  ) {
    this.window = signal(window);
  }

  isWhole(window: Window): boolean {
    return window.from === this.whole.from && window.to === this.whole.to;
  }

  zoom(factor: number, at: number): void {
    this.window.value = zoomed(this.window.value, factor, at, this.whole);
  }
  pan(by: number): void {
    this.window.value = moved(this.window.value, by, this.whole);
  }
  showAll(): void {
    this.window.value = this.whole;
  }
  // With so much on either side.
  frame({from, to}: Window, margin: number): void {
    this.window.value = this.within({from: from - margin, to: to + margin});
  }
  // Moved so that hardly any of it lies outside of what was recorded; hands may pan farther.
  private within({from, to}: Window): Window {
    const beside = 0.02 * (to - from);
    const least = this.whole.from - beside;
    const most = Math.max(least, this.whole.to + beside - (to - from));
    const begin = Math.min(most, Math.max(least, from));
    return {from: begin, to: begin + to - from};
  }
  private centre(time: number): void {
    const {from, to} = this.window.value;
    const by = time - (from + to) / 2;
    this.window.value = this.within({from: from + by, to: to + by});
  }
  frameStep({start, end}: StepTime): void {
    this.frame({from: start, to: end}, (end - start) * 0.05);
  }

  // Brings a time into the middle, unless it is seen.
  goToTime(time: number): void {
    const {from, to} = this.window.value;
    if (time < from || time > to) this.centre(time);
  }
  // Moves no more than it takes to see an event.
  bringIn({start, duration}: {readonly start: number; readonly duration: number}): void {
    const {from, to} = this.window.value;
    if (start >= from && start + duration <= to) return;
    this.centre(start + duration / 2);
  }
}
