import {expect, test} from "vitest";
import {Arrangement, arranged, rankOfKey} from "./arrangement";

test("rows that were placed by hand stand first, the others as they were", () => {
  const key = (row: number) => String(row);
  expect(arranged([0, 1, 2, 3], key, [])).toEqual([0, 1, 2, 3]);
  expect(arranged([0, 1, 2, 3], key, ["2", "0"])).toEqual([2, 0, 1, 3]);
});

test("rows trade places, pinned ones among themselves", () => {
  const rows = new Arrangement([], [], [], []);
  rows.trade(["0", "1", "2", "3"], "2", "1");
  expect(rows.placed.value).toEqual(["0", "2", "1"]);
  rows.trade(["7/a", "7/b"], "7/b", "7/a");
  expect(rows.placed.value).toEqual(["0", "2", "1", "7/b", "7/a"]);
  rows.togglePin("5");
  rows.togglePin("6");
  rows.trade([], "6", "5");
  expect(rows.pinned.value).toEqual(["6", "5"]);
  rows.hide("6");
  expect([rows.pinned.value, rows.hidden.value]).toEqual([["5"], ["6"]]);
  expect([rankOfKey("12/stream 7"), rankOfKey("3"), rankOfKey("x")]).toEqual([12, 3, null]);
});
