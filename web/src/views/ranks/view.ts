// Which ranks differ, in what: a heat map of metrics by their distance from the median of the ranks.

import {el} from "../../draw/dom";
import {type HeatCell, type HeatData, heatMap, shadeLegend, shadeOf} from "../../draw/heat_map";
import {legend} from "../../draw/legend";
import {manyBars} from "../../draw/stacked_bars";
import {grouped} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import {rangesOf} from "../../model/ranks";
import {type CellValue, table} from "../../model/report";
import {isChosen, onChoice} from "../../model/selection";
import {metricDoc} from "../../model/metric_docs";
import {metricLabel} from "../../model/vocabulary";
import {dataTable, details} from "../shared/data_table";
import {foldAway, section} from "../shared/section";

export function ranksSection() {
  const source = table("rank_metrics");
  if (source.empty) return null;
  const metrics = distinct(source.rows().map((row) => source.get(row, "metric")));
  const ranks = distinct(source.rows().map((row) => source.amount(row, "rank"))).sort((a, b) => a - b);
  const place = new Map<string, number>();
  for (const row of source.rows()) place.set(`${source.get(row, "metric")}/${source.get(row, "rank")}`, row);
  const rowOf = (metric: CellValue, rank: number) => place.get(`${metric}/${rank}`);
  const unitOf = new Map(source.rows().map((row) => [source.get(row, "metric"), source.text(row, "unit")]));
  const label = (metric: CellValue) => metricLabel(metric, unitOf.get(metric) ?? "");
  const explained = (metric: CellValue) => [label(metric), metricDoc(metric)].filter(Boolean).join(": ");
  const borders = [2, 3.5, 6, 12];
  const valueCell = (row: number, name: string) => source.cell(row, name, unitOf.get(source.get(row, "metric")));
  // Of many ranks those that differ most come first, and alone.
  const farthest = new Map(ranks.map((rank) => [rank, 0]));
  for (const row of source.rows()) {
    const distance = Math.abs(source.number(row, "deviation") || 0) + (source.get(row, "outlier") === true ? 1e6 : 0);
    const rank = source.amount(row, "rank");
    if (distance > (farthest.get(rank) ?? 0)) farthest.set(rank, distance);
  }
  const differing =
    ranks.length > manyBars ? sorted(ranks, (rank) => farthest.get(rank), true).slice(0, manyBars) : null;
  const cellOf =
    (order: readonly number[]) =>
    (r: number, c: number): HeatCell | null => {
      const row = rowOf(metrics[r], order[c]);
      if (row === undefined || source.get(row, "value") === null) return null;
      const shade = shadeOf(source.number(row, "deviation"), borders);
      const isOutlier = source.get(row, "outlier") === true;
      return {
        value: valueCell(row, "value"),
        shade: isOutlier ? shade : Math.max(-2, Math.min(2, shade)),
        mark: isOutlier,
        lines: [
          ["", "value", valueCell(row, "value")],
          ["", "median of the ranks", valueCell(row, "median")],
          ["", "deviation", source.cell(row, "deviation")],
          ["", "outlier", source.cell(row, "outlier")],
        ],
      };
    };
  if (ranks.length < 2) {
    const rows = source.rows();
    return section(
      "ranks",
      "Metrics of the rank",
      "One rank was recorded, so there is nothing to compare it with.",
      dataTable(
        [
          {
            label: "metric",
            kind: "text",
            cell: (row) => source.cell(row, "metric"),
            text: (row) => label(source.get(row, "metric")),
            about: (row) => metricDoc(source.get(row, "metric")),
          },
          {label: "value", cell: (row) => valueCell(row, "value")},
        ],
        rows,
      ),
    );
  }
  const columns = [
    {label: "rank", cell: (rank: number) => source.cell(rowOf(metrics[0], rank) ?? -1, "rank")},
    ...metrics.map((metric) => ({
      label: label(metric),
      doc: metricDoc(metric),
      cell: (rank: number) => {
        const row = rowOf(metric, rank);
        return row === undefined ? {value: null, unit: "", type: "double", id: ""} : valueCell(row, "value");
      },
    })),
  ];
  const view = (order: readonly number[], axis: string): HeatData => ({
    axis,
    cell: cellOf(order),
    rows: metrics.map((metric) => ({label: label(metric), title: explained(metric)})),
    columns: order.map((rank: number) => ({label: String(rank), title: `rank ${rank}`, rank})),
  });
  // Chosen ranks stand behind them, if they are not among them.
  const behind = () => ranks.filter((rank) => isChosen(rank) && !(differing ?? []).includes(rank)).slice(0, 16);
  const few = () => view([...(differing ?? []), ...behind()], "rank, those that differ most first");
  const whole = () => view(ranks, "rank");
  let shownView = differing ? few : whole;
  const plot = heatMap({name: "Metrics by rank", rowLabelWidth: 245, ...shownView()});
  let drawnBehind = differing ? rangesOf(behind()) : "";
  onChoice.push(() => {
    if (shownView !== few || rangesOf(behind()) === drawnBehind) return;
    drawnBehind = rangesOf(behind());
    plot.change(few());
  });
  const choices: readonly (readonly [text: string, view: () => HeatData])[] = differing
    ? [
        [`the ${manyBars} that differ most`, few],
        [`all ${grouped(ranks.length)}`, whole],
      ]
    : [];
  const buttons = choices.map(([text, one], i) =>
    el(
      "button",
      {
        type: "button",
        "aria-pressed": String(i === 0),
        onclick: () => {
          buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === i)));
          shownView = one;
          if (one === few) drawnBehind = rangesOf(behind());
          plot.change(one());
        },
      },
      text,
    ),
  );
  const tools = buttons.length ? el("div", {class: "tools"}, "Show", buttons) : null;
  const node = section(
    "ranks",
    "Which ranks differ",
    "A column per rank, a row per metric. The shade is the distance from the median of the ranks in robust standard deviations (0.6745 \u00d7 distance / median distance); a diamond marks an outlier, and the darkest shades are kept for those: they differ by enough to matter, too. A dark column is a rank that differs in many metrics.",
    legend([...shadeLegend(borders, "", "low", "high"), ["", "\u25c6 outlier"], ["", "blank: unknown"]]),
    tools,
    plot,
    details("rank_metrics", columns, ranks),
  );
  return source.where("outlier", true).length === 0
    ? foldAway(node, "No rank differs from the others by enough to matter.")
    : node;
}
