// Copies by direction: how much, how fast, and when.

import {Legend} from "../../draw/legend";
import {LineChart} from "../../draw/line_chart";
import {human, words} from "../../model/format";
import {distinct} from "../../model/order";
import type {Report} from "../../model/report";
import {leastShare, shareOfJob} from "../job_time/view";
import {readSpread} from "../percentiles/view";
import {Details, plain} from "../shared/data_table";
import {RangeTables} from "../shared/range_table";
import type {Section} from "../shared/section";

function copyLines(report: Report) {
  const source = report.table("copy_bandwidth");
  if (source.empty) return null;
  const starts = distinct(source.rows().map((row) => source.amount(row, "start_ns"))).sort((a, b) => a - b);
  const directions = distinct(source.rows().map((row) => source.text(row, "direction"))).slice(0, 6);
  const place = new Map(
    source.rows().map((row) => [`${source.get(row, "direction")}/${source.number(row, "start_ns")}`, row]),
  );
  // A bin without copies has no row; the line goes to the ground there.
  const width = source.amount(0, "duration_ns");
  const times: number[] = [];
  starts.forEach((start, i) => {
    times.push(start);
    if ((starts[i + 1] ?? Infinity) > start + 1.5 * width) times.push(start + width);
  });
  const rowAt = (direction: string, i: number) => place.get(`${direction}/${times[i]}`);
  const series = directions.map((direction, i) => ({
    label: direction,
    colour: `series-${i + 1}`,
    width: 1.5,
    stepped: true,
    values: times.map((_, at) => {
      const row = rowAt(direction, at);
      return row === undefined ? 0 : source.number(row, "bandwidth_bytes_per_s");
    }),
    cell: (at: number) => {
      const row = rowAt(direction, at);
      return row === undefined ? null : source.cell(row, "bandwidth_bytes_per_s");
    },
  }));
  const columns = ["direction", "start_ns", "duration_ns", "bytes", "busy_ns", "bandwidth_bytes_per_s"].map((name, i) =>
    plain(source, name, words(name.replace(/_(ns|bytes_per_s)$/, "")), i === 0 ? "text" : undefined),
  );
  return (
    <>
      <h3>Bandwidth over time</h3>
      <p class="how">
        Bytes copied per second of wall time, on all ranks together, in bins of equal length; on the ground nothing was
        copied.
      </p>
      <Legend entries={series.map((one) => [one.colour, one.label])} />
      <LineChart
        name="Copy bandwidth over time"
        unit="bytes/s"
        title={(i: number) => `From ${human(times[i], "ns")}`}
        x={{label: "time from the job's origin", values: times, format: (value: number) => human(value, "ns")}}
        series={series}
      />
      <Details source={report.table("copy_bandwidth")} columns={columns} rows={source.rows()} />
    </>
  );
}

export function copiesSection(report: Report): Section | null {
  const source = report.table("over_ranks");
  const copies = source.where("analysis", "copies");
  const memsets = source.where("analysis", "memsets");
  const lines = copyLines(report);
  if (copies.length + memsets.length === 0 && !lines) return null;
  const node = {
    id: "copies",
    title: "Copies",
    tables: ["copies", "copy_bandwidth"],
    how: `Memory copies by direction (HtoD: from host to device).${readSpread(report)}`,
    body: (
      <>
        {copies.length ? (
          <RangeTables report={report} rows={copies} keyLabel="direction" main={["bytes", "time", "bandwidth"]} />
        ) : null}
        {lines}
        {memsets.length ? (
          <>
            <h3>Memsets</h3>
            <RangeTables report={report} rows={memsets} main={[]} />
          </>
        ) : null}
      </>
    ),
  };
  return (shareOfJob(report, "exposed_copy") ?? 0) < leastShare
    ? {...node, folded: "Exposed copies take less than 1% of device time."}
    : node;
}
