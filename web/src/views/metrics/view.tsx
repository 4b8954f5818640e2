// Numbers that the job tells of itself, over its steps or time.

import {useEffect, useState} from "preact/hooks";
import {Legend} from "../../draw/legend";
import {LineChart} from "../../draw/line_chart";
import {getMetrics} from "../../model/api";
import {grouped} from "../../model/format";
import {metricDoc} from "../../model/metric_docs";
import {type Series, seriesOf} from "../../model/metrics";
import type {Cell} from "../../model/report";
import type {Section} from "../shared/section";

const points = 500;
const mostCharts = 12;
const mostLines = 8;

// One chart for a name: a line for the job, or for each of some ranks.
function Chart({name, all}: {readonly name: string; readonly all: readonly Series[]}) {
  const shown = all.slice(0, mostLines);
  const [first] = shown;
  const isBySteps = shown.every((one) => one.hasSteps);
  const x = [...new Set(shown.flatMap((one) => one.x))].sort((a, b) => a - b);
  const unit = first?.unit ?? "";
  const cellOf = (value: number): Cell => ({value, unit, type: "double", id: ""});
  const lines = shown.map((one, i) => {
    const at = new Map(one.x.map((place, k) => [place, one.values[k] ?? 0]));
    return {
      label: one.who === "" ? name : one.who,
      colour: i === 0 ? "accent" : `series-${i + 1}`,
      width: 1.75,
      values: x.map((place) => at.get(place) ?? null),
      cell: (k: number) => {
        const value = at.get(x[k] ?? NaN);
        return value === undefined ? null : cellOf(value);
      },
    };
  });
  const label = isBySteps ? "step" : "s";
  return (
    <div>
      <h3 title={metricDoc(name) ?? undefined}>
        {name}
        {all.length > mostLines ? (
          <span class="muted">{` of the first ${mostLines} of ${grouped(all.length)} series`}</span>
        ) : null}
      </h3>
      {shown.length > 1 ? <Legend entries={lines.map((one) => [one.colour, one.label])} /> : null}
      <LineChart
        name={`${name} over ${isBySteps ? "steps" : "time"}`}
        unit={unit}
        zoomed
        title={(i) => `${isBySteps ? "Step" : "Second"} ${x[i]}`}
        x={{label, whole: isBySteps, values: x, format: (value) => String(Number(value.toPrecision(6)))}}
        series={lines}
      />
    </div>
  );
}

function Metrics({run}: {readonly run: string}) {
  const [all, setAll] = useState<ReadonlyMap<string, readonly Series[]> | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    getMetrics(run, points)
      .then((samples) => {
        const byName = new Map<string, Series[]>();
        for (const one of seriesOf(samples)) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
        setAll(byName);
      })
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [run]);
  return (
    <div role="status">
      {problem === "" ? null : (
        <p class="wrong" role="alert">
          {problem}
        </p>
      )}
      {all === null && problem === "" ? <p class="muted">{"Loading \u2026"}</p> : null}
      {[...(all ?? [])].slice(0, mostCharts).map(([name, series]) => (
        <Chart key={name} name={name} all={series} />
      ))}
      {all !== null && all.size > mostCharts ? (
        <p class="note">{`The first ${mostCharts} of ${all.size} metrics.`}</p>
      ) : null}
    </div>
  );
}

export function metricsSection(run: string): Section {
  return {
    id: "metrics",
    title: "What the job tells of itself",
    how: "Numbers that the job sent (POST .../metrics): thinned for the picture, with their extremes.",
    body: <Metrics run={run} />,
  };
}
