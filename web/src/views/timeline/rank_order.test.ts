import {expect, test} from "vitest";
import {binParts} from "../../model/timeline";
import {orderedRanks, standing} from "./rank_order";

const hosts: Readonly<Record<number, string | null>> = {0: "n10", 1: "n2", 2: null, 3: "n2"};
const waits: Readonly<Record<number, number>> = {0: 90, 1: 10, 2: 90, 3: 50};
const measured = {
  placeOf: (rank: number) => hosts[rank] ?? null,
  shareOf: (rank: number, part: number) => (binParts[part] === "wait" ? (waits[rank] ?? 0) : 255 - (waits[rank] ?? 0)),
};

test("ranks stand by number, by a place of the layout, or by where their time goes", () => {
  const ranks = [0, 1, 2, 3];
  expect(orderedRanks(ranks, "rank", measured)).toEqual([0, 1, 2, 3]);
  // n2 before n10; unknown last.
  expect(orderedRanks(ranks, "host", measured)).toEqual([1, 3, 0, 2]);
  // Who waits least comes first; who computes most.
  expect(orderedRanks(ranks, "waiting", measured)).toEqual([1, 3, 0, 2]);
  expect(orderedRanks(ranks, "computing", measured)).toEqual([1, 3, 0, 2]);
  expect(orderedRanks(ranks, "idle", {...measured, shareOf: (rank) => rank})).toEqual([3, 2, 1, 0]);
});

test("what was placed by hand stands over the ranks of a finding, these over the others; what is hidden is not there", () => {
  const ranks = [0, 1, 2, 3, 4];
  expect(standing(ranks, new Set(), new Set(), [])).toEqual(ranks);
  expect(standing(ranks, new Set(["1", "3/stream:7"]), new Set([3, 4]), ["2"])).toEqual([2, 3, 4, 0]);
});
