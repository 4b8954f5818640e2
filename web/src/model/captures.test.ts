import {expect, test} from "vitest";
import {bodyOf, type Capture, type CaptureDetail, missingOf, phasesOf, progressOf, wishFor} from "./captures";

const capture = (more: Partial<CaptureDetail>): CaptureDetail => ({
  id: "1",
  made: "",
  phase: "recording",
  reason: "",
  name: "x",
  job: "",
  user: "",
  run: null,
  steps: 3,
  duration_ms: 500,
  snapshot_ms: 0,
  asked: 8,
  written: 3,
  snapshots: 0,
  arrived: 0,
  warnings: [],
  missing: [],
  hosts: [],
  ...more,
});

test("what is asked for", () => {
  expect(bodyOf(wishFor("42", []))).toEqual({
    name: "capture of 42",
    job: "42",
    steps: 3,
    round_up: 10,
    shapes: false,
    stacks: false,
    memory: false,
    cpu: false,
  });
  expect(bodyOf({...wishFor("", ["a"]), by: "duration", name: " "})).toEqual({
    name: "capture",
    hosts: ["a"],
    duration_ms: 500,
    shapes: false,
    stacks: false,
    memory: false,
    cpu: false,
  });
});

test("how it is getting on", () => {
  const said = (more: Partial<Capture>) => progressOf(capture(more));
  expect(said({})).toBe("3 of 8 processes have written a trace");
  expect(said({phase: "sending", written: 8, arrived: 1})).toBe("1 of 8 traces has arrived");
  expect(said({phase: "done", written: 8, arrived: 8})).toBe("All 8 traces have arrived");
  expect(said({phase: "done", asked: 1, arrived: 1})).toBe("The trace has arrived");
  expect(said({phase: "done", written: 7, arrived: 7})).toBe("7 of 8 traces have arrived");
  expect(said({phase: "snapshots", written: 8, snapshots: 1, snapshot_ms: 2000})).toBe(
    "1 of 8 processes have written a snapshot of memory",
  );
  expect(said({phase: "sending", written: 8, snapshots: 7, arrived: 9, snapshot_ms: 2000})).toBe(
    "9 of 15 files have arrived",
  );
  expect(said({phase: "done", written: 8, snapshots: 7, arrived: 15, snapshot_ms: 2000})).toBe(
    "8 traces and 7 snapshots of 8 processes",
  );
  expect(phasesOf(capture({}))).not.toContain("snapshots");
});

test("what is missing, by name", () => {
  const clock = {clock_ahead_us: 0, clock_uncertainty_us: 0};
  const members = [
    {pid: 7, rank: 0, state: "written", reason: ""},
    {pid: 8, rank: 1, state: "recording", reason: ""},
    {pid: 9, rank: null, state: "waiting", reason: ""},
  ];
  const hosts = [
    {...clock, host: "a", problem: "", snapshot_problem: "", over: false, members, snapshots: []},
    {
      ...clock,
      host: "b",
      problem: "b: its agent does not report any more",
      snapshot_problem: "",
      over: false,
      members: [],
      snapshots: [],
    },
  ];
  expect(missingOf(capture({hosts})).names).toEqual([
    "a: rank 1 records",
    "a: pid 9 has not asked yet",
    "b: its agent does not report any more",
  ]);
  expect(missingOf(capture({hosts, phase: "done", missing: ["a: pid 8 (rank 1): died"]})).names).toEqual([
    "a: pid 8 (rank 1): died",
  ]);
});
