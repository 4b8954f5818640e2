import fs from "node:fs";
import {expect, test} from "vitest";
import {
  toCompare,
  toExplanation,
  toFleet,
  toHosts,
  toMemory,
  toRank,
  toRun,
  toRuns,
  toSql,
  toTimeline,
} from "../model/routes";
import {pageAt} from "./page";
import {pages} from "./pages";

const [id, other] = ["0123456789abcdef", "fedcba9876543210"];

function nameAt(address: string): string | null {
  const {pathname, search} = new URL(address, "http://localhost");
  return pageAt(pages, pathname, search)?.page.name ?? null;
}

test("addresses lead to their pages", () => {
  const found = [
    toRuns,
    "/runs",
    toCompare(id, other),
    toHosts,
    toFleet,
    toRun(id),
    toTimeline(id, "?ranks=3"),
    toSql(id),
    toMemory(id, "a.pickle"),
    toRank(id, 17),
    toExplanation("slow-gpu"),
    `/s/${id}`,
  ].map(nameAt);
  expect([...new Set(found)]).toEqual(pages.map((page) => page.name));
});

test("other addresses lead to none", () => {
  for (const wrong of ["/compare?base=x", "/explain/", "/runs/", "/runs/x", `/runs/${id}/x`, "/nothing"])
    expect(nameAt(wrong)).toBeNull();
});

test("a page gets what its address says", () => {
  const rank = pageAt(pages, toRank(id, 17), "");
  expect(rank?.asked.of).toEqual({id, rank: "17"});
  const memory = pageAt(pages, `/runs/${id}/memory`, "?file=a%2Fb.pickle&later=c.pickle");
  expect([...(memory?.asked.query ?? [])]).toEqual([
    ["file", "a/b.pickle"],
    ["later", "c.pickle"],
  ]);
});

test("the server answers every address with the app", () => {
  const server = fs.readFileSync(new URL("../../../src/service/requests/pages.cc", import.meta.url), "utf8");
  for (const page of pages) {
    const fixed = page.path.replace(/\{.*/, "");
    expect(server).toContain(fixed === page.path ? `head.path == "${fixed}"` : `head.path.starts_with("${fixed}")`);
  }
});
