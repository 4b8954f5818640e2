// Where device time goes, over all devices: one bar and a row per part.

import {CellSpan} from "../../draw/cells";
import {deviceShares} from "../../model/device_shares";
import {exposedCells, exposedParts} from "../../model/exposed";
import type {Report} from "../../model/report";
import {SaidLines} from "../shared/said";
import type {Section} from "../shared/section";
import {PartLabel, ShareBar, ShareTable} from "../shared/share_bar";

// What the exposed communication above consists of.
function Exposed({report}: {readonly report: Report}) {
  const cells = exposedCells(report, null);
  if (cells === null) return null;
  return (
    <ul class="legend" aria-label="Exposed communication">
      <li>Exposed communication:</li>
      {exposedParts.map((part) => {
        const cell = cells[part.id];
        return cell === undefined ? null : (
          <li key={part.id}>
            <PartLabel colour={part.colour}>{part.label}</PartLabel> <CellSpan cell={cell} />
          </li>
        );
      })}
    </ul>
  );
}

export function jobTimeSection(report: Report): Section | null {
  const source = report.table("job_breakdown");
  if (source.empty) return null;
  const rows = source.rows();
  const of = {whole: "device time", ones: "devices"};
  const shares = deviceShares(report);
  const [largest] = [...shares].sort((a, b) => b.pct - a.pct);
  // What would show as 0.0 % is in the table.
  const large = rows.filter((row) => source.amount(row, "share_pct") >= 0.05);
  return {
    id: "job-time",
    title: "Where device time goes",
    tables: ["job_breakdown"],
    answer:
      largest === undefined ? null : (
        <>
          <CellSpan cell={largest.cell} /> {largest.label}
        </>
      ),
    how: "The time of all devices, in complete steps where there are any, divided without remainder: what overlaps counts as computing first, then as communication, then as copying. The rest is idle, by cause.",
    body: (
      <>
        <ShareBar shares={shares} name="Device time of the job" of={of} />
        <ShareTable source={source} rows={large} byId={report.words.partById} of={of} />
        <Exposed report={report} />
        <SaidLines report={report} name="unknown_gaps" />
      </>
    ),
  };
}

// Below this, in percent of device time, a part is not worth a plot of its own.
export const leastShare = 1;
export function shareOfJob(report: Report, part: string): number | null {
  const source = report.table("job_breakdown");
  const row = source.where("part", part)[0];
  return row === undefined ? 0 : source.number(row, "share_pct");
}
