// Latencies over time, with the levels of a load run. A point leads to the slowest request of its time.

import {useState} from "preact/hooks";
import {Legend} from "../../draw/legend";
import type {TipLine} from "../../draw/tips";
import {XyPlot, type XyBand} from "../../draw/xy_plot";
import {human} from "../../model/format";
import type {Serving, Table} from "../../model/report";
import {Details, plain} from "../shared/data_table";
import type {Section} from "../shared/section";
import {askedOf} from "./levels";

const measures = [
  {id: "ttft", label: "first token (TTFT)"},
  {id: "tpot", label: "time per token (TPOT)"},
  {id: "e2e", label: "whole request"},
] as const;
const quantiles = [
  {id: "p50", label: "median", colour: "series-1"},
  {id: "p90", label: "p90", colour: "series-5"},
  {id: "p99", label: "p99", colour: "series-2"},
] as const;

function middleOf(source: Table, row: number): number {
  return (source.amount(row, "begin_ns") + source.amount(row, "end_ns")) / 2;
}

// Bins of one level that follow each other.
function bandsOf(serving: Serving): XyBand[] {
  const source = serving.table("serving_over_time");
  const levels = serving.table("serving_levels");
  const bands: {from: number; to: number; level: number}[] = [];
  for (const row of source.rows()) {
    const level = source.number(row, "level");
    if (level === null) continue;
    const last = bands.at(-1);
    if (last?.level === level) last.to = source.amount(row, "end_ns");
    else bands.push({from: source.amount(row, "begin_ns"), to: source.amount(row, "end_ns"), level});
  }
  return bands.map(({from, to, level}) => {
    const [row] = levels.where("level", level);
    return {from, to, label: row === undefined ? `level ${level}` : askedOf(levels, row)};
  });
}

function OverTime({serving}: {readonly serving: Serving}) {
  const source = serving.table("serving_over_time");
  const rows = source.rows();
  const known = measures.filter(({id}) => rows.some((row) => source.number(row, `${id}_p50_ns`) !== null));
  const [chosen, setChosen] = useState<string>(known.find(({id}) => id === "e2e")?.id ?? known[0]?.id ?? "e2e");
  const goodput = serving.table("serving_goodput");
  const limits = goodput
    .where("objective", chosen)
    .map((row) => ({
      y: goodput.amount(row, "limit_ns"),
      label: `objective ${human(goodput.get(row, "limit_ns"), "ns")}`,
    }));
  const series = quantiles.map(({id, label, colour}) => ({
    label,
    colour,
    values: rows.map((row) => source.number(row, `${chosen}_${id}_ns`)),
  }));
  const slowest = (i: number) => source.number(i, "slowest_request");
  return (
    <>
      <div class="tools" role="group" aria-label="What is drawn">
        {known.map(({id, label}) => (
          <button key={id} type="button" aria-pressed={id === chosen} onClick={() => setChosen(id)}>
            {label}
          </button>
        ))}
      </div>
      <Legend entries={quantiles.map(({colour, label}) => [colour, label])} />
      <XyPlot
        key={chosen}
        name="Latency over time"
        x={rows.map((row) => middleOf(source, row))}
        series={series}
        unit="ns"
        across={{label: "when requests came", format: (value) => human(value, "ns")}}
        bands={bandsOf(serving)}
        limits={limits}
        title={(i) => `From ${human(source.get(i, "begin_ns"), "ns")} to ${human(source.get(i, "end_ns"), "ns")}`}
        lines={(i) => [
          ...quantiles.map(({id, label, colour}): TipLine => [colour, label, source.cell(i, `${chosen}_${id}_ns`)]),
          [null, "requests", source.cell(i, "requests")],
          [null, "failed", source.cell(i, "failed")],
          [null, "slowest request", source.cell(i, "slowest_request", "name")],
        ]}
        isChosen={(i) => serving.choice.request.value !== null && slowest(i) === serving.choice.request.value}
        choose={(i) => {
          const request = slowest(i);
          if (request === null) return;
          serving.choice.choose(request);
          document.getElementById("requests")?.scrollIntoView();
        }}
      />
      <Details
        source={source}
        rows={rows}
        columns={[
          "begin_ns",
          "end_ns",
          "level",
          "requests",
          "failed",
          ...quantiles.map(({id}) => `${chosen}_${id}_ns`),
          "slowest_request",
        ].map((name) => plain(source, name))}
      />
    </>
  );
}

export function overTimeSection(serving: Serving): Section | null {
  const source = serving.table("serving_over_time");
  const rows = source.rows().filter((row) => source.number(row, "e2e_p99_ns") !== null);
  if (source.empty) return null;
  const worst = rows.reduce<number | null>(
    (best, row) => (best === null || source.amount(row, "e2e_p99_ns") > source.amount(best, "e2e_p99_ns") ? row : best),
    null,
  );
  return {
    id: "over-time",
    title: "Latency over time",
    answer:
      worst === null
        ? "no request's time is known"
        : `p99 is worst, ${human(source.get(worst, "e2e_p99_ns"), "ns")}, at ${human(source.get(worst, "begin_ns"), "ns")}`,
    how: "Requests by when they came, in bins of equal length; of a time in which none came nothing is drawn. A click, or Enter, shows the slowest request of a bin.",
    body: <OverTime serving={serving} />,
  };
}
