import {expect, test} from "vitest";
import {nextHit} from "./guide";

test("of events at one time the next is of the next rank, and behind the last comes the first", () => {
  const hits = [
    [0, 10],
    [2, 10],
    [1, 30],
  ].map(([rank = 0, start_ns = 0]) => ({rank, start_ns}));
  const [first, second, third] = hits;
  expect(nextHit(hits, null)).toBe(first);
  expect(nextHit(hits, {rank: 0, start: 10})).toBe(second);
  expect(nextHit(hits, {rank: 2, start: 10})).toBe(third);
  expect(nextHit(hits, {rank: 5, start: 5})).toBe(first);
  expect(nextHit(hits, {rank: 1, start: 30})).toBe(first);
  expect(nextHit([], null)).toBe(null);
});
