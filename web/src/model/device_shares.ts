// How the device time of a job divides: the parts of job_breakdown, with exposed communication as waiting and transfer where that is known.
// No DOM.

import {exposedCells, exposedParts} from "./exposed";
import type {Cell, Report} from "./report";

export interface Share {
  readonly label: string;
  readonly colour: string;
  readonly cell: Cell; // of the whole
  readonly pct: number;
  readonly time: Cell | null; // null: only the share is known
}

export function deviceShares(report: Report): readonly Share[] {
  const source = report.table("job_breakdown");
  const exposed = exposedCells(report, null);
  const shareOf = (label: string, colour: string, cell: Cell, time: Cell | null): Share => ({
    label,
    colour,
    cell,
    pct: Number(cell.value ?? 0),
    time,
  });
  return source
    .rows()
    .flatMap((row): readonly Share[] => {
      const id = source.text(row, "part");
      const part = report.words.partById.get(id);
      return id === "exposed_communication" && exposed !== null
        ? exposedParts.flatMap((one) => {
            const cell = exposed[one.id];
            return cell === undefined ? [] : [shareOf(one.label, one.colour, cell, null)];
          })
        : [
            shareOf(
              part?.label ?? id,
              part?.colour ?? "unknown",
              source.cell(row, "share_pct"),
              source.cell(row, "duration_ns"),
            ),
          ];
    })
    .filter((share) => share.pct > 0);
}
