import {expect, test} from "vitest";
import {comparedKernels, findingsOf, peersOf, placeOf, rowsOf} from "./rank";

const layout = [0, 1, 2, 3, 4, 5].map((rank) => ({
  rank,
  role: "trainer",
  pp: rank < 4 ? 0 : 1,
  dp: rank % 2,
  tp: Math.floor(rank / 2) % 2,
  cp: 0,
  ep: 0,
}));

test("tables become rows", () => {
  expect(
    rowsOf({
      columns: [
        {name: "a", type: "int64", unit: ""},
        {name: "b", type: "string", unit: ""},
      ],
      rows: [[1, null]],
    }),
  ).toEqual([{a: 1, b: null}]);
  expect(rowsOf(null)).toEqual([]);
});

test("peers do the same work", () => {
  expect(placeOf(layout, 3)).toBe("pp 0, dp 1, tp 1");
  expect(peersOf(layout, 3)).toEqual([0, 1, 2]); // one differs in dp alone, so tp is free, too
  expect(peersOf(layout, 4)).toEqual([]);
  expect(peersOf(layout, 9)).toEqual([]);
});

test("findings of a rank", () => {
  const findings = [
    {id: "a", ranks: "0-3"},
    {id: "b", ranks: "5"},
    {id: "c", ranks: null},
  ];
  expect(findingsOf(findings, 2).map((one) => one["id"])).toEqual(["a"]);
});

test("kernels per step, against the median of the peers that run them", () => {
  const row = (name: string, step: number, total_ns: number, complete = true) => ({
    name,
    class: "gemm",
    step,
    total_ns,
    complete,
  });
  const own = [row("a", 1, 100), row("a", 2, 300), row("b", 1, 10), row("a", 3, 9999, false)];
  const peers = [[row("a", 1, 100), row("a", 2, 100)], [row("a", 1, 120), row("a", 2, 120)], [row("c", 1, 5)]];
  expect(comparedKernels(own, peers)).toEqual([
    {name: "a", kind: "gemm", own_ns: 200, peers_ns: 110},
    {name: "b", kind: "gemm", own_ns: 5, peers_ns: null},
  ]);
});
