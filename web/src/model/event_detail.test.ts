import {expect, test} from "vitest";
import {eventDetailOf, factName, ownSequence, sequenceOf, shapeText} from "./event_detail";

const columns = (...names: string[]) => names.map((name) => ({name, type: "", unit: ""}));

test("arguments become a table of inputs and what is left", () => {
  const args = {
    "Input Dims": "[[2,2048,1024],[],[[2,3],[4]]]",
    "Input type": ["c10::BFloat16", "Scalar", "TensorList"],
    "Concrete Inputs": ["", "1", ""],
    "External id": 13,
    grid: [8, 16, 1],
  };
  const detail = eventDetailOf({
    columns: columns("rank", "event", "name", "dur_ns", "op", "launch_event", "args"),
    rows: [[0, 7, "aten::x", 5, "aten::mm", 3, JSON.stringify(args)]],
  });
  expect(detail.inputs).toEqual([
    {type: "c10::BFloat16", shape: "2 \u00d7 2048 \u00d7 1024", value: ""},
    {type: "Scalar", shape: "", value: "1"},
    {type: "TensorList", shape: "2 \u00d7 3, 4", value: ""},
  ]);
  expect(detail.args).toEqual([
    {name: "External id", value: 13, unit: ""},
    {name: "grid", value: "[8,16,1]", unit: ""},
  ]);
  expect(detail.facts.map((one) => one.name)).toEqual(["event", "dur_ns"]);
  expect([detail.op, detail.launch]).toEqual(["aten::mm", 3]);
  expect(eventDetailOf({columns: columns("args"), rows: [["{no json"]]}).args).toEqual([]);
  expect(eventDetailOf({columns: [], rows: []}).isKnown).toBe(false);
  expect(shapeText("x")).toBe("");
});

test("the forward op is that of the innermost backward frame", () => {
  const frame = (sequence: number, thread: number) =>
    JSON.stringify({"Sequence number": sequence, "Fwd thread id": thread});
  expect(sequenceOf([frame(5, 1), frame(7, 1), "{}"])).toBe(7);
  expect(sequenceOf([frame(5, 0), ""])).toBe(null);
  expect(sequenceOf([])).toBe(null);
});

test("a forward op has a number of its own, a backward op that of another", () => {
  expect(ownSequence('{"Sequence number": 7, "Fwd thread id": 0}')).toBe(7);
  expect(ownSequence('{"Sequence number": 7}')).toBe(7);
  expect(ownSequence('{"Sequence number": 7, "Fwd thread id": 2}')).toBe(null);
  expect(ownSequence("")).toBe(null);
  expect(sequenceOf(['{"Sequence number": 7, "Fwd thread id": 2}'])).toBe(7);
});

test("facts have names, not columns", () => {
  expect(["ts_ns", "launch_delay_ns", "bytes", "External id"].map(factName)).toEqual([
    "begins at",
    "launch delay",
    "bytes",
    "External id",
  ]);
});
