// Captures of running jobs: what can be asked for, and how one is getting on. No DOM.

import {type Capture, type CaptureDetail, type CaptureRequest, captureRequestDefaults} from "@made/api_types";
import {grouped, plural} from "./format";

export type {Capture, CaptureDetail, CaptureRequest} from "@made/api_types";

export type Phase = Capture["phase"];
export const phases = ["asking", "recording", "snapshots", "sending", "done"] as const;
// Those that it goes through.
export function phasesOf(one: Capture): readonly (typeof phases)[number][] {
  return phases.filter((phase) => phase !== "snapshots" || one.snapshot_ms > 0);
}

export function isOver(phase: Phase): boolean {
  return phase === "done" || phase === "failed" || phase === "cancelled";
}

// What one asks for; the defaults cost a job least.
export interface Wish
  extends Required<
    Pick<
      CaptureRequest,
      | "job"
      | "hosts"
      | "name"
      | "steps"
      | "round_up"
      | "duration_ms"
      | "shapes"
      | "stacks"
      | "memory"
      | "cpu"
      | "snapshot_ms"
      | "snoop_ms"
      | "offcpu_ms"
    >
  > {
  readonly by: "steps" | "duration";
}
export function wishFor(job: string, hosts: readonly string[]): Wish {
  const {name, round_up, duration_ms, shapes, stacks, memory, cpu, snapshot_ms, snoop_ms, offcpu_ms} =
    captureRequestDefaults;
  return {
    job,
    hosts,
    name: job === "" ? name : `capture of ${job}`.slice(0, 200),
    by: "steps",
    steps: 3,
    round_up,
    duration_ms,
    shapes,
    stacks,
    memory,
    cpu,
    snapshot_ms,
    snoop_ms,
    offcpu_ms,
  };
}
export function bodyOf(wish: Wish): CaptureRequest {
  const {job, hosts, shapes, stacks, memory, cpu} = wish;
  return {
    name: wish.name.trim() || captureRequestDefaults.name,
    ...(job === "" ? {} : {job}),
    ...(hosts.length === 0 ? {} : {hosts}),
    ...(wish.by === "steps" ? {steps: wish.steps, round_up: wish.round_up} : {duration_ms: wish.duration_ms}),
    shapes,
    stacks,
    memory,
    cpu,
    ...(wish.snapshot_ms > 0 ? {snapshot_ms: wish.snapshot_ms} : {}),
    ...(wish.snoop_ms > 0 ? {snoop_ms: wish.snoop_ms} : {}),
    ...(wish.offcpu_ms > 0 ? {offcpu_ms: wish.offcpu_ms} : {}),
  };
}

// What of it is done in the phase that it is in, of how much.
export function doneOf(one: Capture): readonly [done: number, all: number] {
  switch (one.phase) {
    case "snapshots":
      return [one.snapshots, one.written];
    case "sending":
    case "done":
      return [one.arrived, one.snapshot_ms > 0 ? 2 * one.asked : one.asked];
    default:
      return [one.written, one.asked];
  }
}

// Where it is, in words.
export function progressOf(one: Capture): string {
  const have = one.arrived === 1 ? "has" : "have";
  const files = one.snapshots > 0 ? plural(one.written + one.snapshots, "file") : plural(one.written, "trace");
  switch (one.phase) {
    case "asking":
      return "Agents are asked";
    case "recording":
      return `${grouped(one.written)} of ${grouped(one.asked)} ${one.asked === 1 ? "process has" : "processes have"} written a trace`;
    case "snapshots":
      return `${grouped(one.snapshots)} of ${grouped(one.written)} ${one.written === 1 ? "process has" : "processes have"} written a snapshot of memory`;
    case "sending":
      return `${grouped(one.arrived)} of ${files} ${have} arrived`;
    case "done":
      if (one.snapshot_ms > 0)
        return `${plural(one.written, "trace")} and ${plural(one.snapshots, "snapshot")} of ${grouped(one.asked)} ${one.asked === 1 ? "process" : "processes"}`;
      if (one.arrived < one.asked) return `${grouped(one.arrived)} of ${plural(one.asked, "trace")} ${have} arrived`;
      return one.arrived === 1 ? "The trace has arrived" : `All ${grouped(one.arrived)} traces have arrived`;
    case "failed":
      return "Failed";
    case "cancelled":
      return "Cancelled";
  }
}

const stateWords: Readonly<Record<string, string>> = {
  waiting: "has not asked yet",
  delivered: "was told",
  recording: "records",
  busy: "recorded for somebody else",
  refused: "did not take it",
  timed_out: "did not write in time",
  died: "ended first",
  cancelled: "was cancelled",
};
const mostNamed = 12;

// By name what has not come: as the server says it when it is over; until then who has not written yet.
export function missingOf(one: CaptureDetail): {readonly names: readonly string[]; readonly more: number} {
  const all = isOver(one.phase)
    ? one.missing
    : one.hosts.flatMap((host) => [
        ...(host.problem === "" ? [] : [host.problem]),
        ...(host.snapshot_problem === "" ? [] : [`snapshots: ${host.snapshot_problem}`]),
        ...(one.phase === "snapshots" ? host.snapshots : host.members)
          .filter((member) => member.state !== "written")
          .map(
            (member) =>
              `${host.host}: ${member.rank === null ? `pid ${member.pid}` : `rank ${member.rank}`} ${stateWords[member.state] ?? member.state}${member.reason === "" ? "" : `: ${member.reason}`}`,
          ),
      ]);
  return {names: all.slice(0, mostNamed), more: Math.max(0, all.length - mostNamed)};
}
