// Numbers that the job tells of itself, over its steps or time.

import {el} from "../../draw/dom";
import {legend} from "../../draw/legend";
import {lineChart} from "../../draw/line_chart";
import {getMetrics} from "../../model/api";
import {grouped} from "../../model/format";
import {metricDoc} from "../../model/metric_docs";
import {type Series, seriesOf} from "../../model/metrics";
import type {Cell} from "../../model/report";
import {type Section, section} from "../shared/section";

const points = 500;
const mostCharts = 12;
const mostLines = 8;

// One chart for a name: a line for the job, or for each of some ranks.
function chartOf(name: string, all: readonly Series[]): HTMLElement {
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
  return el(
    "div",
    {},
    el(
      "h3",
      {title: metricDoc(name)},
      name,
      all.length > mostLines
        ? el("span", {class: "muted"}, ` of the first ${mostLines} of ${grouped(all.length)} series`)
        : null,
    ),
    shown.length > 1 ? legend(lines.map((one) => [one.colour, one.label])) : null,
    lineChart({
      name: `${name} over ${isBySteps ? "steps" : "time"}`,
      unit,
      zoomed: true,
      title: (i) => `${isBySteps ? "Step" : "Second"} ${x[i]}`,
      x: {label, whole: isBySteps, values: x, format: (value) => String(Number(value.toPrecision(6)))},
      series: lines,
    }),
  );
}

export function metricsSection(run: string): Section {
  const place = el("div", {role: "status"}, el("p", {class: "muted"}, "Loading \u2026"));
  getMetrics(run, points)
    .then((samples) => {
      const byName = new Map<string, Series[]>();
      for (const one of seriesOf(samples)) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
      const charts = [...byName].slice(0, mostCharts).map(([name, all]) => chartOf(name, all));
      place.replaceChildren(
        ...charts,
        byName.size > mostCharts ? el("p", {class: "note"}, `The first ${mostCharts} of ${byName.size} metrics.`) : "",
      );
    })
    .catch((error: unknown) => {
      place.replaceChildren(
        el("p", {class: "wrong", role: "alert"}, error instanceof Error ? error.message : String(error)),
      );
    });
  return section(
    "metrics",
    "What the job tells of itself",
    "Numbers that the job sent (POST .../metrics): thinned for the picture, with their extremes.",
    place,
  );
}
