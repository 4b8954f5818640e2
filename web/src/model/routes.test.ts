import {expect, test} from "vitest";
import {routeOf, toCompare, toRank, toRun, toExplanation, toRuns, toSql} from "./routes";

test("routes come back", () => {
  expect(routeOf(toRuns)).toEqual({page: "runs"});
  expect(routeOf(toRun("0123456789abcdef"))).toEqual({page: "run", id: "0123456789abcdef"});
  const [base, other] = ["0123456789abcdef", "fedcba9876543210"];
  const [path, search] = toCompare(base, other).split("?");
  expect(routeOf(path ?? "", `?${search}`)).toEqual({page: "compare", base, test: other});
  expect(routeOf("/runs/0123456789abcdef/timeline")).toEqual({page: "timeline", id: "0123456789abcdef"});
  expect(routeOf(toSql("0123456789abcdef"))).toEqual({page: "sql", id: "0123456789abcdef"});
  expect(routeOf(toRank("0123456789abcdef", 17))).toEqual({page: "rank", id: "0123456789abcdef", rank: 17});
  expect(routeOf("/s/0123456789abcdef")).toEqual({page: "share", hash: "0123456789abcdef"});
  expect(routeOf("/compare", "?base=x")).toEqual({page: "unknown"});
  expect(routeOf(toExplanation("slow-gpu"))).toEqual({page: "explain", cause: "slow-gpu"});
  for (const wrong of ["/explain/", "/explain/../x", "/runs/", "/runs/x", "/runs/0123456789abcdef/x", "/nothing"])
    expect(routeOf(wrong)).toEqual({page: "unknown"});
});
