// Step time over steps, with its spread over ranks.

import {CellSpan} from "../../draw/cells";
import {Legend} from "../../draw/legend";
import {type Line, LineChart} from "../../draw/line_chart";
import {words} from "../../model/format";
import {type CellValue, type Report} from "../../model/report";
import {DataTable, Details, plain} from "../shared/data_table";
import {SaidLines} from "../shared/said";
import type {Section} from "../shared/section";

const noRow = -1;

// What a chosen rank's steps took, where the page has the steps of every rank.
function stepsOfRank(report: Report, steps: readonly CellValue[]): (rank: number) => Line | null {
  const source = report.table("step_times");
  const byRank = new Map<CellValue, Map<CellValue, number>>();
  for (const row of source.rows().filter((one) => source.get(one, "complete"))) {
    const rank = source.get(row, "rank");
    const known = byRank.get(rank);
    if (known) known.set(source.get(row, "step"), row);
    else byRank.set(rank, new Map([[source.get(row, "step"), row]]));
  }
  return (rank: number) => {
    const rows = byRank.get(rank);
    if (rows === undefined) return null;
    const rowAt = (i: number) => rows.get(steps[i] ?? null) ?? noRow;
    return {
      label: `rank ${rank}`,
      values: steps.map((_, i) => source.number(rowAt(i), "duration_ns")),
      cell: (i) => (rowAt(i) === noRow ? null : source.cell(rowAt(i), "duration_ns")),
    };
  };
}

// An inference engine's steps by phase; nothing where steps have none.
function phaseTable(report: Report) {
  const phases = report.table("step_phases");
  return phases.rows().length === 0 ? null : (
    <DataTable
      columns={["phase", "steps", "median_ns", "min_ns", "max_ns", "time_pct", "busy_ns", "busy_pct", "works"].map(
        (name) => plain(phases, name),
      )}
      rows={phases.rows()}
    />
  );
}

export function stepTimeSection(report: Report): Section | null {
  const source = report.table("step_spread");
  const title = "Step time";
  const rows = source.rows().filter((row) => source.get(row, "step") !== null);
  const all = source.where("step", null)[0];
  if (rows.length === 0) {
    if (!report.has("step_spread")) return null;
    return {
      id: "step-time",
      title: title,
      body: (
        <p class="empty">
          No complete step was recorded: nothing marks steps (ProfilerStep, an engine's or the program's annotations, an
          optimizer) and no period was found, or every step was cut off by the recording.
        </p>
      ),
    };
  }
  const how =
    "How long each step took: the line is the median over ranks, the dark band the middle half of the ranks, the light band all of them. A wide band means that ranks differ; a bump means that a step differs. The axis need not begin at 0.";
  const marks = <SaidLines report={report} name="step_marks" />;
  const lead = <SaidLines report={report} name="host_lead" />;
  const names = ["max_ns", "p75_ns", "median_ns", "p25_ns", "min_ns"];
  const labels: Readonly<Record<string, string>> = {
    max_ns: "slowest",
    p75_ns: "p75",
    median_ns: "median",
    p25_ns: "p25",
    min_ns: "fastest",
  };
  const extra: readonly (readonly [name: string, label: string])[] = [
    ["fastest_rank", "fastest rank"],
    ["slowest_rank", "slowest rank"],
    ["ranks", "ranks"],
  ];
  const ends: Readonly<Record<string, string>> = {max_ns: "slowest_rank", min_ns: "fastest_rank"};
  const rowAt = (i: number) => rows[i] ?? noRow;
  const series = names.map((name): Line => {
    const end = ends[name];
    return {
      label: labels[name] ?? name,
      rankAt: end ? (i: number) => source.get(rowAt(i), end) : null,
      colour: name === "median_ns" ? "accent" : "",
      width: name === "median_ns" ? 2 : 0,
      values: rows.map((row) => source.number(row, name)),
      cell: (i: number) => source.cell(rowAt(i), name),
    };
  });
  // In the tooltip only.
  for (const [name, label] of extra)
    series.push({label, colour: "", width: 0, values: rows.map(() => null), cell: (i) => source.cell(rowAt(i), name)});
  const chart = (
    <LineChart
      name="Step time over steps"
      unit="ns"
      zoomed
      title={(i: number) => `Step ${source.get(rowAt(i), "step")}`}
      x={{
        label: "step",
        whole: true,
        values: rows.map((row) => source.amount(row, "step")),
        format: (value: number) => String(value),
      }}
      lineOf={stepsOfRank(
        report,
        rows.map((row) => source.get(row, "step")),
      )}
      series={series}
      bands={[
        [0, 4, "accent-wide"],
        [1, 3, "accent-band"],
      ]}
    />
  );
  const columns = [
    plain(source, "step"),
    ...["median_ns", "min_ns", "p25_ns", "p75_ns", "max_ns", "mean_ns"].map((name) =>
      plain(source, name, labels[name] || words(name.replace("_ns", ""))),
    ),
    plain(source, "fastest_rank"),
    plain(source, "slowest_rank"),
    plain(source, "ranks"),
  ];
  if (rows.length === 1)
    return {
      id: "step-time",
      title: title,
      how: "How long the one complete step took, over the ranks.",
      body: (
        <>
          {marks}
          {phaseTable(report)}
          {lead}
          <DataTable columns={columns} rows={rows} />
        </>
      ),
    };
  return {
    id: "step-time",
    title: title,
    tables: ["step_spread", "step_times", "step_phases", "step_work"],
    answer:
      all === undefined ? null : (
        <>
          <CellSpan cell={source.cell(all, "median_ns")} /> (median), <CellSpan cell={source.cell(all, "min_ns")} /> to{" "}
          <CellSpan cell={source.cell(all, "max_ns")} />
        </>
      ),
    how: how,
    body: (
      <>
        {marks}
        {phaseTable(report)}
        {lead}
        <Legend
          entries={[
            ["accent", "median over ranks"],
            ["accent-band", "p25 to p75"],
            ["accent-wide", "min to max"],
          ]}
        />
        {chart}
        <Details source={report.table("step_spread")} columns={columns} rows={source.rows()} />
      </>
    ),
  };
}
