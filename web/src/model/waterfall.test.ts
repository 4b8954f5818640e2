import {expect, test} from "vitest";
import {piecesOf, rangeOfValues} from "../draw/xy_plot";
import type {CellValue} from "./data";
import {Table} from "./report";
import {requestOf} from "./request_choice";
import {canPlace, courseOf, merged, stepsOf} from "./waterfall";

function tableOf(row: Readonly<Record<string, CellValue>>): Table {
  const columns = Object.entries(row).map(([name, value]) => ({
    name,
    type: "int64",
    unit: "ns",
    doc: "",
    cells: [value],
  }));
  return new Table("serving_requests", {rows: 1, columns}, () => "");
}

test("stages of the engine follow each other; what is around it is somewhere", () => {
  const course = courseOf(
    tableOf({
      e2e_ns: 100,
      first_token_ns: 50,
      queue_ns: 20,
      prefill_ns: 30,
      decode_ns: 40,
      frontend_ns: 10,
      network_ns: 5,
    }),
    0,
  );
  expect(course).toEqual({
    total: 105,
    stretches: [
      {id: "queue", begin: 0, end: 20, isSomewhere: false},
      {id: "prefill", begin: 20, end: 50, isSomewhere: false},
      {id: "decode", begin: 50, end: 90, isSomewhere: false},
      {id: "frontend", begin: 90, end: 100, isSomewhere: true},
      {id: "network", begin: 100, end: 105, isSomewhere: true},
    ],
  });
});

test("what a record does not tell is not made up", () => {
  expect(courseOf(tableOf({e2e_ns: null}), 0)).toBeNull();
  expect(courseOf(tableOf({e2e_ns: 100}), 0)?.stretches).toEqual([
    {id: "response", begin: 0, end: 100, isSomewhere: false},
  ]);
  expect(courseOf(tableOf({e2e_ns: 100, queue_ns: 30}), 0)?.stretches).toEqual([
    {id: "queue", begin: 0, end: 30, isSomewhere: false},
    {id: "unknown", begin: 30, end: 100, isSomewhere: true},
  ]);
});

test("a service's request has its handler's stages; locks lie somewhere in it", () => {
  const stages = {queue_ns: 20, read_ns: 5, lock_ns: 10, handler_ns: 30, send_ns: 5};
  expect(courseOf(tableOf({e2e_ns: 70, ...stages}), 0)).toEqual({
    total: 70,
    stretches: [
      {id: "queue", begin: 0, end: 20, isSomewhere: false},
      {id: "read", begin: 20, end: 25, isSomewhere: false},
      {id: "lock", begin: 25, end: 35, isSomewhere: true},
      {id: "handler", begin: 35, end: 65, isSomewhere: false},
      {id: "send", begin: 65, end: 70, isSomewhere: false},
    ],
  });
  // What no hook saw is in no part, and in no sum.
  expect(courseOf(tableOf({e2e_ns: null, queue_ns: null, handler_ns: 30}), 0)?.total).toBe(30);
});

const step = (begin: number, end: number, kind = "decode") => ({begin, end, kind, context: 0, generation: 1});

test("steps that overlap a request's time are those around it, in their order", () => {
  const rows = {
    time_ns: [150, 90, 210, 320, null],
    elapsed_ns: [40, 10, 20, 100, 5],
    kind: ["decode", "decode", "mixed", "decode", "decode"],
  };
  const columns = Object.entries(rows).map(([name, cells]) => ({name, type: "", unit: "", doc: "", cells}));
  const source = new Table("serving_iterations", {rows: 5, columns}, () => "");
  // It came at 100 and took 110: the step that ended at 90 was over, that which began at 220 too late.
  expect(stepsOf(source, 100, 110).map(({begin, end, kind}) => [begin, end, kind])).toEqual([
    [10, 50, "decode"],
    [90, 110, "mixed"],
  ]);
});

test("a clock of whole seconds places no step", () => {
  expect(canPlace([step(0, 10), step(10, 20), step(20, 30)])).toBe(true);
  expect(canPlace([step(990, 1000), step(980, 1000), step(970, 1000)])).toBe(false);
  expect(canPlace([])).toBe(true);
});

test("many steps are drawn together, and all are counted", () => {
  const steps = Array.from({length: 100}, (_, i) => step(i * 10, i * 10 + 9, i % 4 === 0 ? "mixed" : "decode"));
  const few = merged(steps, 1000, 10);
  expect(few.length).toBe(10);
  expect(few.reduce((sum, one) => sum + one.count, 0)).toBe(100);
  expect(few[0]).toMatchObject({begin: 0, end: 99, kind: "decode", count: 10});
  expect(merged(steps, 1000, 100).every((one) => one.count === 1)).toBe(true);
});

test("the address names a request", () => {
  expect(requestOf("#requests&request=17")).toBe(17);
  expect(requestOf("#requests")).toBeNull();
  expect(requestOf("#requests&request=x")).toBeNull();
});

test("a plot leaves gaps, and takes logarithms where values lie far apart", () => {
  const line = {label: "", colour: "", values: [1, 2, null, 4, 5]};
  expect(piecesOf(line)).toEqual([
    [0, 1],
    [3, 4],
  ]);
  expect(piecesOf({...line, joins: true})).toEqual([[0, 1, 3, 4]]);
  expect(rangeOfValues([1, 20]).isLog).toBe(false);
  expect(rangeOfValues([1, 20]).range[0]).toBe(0);
  expect(rangeOfValues([1, 50]).isLog).toBe(true);
  expect(rangeOfValues([0, 50]).isLog).toBe(false);
  expect(rangeOfValues([])).toEqual({range: [0, 1], isLog: false});
});
