import {expect, test} from "vitest";
import type {DiffData} from "./data";
import {inNamesOf, namesApart, regressionsFirst, sidesOfPaths} from "./diff_names";

const run = (id: string, name: string | null, created: string) => ({id, name, created});

test("runs of one name are told apart by their time, else by their id", () => {
  expect(namesApart([run("1", "nightly", "2026-12-01T01:05:06Z"), run("2", "mended", "2026-12-01T01:05:06Z")])).toEqual(
    ["nightly", "mended"],
  );
  expect(
    namesApart([run("1", "nightly", "2026-12-01T01:05:06Z"), run("2", "nightly", "2026-12-02T01:05:06Z")]),
  ).toEqual(["nightly (2026-12-01 01:05:06)", "nightly (2026-12-02 01:05:06)"]);
  expect(namesApart([run("1", "a", "2026-12-01T01:05:06Z"), run("2", "a", "2026-12-01T01:05:06Z")])).toEqual([
    "a (1)",
    "a (2)",
  ]);
  expect(namesApart([run("1", null, "2026-12-01T01:05:06Z")])).toEqual(["1"]);
});

test("sides of paths are their folders, or roles where these are alike", () => {
  expect(sidesOfPaths("/data/monday/", "/data/tuesday")).toEqual({base: "monday", test: "tuesday"});
  expect(sidesOfPaths("/a/traces", "/b/traces")).toEqual({base: "BASE", test: "TEST"});
});

test("sentences say the names", () => {
  const data = {headline: "TEST takes 3% less than BASE", reasons: ["BASED on BASE"], notes: []} as unknown as DiffData;
  const said = inNamesOf(data, {base: "old", test: "$& new"});
  expect(said.headline).toBe("$& new takes 3% less than old");
  expect(said.reasons).toEqual(["BASED on old"]);
});

test("regressions come first, and the largest changes before all others", () => {
  const changes = [-9, 2, 5, -1, 0.5];
  const of = (row: number) => changes[row] ?? 0;
  expect(regressionsFirst([0, 1, 2, 3, 4], of, 5)).toEqual([2, 1, 4, 0, 3]);
  expect(regressionsFirst([0, 1, 2, 3, 4], of, 2)).toEqual([2, 0, 1, 4, 3]);
});
