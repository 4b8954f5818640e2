import {expect, test} from "vitest";
import {layoutIn} from "./facts";

test("ranks have places along the dimensions in which they differ", () => {
  const columns = ["rank", "host", "pp", "tp"].map((name) => ({name, type: "varchar", unit: ""}));
  const rows = [
    [0, "n1", 0, 0],
    [1, "n1", 1, 0],
    [2, "n2", null, 0],
  ];
  const {differing, layout} = layoutIn({columns, rows});
  expect(differing).toEqual(["host", "pp"]);
  expect([...layout]).toEqual([
    [0, {host: "n1", pp: 0}],
    [1, {host: "n1", pp: 1}],
    [2, {host: "n2", pp: null}],
  ]);
});
