// What a step is made of: the contributions of all findings and what it takes at best, as one bar that sums to the step.

import {Swatch} from "../../draw/cells";
import {human} from "../../model/format";
import type {Report, Table} from "../../model/report";
import {front} from "../../model/text";
import {DataTable, plain} from "../shared/data_table";

// Colours of the parts of device time that contributions are like.
const colours: Readonly<Record<string, string>> = {
  "slower kernels": "compute",
  "more work": "compute",
  kernels: "compute",
  copies: "exposed_copy",
  transfers: "exposed_communication",
  "host work": "idle_host",
  launching: "idle_launch",
  data: "idle_data",
  sync: "idle_sync",
  allocator: "idle_gap",
  schedule: "idle_stream",
  "outlier step": "unknown",
  memory: "idle_gap",
  best: "still-device",
};

function nameOf(source: Table, row: number) {
  return source.get(row, "finding") === null ? "at its best" : source.text(row, "finding");
}

// Nothing where no contribution was told: the best alone is no division.
export function contributions(report: Report, isOfSteps: boolean) {
  const source = report.table("contributions");
  const rows = source.rows().filter((row) => source.amount(row, "time_ns") > 0);
  const sum = rows.reduce((all, row) => all + source.amount(row, "time_ns"), 0);
  if (rows.length < 2 || sum <= 0) return null;
  const colourOf = (row: number) => colours[source.text(row, "what")] ?? "unknown";
  const shareOf = (row: number) => human((100 * source.amount(row, "time_ns")) / sum, "%");
  const segments = rows.map((row) => (
    <span
      key={row}
      title={`${nameOf(source, row)}: ${human(source.get(row, "time_ns"), "ns")}, ${shareOf(row)}`}
      style={{"--part": String(source.amount(row, "time_ns")), "--swatch": `var(--${colourOf(row)})`}}
    />
  ));
  const columns = [
    {
      label: "contribution",
      kind: "word",
      node: (row: number) => (
        <span class="label">
          <Swatch colour={colourOf(row)} />
          {front(nameOf(source, row), 60)}
        </span>
      ),
    },
    plain(source, "what", "takes"),
    plain(source, "who"),
    plain(source, "time_ns", isOfSteps ? "of a step" : "of the recording"),
    {
      label: "share",
      kind: "number",
      node: (row: number) => <span>{human((100 * source.amount(row, "time_ns")) / sum, "%")}</span>,
    },
  ];
  return (
    <details class="contributions" open>
      <summary>{isOfSteps ? "What a step is made of" : "What the recording is made of"}</summary>
      <div
        class="contribution-bar"
        role="img"
        aria-label={rows
          .map((row) => `${nameOf(source, row)} ${human((100 * source.amount(row, "time_ns")) / sum, "%")}`)
          .join(", ")}
      >
        {segments}
      </div>
      <DataTable columns={columns} rows={rows} />
    </details>
  );
}
