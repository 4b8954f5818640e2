// How exposed communication divides: waiting for other ranks, transfer, or not known which (the table exposed_by_rank). No DOM.

import type {Cell, CellValue, Report} from "./report";

export const exposedParts = [
  {id: "wait", column: "wait_share_pct", label: "waiting for other ranks", colour: "waiting", idle: false},
  {
    id: "transfer",
    column: "transfer_share_pct",
    label: "exposed transfer",
    colour: "exposed_communication",
    idle: false,
  },
  {
    id: "communication_unknown",
    column: "unknown_share_pct",
    label: "communication, waiting or transfer unknown",
    colour: "communication_unknown",
    idle: false,
  },
] as const;

// Of a rank, or null for all together, its shares of device time by the id of the part; none where nothing is known of it.
export function exposedCells(report: Report, rank: CellValue): Readonly<Record<string, Cell>> | null {
  const source = report.table("exposed_by_rank");
  const row = source.where("rank", rank)[0];
  if (row === undefined || source.get(row, "wait_share_pct") === null) return null;
  const cells: Record<string, Cell> = {};
  for (const part of exposedParts) {
    if (source.amount(row, part.column) > 0) cells[part.id] = source.cell(row, part.column);
  }
  return cells;
}
