import {signal} from "@preact/signals";
import {expect, test} from "vitest";
import {TimelineSearch} from "./search";

const hit = (rank: number, start: number) => ({
  rank,
  event: 0,
  kind: "kernel",
  track: "stream 7",
  name: "gemm",
  start_ns: start,
  duration_ns: 5,
});

function searched(count: number): TimelineSearch {
  const store = {run: "r", problem: signal("")};
  const search = new TimelineSearch(store, {found: "gemm", match: "part"}, signal([0]));
  search.hits.value = {complete: true, hits: Array.from({length: count}, (_, i) => hit(0, 100 * i))};
  return search;
}
const starts = (search: TimelineSearch, steps: readonly (1 | -1)[]) => steps.map((by) => search.step(by)?.start_ns);

test("hits are walked along, and behind the last comes the first", () => {
  expect(starts(searched(3), [1, 1, 1, 1, -1, -1])).toEqual([0, 100, 200, 0, 200, 100]);
  // Backwards from the start: the last.
  expect(starts(searched(3), [-1, -1])).toEqual([200, 100]);
  expect(searched(0).step(1)).toBe(null);
});

test("a new text begins anew; one of a letter finds nothing", () => {
  const search = searched(3);
  search.step(1);
  search.step(1);
  search.ask("g");
  expect([search.text.value, search.hits.value, search.step(1)]).toEqual(["g", null, null]);
  search.hits.value = {complete: true, hits: [hit(0, 0), hit(0, 100)]};
  expect(search.step(1)?.start_ns).toBe(0);
});
