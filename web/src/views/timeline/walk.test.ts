import {expect, test} from "vitest";
import {eventBeside} from "./walk";

// A track of two lanes: events begin at 0, 10, 20 and 40 in lane 0, and at 15 in lane 1.
const starts = [0, 10, 15, 20, 40];
const lanes = [0, 0, 1, 0, 0];
const spans = {first: [0, starts.length], start: Float64Array.from(starts), lane: Uint8Array.from(lanes)};
const beside = (now: {readonly start: number; readonly lane: number} | null, from: number, by: 1 | -1) => {
  const found = eventBeside(spans, 0, now, from, by);
  return found === null ? null : starts[found];
};

test("the event behind another, and before it, is of the same lane", () => {
  expect(beside({start: 10, lane: 0}, 0, 1)).toBe(20);
  expect(beside({start: 20, lane: 0}, 0, -1)).toBe(10);
  expect(beside({start: 15, lane: 1}, 0, 1)).toBe(null);
  expect(beside({start: 0, lane: 0}, 0, -1)).toBe(null);
});

test("without one it is the first in the picture", () => {
  expect(beside(null, 12, 1)).toBe(15);
  expect(beside(null, 12, -1)).toBe(40);
  expect(beside(null, 50, 1)).toBe(null);
});
