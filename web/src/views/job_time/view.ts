// Where device time goes, over all devices: one bar and a row per part.

import {table} from "../../model/report";
import {partById} from "../../model/vocabulary";
import {saidLines} from "../shared/said";
import {section} from "../shared/section";
import {shareBar, shareTable} from "../shared/share_bar";

export function jobTimeSection() {
  const source = table("job_breakdown");
  if (source.empty) return null;
  const rows = source.rows();
  const of = {whole: "device time", ones: "devices"};
  // What would show as 0.0 % is in the table.
  const large = rows.filter((row) => source.amount(row, "share_pct") >= 0.05);
  return section(
    "job-time",
    "Where device time goes",
    "The time of all devices, in complete steps where there are any, divided without remainder: what overlaps counts as computing first, then as communication, then as copying. The rest is idle, by cause.",
    shareBar(source, rows, "Device time of the job", partById, of),
    shareTable(source, large, partById, of),
    saidLines("unknown_gaps"),
  );
}

// Below this, in percent of device time, a part is not worth a plot of its own.
export const leastShare = 1;
export function shareOfJob(part: string): number | null {
  const source = table("job_breakdown");
  const row = source.where("part", part)[0];
  return row === undefined ? 0 : source.number(row, "share_pct");
}
