// Which ranks differ, in what: a heat map of metrics by their distance from the median of the ranks.

import {useState} from "preact/hooks";
import {useDrawing} from "../../draw/drawing";
import {type HeatCell, type HeatData, HeatMap, shadeLegend, shadeOf} from "../../draw/heat_map";
import {Legend} from "../../draw/legend";
import {manyBars} from "../../draw/stacked_bars";
import {grouped} from "../../model/format";
import {metricDoc} from "../../model/metric_docs";
import {distinct, sorted} from "../../model/order";
import type {CellValue, Report} from "../../model/report";
import {ChoiceButtons} from "../shared/choice_buttons";
import {DataTable, Details} from "../shared/data_table";
import type {Section} from "../shared/section";

export function ranksSection(report: Report): Section | null {
  const source = report.table("rank_metrics");
  if (source.empty) return null;
  const metrics = distinct(source.rows().map((row) => source.get(row, "metric")));
  const ranks = distinct(source.rows().map((row) => source.amount(row, "rank"))).sort((a, b) => a - b);
  const place = new Map<string, number>();
  for (const row of source.rows()) place.set(`${source.get(row, "metric")}/${source.get(row, "rank")}`, row);
  const rowOf = (metric: CellValue | undefined, rank: number | undefined) => place.get(`${metric}/${rank}`);
  const unitOf = new Map(source.rows().map((row) => [source.get(row, "metric"), source.text(row, "unit")]));
  const label = (metric: CellValue) => report.words.metricLabel(metric, unitOf.get(metric) ?? "");
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
    return {
      id: "ranks",
      title: "Metrics of the rank",
      how: "One rank was recorded, so there is nothing to compare it with.",
      body: (
        <DataTable
          columns={[
            {
              label: "metric",
              kind: "text",
              cell: (row) => source.cell(row, "metric"),
              text: (row) => label(source.get(row, "metric")),
              about: (row) => metricDoc(source.get(row, "metric")),
            },
            {label: "value", cell: (row) => valueCell(row, "value")},
          ]}
          rows={rows}
        />
      ),
    };
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
  const node = {
    id: "ranks",
    title: "Which ranks differ",
    tables: ["rank_metrics"],
    how: "A column per rank, a row per metric. The shade is the distance from the median of the ranks in robust standard deviations (0.6745 \u00d7 distance / median distance); a diamond marks an outlier, and the darkest shades are kept for those: they differ by enough to matter, too. A dark column is a rank that differs in many metrics.",
    body: (
      <>
        <Legend
          entries={[...shadeLegend(borders, "", "low", "high"), ["", "\u25c6 outlier"], ["", "blank: unknown"]]}
        />
        <MetricsByRank ranks={ranks} differing={differing} view={view} />
        <Details source={report.table("rank_metrics")} columns={columns} rows={ranks} />
      </>
    ),
  };
  return source.where("outlier", true).length === 0
    ? {...node, folded: "No rank differs from the others by enough to matter."}
    : node;
}

interface MetricsByRank {
  readonly ranks: readonly number[];
  // Of many ranks.
  readonly differing: readonly number[] | null;
  readonly view: (order: readonly number[], axis: string) => HeatData;
}
// Chosen ranks stand behind those that differ, if they are not among them.
const mostBehind = 16;

function MetricsByRank({ranks, differing, view}: MetricsByRank) {
  const {choice} = useDrawing();
  const [chosen, choose] = useState(0);
  if (differing === null) return <HeatMap name="Metrics by rank" rowLabelWidth={245} {...view(ranks, "rank")} />;
  const behind = () => ranks.filter((rank) => choice.isChosen(rank) && !differing.includes(rank)).slice(0, mostBehind);
  const data =
    chosen === 0 ? view([...differing, ...behind()], "rank, those that differ most first") : view(ranks, "rank");
  return (
    <>
      <div class="tools">
        Show
        <ChoiceButtons
          labels={[`the ${manyBars} that differ most`, `all ${grouped(ranks.length)}`]}
          chosen={chosen}
          choose={choose}
        />
      </div>
      <HeatMap name="Metrics by rank" rowLabelWidth={245} {...data} />
    </>
  );
}
