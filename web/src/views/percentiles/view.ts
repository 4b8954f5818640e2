// What has no plot of its own: percentiles over ranks of the analyses that over_ranks summarises.

import {el} from "../../draw/dom";
import {report, table} from "../../model/report";
import {rangeTables} from "../shared/range_table";
import {foldAway, section} from "../shared/section";

export function readSpread() {
  return report.job.ranks === 1
    ? ""
    : " The small picture is the spread over ranks: a line from min to max, a box from p25 to p75, a tick at the median.";
}

type Percentiles = readonly [analysis: string, heading: string, main: readonly string[], keyLabel?: string]; // main: metrics that are not folded

function percentileSection(id: string, title: string, how: string, analyses: readonly Percentiles[]) {
  const source = table("over_ranks");
  const groups = analyses
    .map(([analysis, heading, main, keyLabel]) => ({heading, main, keyLabel, rows: source.where("analysis", analysis)}))
    .filter(({rows}) => rows.length > 0);
  if (groups.length === 0) return null;
  // Nothing stands out here: it is there to be looked up.
  return foldAway(
    section(
      id,
      title,
      how + readSpread(),
      groups.map(({heading, main, keyLabel, rows}) => [
        heading ? el("h3", {}, heading) : null,
        rangeTables(rows, {main, keyLabel}),
      ]),
    ),
    report.job.ranks === 1 ? "Numbers" : "Numbers over ranks",
  );
}

export function percentileSections() {
  return [
    () =>
      percentileSection(
        "classes",
        "Kernel classes",
        "Device time per step by kind of kernel: busy is the time in which at least one such kernel runs, alone the part in which nothing else does.",
        [["kernel_classes", "", ["busy", "alone"], "class"]],
      ),
    () =>
      percentileSection(
        "phases",
        "Phases of a step",
        "How long the host spends in each phase, and the device time of the work that it launches there.",
        [["phases", "", ["duration", "device_time"], "phase"]],
      ),
    () =>
      percentileSection(
        "launches",
        "Launches, queue and utilisation",
        "How work gets to the device. A filled queue keeps the device busy; a queue near 0 means that it waits for the host.",
        [
          ["utilisation", "Utilisation", []],
          ["queue_length", "Queue length", []],
          ["launches", "Launch calls", ["time", "delay_mean"], "call"],
          ["stream_gaps", "Gaps on streams", ["time"], "cause"],
        ],
      ),
    () =>
      percentileSection(
        "annotations",
        "Annotations",
        "Ranges that the program named itself, on the host and on the device.",
        [["annotations", "", ["time"], "annotation"]],
      ),
  ];
}
