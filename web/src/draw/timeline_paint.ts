// The colours of events in the timeline, by what they are.

import type {Track} from "../model/timeline";

export function isCommunication(kind: string): boolean {
  return ["nccl", "rccl", "custom_all_reduce", "other_communication"].includes(kind);
}

// Of what a host does.
export function paintOfHost(kind: string): string {
  if (kind === "python_function") return "frame-python";
  if (kind === "cpu_op") return "frame-op";
  if (kind === "runtime" || kind === "device_sync") return "frame-call";
  if (kind === "user_annotation" || kind === "device_annotation") return "frame-annotation";
  return "frame-none";
}

// The colour of an event by its kind.
export function paintName(kind: string, track: Track): string {
  if (track.role !== "stream") return paintOfHost(kind);
  if (isCommunication(kind)) return "exposed_communication";
  return kind === "memory" ? "exposed_copy" : "compute";
}
