import {expect, test} from "vitest";
import {bodyOf, type Capture, type CaptureDetail, missingOf, progressOf, wishFor} from "./captures";

const capture = (more: Partial<CaptureDetail>): CaptureDetail => ({id: "1", made: "", phase: "recording", reason: null, name: "x", job: null, user: null, run: null, steps: 3, duration_ms: 500, asked: 8, written: 3, arrived: 0, warnings: [], missing: [], hosts: [], ...more});

test("what is asked for", () => {
  expect(bodyOf(wishFor("42", []))).toEqual({name: "capture of 42", job: "42", steps: 3, round_up: 10, shapes: false, stacks: false, memory: false});
  expect(bodyOf({...wishFor("", ["a"]), by: "duration", name: " "})).toEqual({name: "capture", hosts: ["a"], duration_ms: 500, shapes: false, stacks: false, memory: false});
});

test("how it is getting on", () => {
  const said = (more: Partial<Capture>) => progressOf(capture(more));
  expect(said({})).toBe("3 of 8 processes have written a trace");
  expect(said({phase: "sending", written: 8, arrived: 1})).toBe("1 of 8 traces has arrived");
  expect(said({phase: "done", written: 8, arrived: 8})).toBe("All 8 traces have arrived");
  expect(said({phase: "done", asked: 1, arrived: 1})).toBe("The trace has arrived");
  expect(said({phase: "done", written: 7, arrived: 7})).toBe("7 of 8 traces have arrived");
});

test("what is missing, by name", () => {
  const members = [{pid: 7, rank: 0, state: "written", reason: ""}, {pid: 8, rank: 1, state: "recording", reason: ""}, {pid: 9, rank: null, state: "waiting", reason: ""}];
  const hosts = [{host: "a", problem: "", over: false, members}, {host: "b", problem: "b: its agent does not report any more", over: false, members: []}];
  expect(missingOf(capture({hosts})).names).toEqual(["a: rank 1 records", "a: pid 9 has not asked yet", "b: its agent does not report any more"]);
  expect(missingOf(capture({hosts, phase: "done", missing: ["a: pid 8 (rank 1): died"]})).names).toEqual(["a: pid 8 (rank 1): died"]);
});
