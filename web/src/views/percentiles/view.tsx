// What has no plot of its own: percentiles over ranks of the analyses that over_ranks summarises.

import type {Report} from "../../model/report";
import {RangeTables} from "../shared/range_table";
import type {MakeSection} from "../shared/section";

export function readSpread(report: Report): string {
  return report.job.ranks === 1
    ? ""
    : " The small picture is the spread over ranks: a line from min to max, a box from p25 to p75, a tick at the median.";
}

interface Percentiles {
  readonly id: string;
  readonly title: string;
  readonly how: string;
  // main: metrics that are not folded.
  readonly analyses: readonly (readonly [
    analysis: string,
    heading: string,
    main: readonly string[],
    keyLabel?: string,
  ])[];
}

function percentiles({id, title, how, analyses}: Percentiles): MakeSection<Report> {
  return (report) => {
    const source = report.table("over_ranks");
    const groups = analyses
      .map(([analysis, heading, main, keyLabel]) => ({
        heading,
        main,
        keyLabel,
        rows: source.where("analysis", analysis),
      }))
      .filter(({rows}) => rows.length > 0);
    if (groups.length === 0) return null;
    return {
      id,
      title,
      tables: analyses.map(([analysis]) => analysis),
      how: how + readSpread(report),
      // Nothing stands out here: it is there to be looked up.
      folded: report.job.ranks === 1 ? "Numbers" : "Numbers over ranks",
      body: groups.map(({heading, main, keyLabel, rows}) => (
        <>
          {heading ? <h3>{heading}</h3> : null}
          <RangeTables report={report} rows={rows} main={main} keyLabel={keyLabel} />
        </>
      )),
    };
  };
}

export const classesSection = percentiles({
  id: "classes",
  title: "Kernel classes",
  how: "Device time per step by kind of kernel: busy is the time in which at least one such kernel runs, alone the part in which nothing else does.",
  analyses: [["kernel_classes", "", ["busy", "alone"], "class"]],
});

export const phasesSection = percentiles({
  id: "phases",
  title: "Phases of a step",
  how: "How long the host spends in each phase, and the device time of the work that it launches there.",
  analyses: [["phases", "", ["duration", "device_time"], "phase"]],
});

export const launchesSection = percentiles({
  id: "launches",
  title: "Launches, queue and utilisation",
  how: "How work gets to the device. A filled queue keeps the device busy; a queue near 0 means that it waits for the host.",
  analyses: [
    ["utilisation", "Utilisation", []],
    ["queue_length", "Queue length", []],
    ["launches", "Launch calls", ["time", "delay_mean"], "call"],
    ["stream_gaps", "Gaps on streams", ["time"], "cause"],
  ],
});

export const annotationsSection = percentiles({
  id: "annotations",
  title: "Annotations",
  how: "Ranges that the program named itself, on the host and on the device.",
  analyses: [["annotations", "", ["time"], "annotation"]],
});
