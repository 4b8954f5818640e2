import {expect, test} from "vitest";
import {routeOf, toRun, toRuns} from "./routes";

test("routes come back", () => {
  expect(routeOf(toRuns)).toEqual({page: "runs"});
  expect(routeOf(toRun("0123456789abcdef"))).toEqual({page: "run", id: "0123456789abcdef"});
  for (const path of ["/runs/", "/runs/x", "/runs/0123456789abcdef/x", "/nothing"]) expect(routeOf(path)).toEqual({page: "unknown"});
});
