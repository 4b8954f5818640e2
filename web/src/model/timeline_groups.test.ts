import {expect, test} from "vitest";
import {binBytes, type Tile} from "./timeline";
import {extremeTile, groupOf, groupRank, groupsOf} from "./timeline_groups";

test("groups stand in the order of their places, ranks within as they were", () => {
  const host = new Map([
    [0, "n10"],
    [1, "n2"],
    [2, "n2"],
    [3, "n10"],
  ]);
  const groups = groupsOf(
    [3, 2, 1, 0, 9],
    (rank) => host.get(rank) ?? null,
    (place) => `host ${place}`,
    new Set(["n2"]),
  );
  expect(groups).toEqual([
    {key: "n2", label: "host n2", ranks: [2, 1], isFolded: true},
    {key: "n10", label: "host n10", ranks: [3, 0], isFolded: false},
    {key: "?", label: "host ?", ranks: [9], isFolded: false},
  ]);
  expect([groupOf(groupRank(0)), groupOf(groupRank(7)), groupOf(0)]).toEqual([0, 7, null]);
});

// Bins of [compute, transfer, wait, unknown, copy, idle_host, rest and flags].
const tileOf = (...rows: number[][][]): Tile => ({
  ranks: Float64Array.from(rows, (_, i) => i),
  bins: 2,
  shift: 10,
  begin: 0,
  data: Uint8Array.from(rows.flat(2)),
});

test("of a folded group the rank that is farthest from the others is seen, in each bin, with everybody's flags", () => {
  const usual = [100, 0, 155, 0, 0, 0, 0];
  const [own, others] = [
    tileOf([usual, usual], [[255, 0, 0, 0, 0, 0, 0x10], usual]),
    tileOf([usual, [0, 0, 0, 0, 0, 255, 1]]),
  ];
  const found = extremeTile(-1, [
    {tile: own, rows: [0, 1]},
    {tile: others, rows: [0]},
  ]);
  expect(found?.ranks[0]).toBe(-1);
  expect([...(found?.data.subarray(0, binBytes) ?? [])]).toEqual([255, 0, 0, 0, 0, 0, 0x10]);
  expect([...(found?.data.subarray(binBytes) ?? [])]).toEqual([0, 0, 0, 0, 0, 255, 1]);
});

test("a rank that was not recorded is no extreme", () => {
  const usual = [100, 0, 155, 0, 0, 0, 0];
  const found = extremeTile(-1, [
    {
      tile: tileOf(
        [usual, [0, 0, 0, 0, 0, 0, 0]],
        [
          [0, 0, 0, 0, 0, 0, 0],
          [0, 0, 0, 0, 0, 0, 0],
        ],
      ),
      rows: [0, 1],
    },
  ]);
  expect([...(found?.data ?? [])]).toEqual([...usual, 0, 0, 0, 0, 0, 0, 0]);
  expect(extremeTile(-1, [])).toBe(null);
});
