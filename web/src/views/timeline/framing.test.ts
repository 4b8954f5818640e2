import {computed, signal} from "@preact/signals";
import {expect, test} from "vitest";
import type {StepTime} from "../../model/run_pair";
import type {TimelineFinding} from "../../model/timeline_findings";
import type {PlacedFinding} from "./findings";
import {TimelineFraming} from "./framing";
import {TimelineViewport} from "./viewport";

const finding = (key: string, steps: readonly number[]): TimelineFinding => ({
  key,
  row: 0,
  title: key,
  severity: "high",
  who: "",
  ranks: [],
  steps,
  events: [],
});

// Steps of 1000 ns that follow each other from 0, which come later than the page.
function framed(chosen: string, step: number | null = null) {
  const whole = {from: 0, to: 10_000};
  const viewport = new TimelineViewport(whole, whole);
  const all = [finding("late", [2, 3]), finding("always", [])];
  const key = signal(chosen);
  const found = computed((): PlacedFinding | null => {
    const one = all.find((of) => of.key === key.value);
    return one === undefined ? null : {finding: one, stretches: []};
  });
  const steps = signal<readonly StepTime[]>([]);
  const framing = new TimelineFraming(viewport, {key, chosen: found}, steps, chosen, step);
  const stop = framing.follow();
  const come = () => {
    steps.value = [0, 1, 2, 3].map((one) => ({step: one, start: one * 1000, end: (one + 1) * 1000}));
  };
  return {viewport, framing, key, come, stop};
}

test("a finding is zoomed to its first step, once, when steps are here", () => {
  const {viewport, key, come, stop} = framed("late");
  expect(viewport.window.value).toBe(viewport.whole);
  come();
  expect(viewport.window.value).toEqual({from: 1850, to: 3150});
  viewport.showAll();
  key.value = "always"; // by the address: where one looks stays
  key.value = "late";
  expect(viewport.window.value).toBe(viewport.whole);
  stop();
});

test("a finding of all steps that is chosen by hand is seen at the first", () => {
  const {viewport, framing, come, stop} = framed("");
  come();
  expect(viewport.window.value).toBe(viewport.whole);
  framing.chooseFinding("always");
  expect(viewport.window.value).toEqual({from: -26, to: 1274}); // not from -150 on
  stop();
});

test("a step of the address is zoomed to", () => {
  const {viewport, come, stop} = framed("", 3);
  come();
  expect(viewport.window.value).toEqual({from: 2950, to: 4050});
  stop();
});
