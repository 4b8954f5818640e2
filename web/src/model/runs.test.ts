import {expect, test} from "vitest";
import type {Run} from "./api";
import {oldestFirst, ranksText, ranksUnit} from "./runs";

test("ranks of a run: those that were recorded, of those that the job has", () => {
  const run = (world_size: number | null, ranks: number | null, isReady = true) =>
    ({world_size, summary: isReady ? {ranks} : null}) as unknown as Run;
  const said = (one: Run) => `${ranksText(one)} ${ranksUnit(one)}`;
  expect(said(run(300, 1))).toBe("1 of 300 ranks");
  expect(said(run(8, 8))).toBe("8 ranks");
  expect(said(run(null, 1))).toBe("1 rank");
  expect(said(run(1, 1))).toBe("1 rank");
  // Not analysed yet, and of a serving program.
  expect(said(run(16384, null, false))).toBe("16,384 ranks");
  expect(ranksText(run(null, null))).toBe("");
});

test("the older of two runs comes first, in whichever order they were ticked", () => {
  const run = (id: string, created: string) => ({id, created}) as unknown as Run;
  const found = oldestFirst([run("new", "2026-12-02T01:00:00Z"), run("old", "2026-12-01T01:00:00Z")]);
  expect(found.map((one) => one.id)).toEqual(["old", "new"]);
});
