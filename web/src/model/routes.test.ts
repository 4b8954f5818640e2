import {expect, test} from "vitest";
import {parametersOf, toExplanation, toRank, toRuns} from "./routes";

const id = "0123456789abcdef";

test("addresses come back by their patterns", () => {
  expect(parametersOf("/", toRuns)).toEqual({});
  expect(parametersOf("/runs/{id}/ranks/{rank}", toRank(id, 17))).toEqual({id, rank: "17"});
  expect(parametersOf("/explain/{cause}", toExplanation("slow-gpu"))).toEqual({cause: "slow-gpu"});
  expect(parametersOf("/s/{hash}", `/s/${id}`)).toEqual({hash: id});
});

test("other addresses do not", () => {
  for (const [pattern, path] of [
    ["/runs/{id}", "/runs/"],
    ["/runs/{id}", "/runs/x"],
    ["/runs/{id}", `/runs/${id}/x`],
    ["/explain/{cause}", "/explain/"],
    ["/explain/{cause}", "/explain/../x"],
    ["/runs/{id}/ranks/{rank}", `/runs/${id}/ranks/-1`],
  ] as const)
    expect(parametersOf(pattern, path)).toBeNull();
});
