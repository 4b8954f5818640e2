import {expect, test} from "vitest";
import {doorOf, doorOfResult, queryOf, readEvents} from "./doors";

const door = (table: string, values: Record<string, string | number | null>) =>
  doorOf(table, new Map(Object.entries(values)));

test("rows lead to the events that they are made of", () => {
  const kernel = door("kernels_by_name", {name: "gemm<1, 2>", slowest_rank: 3});
  expect(kernel).toEqual({of: {kind: "name", value: "gemm<1, 2>"}, ranks: [3], step: null});
  const query = queryOf(kernel ?? {});
  expect(readEvents(new URLSearchParams(query).get("of") ?? "")).toEqual({kind: "name", value: "gemm<1, 2>"});
  expect(new URLSearchParams(query).get("open")).toBe("3");
  expect(door("modules", {path: "Net_0/Block_3"})?.of).toEqual({kind: "name", value: "nn.Module: Block_3"});
  expect(door("collective_timeline", {op: "all_reduce"})?.of).toEqual({kind: "pattern", value: "all_?reduce"});
  expect(queryOf(door("rank_metrics", {rank: 5, metric: "idle"}) ?? {})).toBe("?ranks=5&open=5");
  expect(queryOf(door("step_time", {rank: 2, step: 11}) ?? {})).toBe("?ranks=2&open=2&step=11");
  expect(queryOf(door("blame", {rank: null, ranks: "0-7", cause: "host"}) ?? {})).toBe("?ranks=0-7");
  expect(queryOf(door("blame", {ranks: "3", cause: "slower kernels", op: "aten::mm"}) ?? {})).toBe(
    "?of=op:aten::mm&open=3",
  );
  expect(door("blame", {ranks: "3", cause: "sync", op: "cudaDeviceSynchronize"})?.of?.kind).toBe("name");
  expect(queryOf(door("critical_path_ops", {part: "compute", op: "aten::mm", most_rank: 8, ranks: 16}) ?? {})).toBe(
    "?of=op:aten::mm&open=8",
  );
  expect(door("critical_path_ops", {part: "host", op: "aten::item"})?.of?.kind).toBe("name");
  expect(door("critical_path_modules", {part: "compute", module: "Net_0/Linear_2", most_rank: 7})).toEqual({
    of: {kind: "name", value: "nn.Module: Linear_2"},
    ranks: [7],
    step: null,
  });
  expect(door("critical_path_modules", {part: "compute", module: "(no module)", most_rank: 7})).toBe(null);
  expect(queryOf(door("over_ranks", {key: "gemm", max_rank: 5}) ?? {})).toBe("?ranks=5&open=5");
  expect(door("over_ranks", {key: "gemm"})).toBe(null);
  expect(door("gains", {name: "cpu"})).toBe(null);
});

test("collectives of one size are what SQL selects", () => {
  const found = door("collective_sizes", {op: "all_reduce", dtype: "it's", bytes: 4096, groups: "dp (8 ranks)"});
  expect(found?.sql).toContain("c.op = 'all_reduce' and c.dtype = 'it''s' and c.bytes = 4096 and ");
  expect(found?.sql).toContain("= 'dp (8 ranks)' order by");
  expect(new URLSearchParams(queryOf(found ?? {})).get("sql")).toBe(found?.sql);
  expect(door("collective_sizes", {op: "broadcast", dtype: null, bytes: null, groups: null})?.sql).toContain(
    "c.dtype is null and c.bytes is null order",
  );
  expect(door("collective_sizes", {op: "barrier"})?.sql).toContain("where c.op = 'barrier' order");
  expect(door("collective_sizes", {op: "x".repeat(2000)})).toBeNull();
});

test("rows of SQL lead to their event, or to their rank and step", () => {
  expect(queryOf(doorOfResult(["event", "rank", "dur_ns"], [512, 3, 9]) ?? {})).toBe(
    "?of=event%3A3%2F0%2F512&open=3".replace("%3A", ":"),
  );
  expect(queryOf(doorOfResult(["rank", "step", "n"], [3, 11, 9]) ?? {})).toBe("?ranks=3&open=3&step=11");
  expect(doorOfResult(["class", "n"], ["gemm", 9])).toBe(null);
  expect(doorOfResult(["rank"], ["all"])).toBe(null);
});

test("what an address says is read with care", () => {
  expect(readEvents("event:3/0/512")).toEqual({kind: "event", value: "3/0/512"});
  for (const bad of ["", "name", "name:", "script:x", "event:1", "event:a/b/c"]) expect(readEvents(bad)).toBe(null);
});
