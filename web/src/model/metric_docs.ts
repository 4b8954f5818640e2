// What metrics of ranks are, for whoever points at their names: src/analysis/ranks/rank_metrics.cc makes those of rank_metrics of these
// tables, agents tell the others (docs/agent.md).

import {quantities, type QuantityName} from "@made/api_types";

const docs: Readonly<Record<string, string>> = {
  step_time: "length of a step, from its begin to the next one's (step_times)",
  compute: "share of device time in which at least one kernel computes (time_breakdown: compute_ns / observed time)",
  exposed_communication: "share of device time in which communication runs and nothing computes (time_breakdown)",
  exposed_copy: "share of device time in which copies run, and neither computing nor communication (time_breakdown)",
  idle: "share of device time in which nothing runs (time_breakdown, all idle parts)",
  idle_host: "share of device time in which nothing runs since the host has not launched it yet (time_breakdown)",
  idle_data: "share of device time in which nothing runs while the host waits for input (time_breakdown)",
  idle_sync:
    "share of device time in which nothing runs while the host is in a call that waits for the device (time_breakdown)",
  idle_launch: "share of device time in which nothing runs while a launch is on its way (time_breakdown)",
  idle_gap: "share of device time between two kernels that were launched in time (time_breakdown)",
  idle_stream: "share of device time in which what is next waits for another stream (time_breakdown)",
  unknown: "share of device time in which nothing runs, for a cause that the trace does not show (time_breakdown)",
  communication_hidden:
    "share of communication's time in which the device computes, too (overlap: communication_hidden_ns / communication_ns)",
  communication: "time in which communication kernels run (overlap: communication_ns)",
  communication_hidden_time: "time in which communication runs beside computing (overlap)",
  communication_exposed_time: "time in which communication runs and nothing computes (time_breakdown)",
  device_busy:
    "share of time in which a kernel, copy or memset runs on the device (utilisation: busy_ns / duration_ns)",
  sm_efficiency:
    "estimate: mean share of multiprocessors with at least one block; 0 where no kernel runs (utilisation)",
  occupancy: "estimate: mean achieved occupancy of kernels, weighted by duration (utilisation)",
  hfu: "FLOPs of matmuls, convolutions and attentions per second, as a part of the device's dense 16-bit peak (flop_utilisation)",
  mfu: "as HFU, without what activation checkpointing computes again (flop_utilisation)",
  kernels: "kernels, copies and memsets that the host launches in a step (step_times: launched_work)",
  launch_time: "what a launch takes on the host, the mean (launches)",
  launch_delay:
    "mean time from the return of a launch to the begin of its first work, 0 when it began before (launches)",
  queue_length:
    "kernels, copies and memsets whose launch has begun and that have not begun themselves, per stream, weighted by time (queue_length)",
  copy_bytes: "bytes copied (copies)",
  copy_time: "time of copies (copies: total_ns)",
  host_busy:
    "share of a thread's time in which it works: not blocked, and not without anything recorded (host_breakdown)",
  memory_peak: "the most that was allocated on the device at any time (memory_peaks)",
};

// Null: it has none; keyed quantities (a class's time, a call's count) say what they are themselves.
export function metricDoc(metric: unknown): string | null {
  if (typeof metric !== "string") return null;
  if (Object.hasOwn(docs, metric)) return docs[metric] ?? null;
  return Object.hasOwn(quantities, metric) ? quantities[metric as QuantityName].text : null;
}
