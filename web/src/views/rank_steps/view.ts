// Ranks by steps: a map of what each rank did in each step, by its distance from what its peers do.

import {el} from "../../draw/dom";
import {type HeatCell, type HeatData, heatMap, shadeLegend, shadeOf} from "../../draw/heat_map";
import {legend} from "../../draw/legend";
import {getTable} from "../../model/api";
import {plural} from "../../model/format";
import {rowsOf} from "../../model/rank";
import {
  answerOf,
  binned,
  breakdownColumns,
  extremeOf,
  type Measure,
  measures,
  type RankSteps,
  rankStepsOf,
  worstRanks,
} from "../../model/rank_steps";
import {rangesOf} from "../../model/ranks";
import {type Cell, table} from "../../model/report";
import {dataTable} from "../shared/data_table";
import {type Section, section} from "../shared/section";

const borders = [1, 3, 8, 20];
const mostRows = 160;
const mostColumns = 200;
const mostAlone = 8;
const mostFar = 100;
const empty: Cell = {value: null, unit: "", type: "", id: ""};

const nanoseconds = (value: number): Cell => ({value, unit: "ns", type: "int64", id: ""});
const percent = (value: number): Cell => ({value, unit: "%", type: "double", id: ""});
const name = (value: number): Cell => ({value, unit: "name", type: "int64", id: ""});

// Stages of a pipeline do different work; so do roles.
function groups(): (rank: number) => string {
  const layout = table("layout_ranks");
  const of = new Map(
    layout.rows().map((row) => [layout.number(row, "rank"), `${layout.text(row, "role")}/${layout.text(row, "pp")}`]),
  );
  return (rank) => of.get(rank) ?? "";
}

function mapOf(found: RankSteps): HeatData {
  const steps = binned(found.steps, mostColumns);
  const isMany = found.ranks.length > mostRows;
  // Of many ranks the worst have a row of their own, above the others.
  const rows = [
    ...(isMany ? worstRanks(found, mostAlone).map((rank) => [rank]) : []),
    ...binned(found.ranks, mostRows),
  ];
  const cell = (r: number, c: number): HeatCell | null => {
    const of = extremeOf(found, rows[r] ?? [], steps[c] ?? []);
    if (of === null) return null;
    const isOne = (rows[r]?.length ?? 0) === 1 && (steps[c]?.length ?? 0) === 1;
    return {
      value: percent(of.cell.off_pct),
      shade: shadeOf(of.cell.off_pct, borders),
      lines: [
        ...(isOne
          ? []
          : ([
              ["", "farthest off: rank", name(of.rank)],
              ["", "in step", name(of.step)],
            ] as const)),
        ["", "time", nanoseconds(of.cell.ns)],
        ["", "usual among its peers", nanoseconds(Math.round(of.cell.usual))],
        ["", "more than that, of a step", percent(of.cell.off_pct)],
      ],
    };
  };
  return {
    axis: "step",
    cell,
    rows: rows.map((ranks, i) => {
      const label =
        ranks.length === 1
          ? `rank ${ranks[0]}${isMany && i < mostAlone ? " (far off)" : ""}`
          : `ranks ${rangesOf(ranks)}`;
      return ranks.length === 1 ? {label, title: label, rank: ranks[0] ?? 0} : {label, title: label};
    }),
    columns: steps.map((some) => {
      const label = some.length === 1 ? String(some[0]) : `${some[0]}\u2013${some.at(-1)}`;
      return {label, title: some.length === 1 ? `step ${label}` : `steps ${label}`};
    }),
  };
}

// The cells that are farthest off, as a table.
function farthest(found: RankSteps): HTMLElement {
  const cells = found.ranks
    .flatMap((rank) =>
      found.steps.flatMap((step) => {
        const cell = found.of(rank, step);
        return cell === null ? [] : [{rank, step, cell}];
      }),
    )
    .sort((a, b) => Math.abs(b.cell.off_pct) - Math.abs(a.cell.off_pct))
    .slice(0, mostFar);
  const column = (label: string, doc: string, of: (one: (typeof cells)[number]) => Cell) => ({
    label,
    doc,
    cell: (row: number) => {
      const one = cells[row];
      return one === undefined ? empty : of(one);
    },
  });
  const node = el("details", {}, el("summary", {}, `The ${cells.length} that are farthest off`));
  node.addEventListener("toggle", () => {
    if (!node.open || node.children.length > 1) return;
    node.append(
      dataTable(
        [
          column("rank", "", ({rank}) => name(rank)),
          column("step", "", ({step}) => name(step)),
          column("time", "of all devices of the rank, in its window of the step", ({cell}) => nanoseconds(cell.ns)),
          column("usual", "median of its peers (same role and stage) over all complete steps", ({cell}) =>
            nanoseconds(Math.round(cell.usual)),
          ),
          column("more, of a step", "(time - usual) / median length of a step", ({cell}) => percent(cell.off_pct)),
        ],
        cells.map((_, i) => i),
      ),
    );
  });
  return node;
}

export function rankStepsSection(run: string): Section {
  const place = el("div", {class: "rank-steps", role: "status"}, el("p", {class: "muted"}, "Loading \u2026"));
  const draw = (rows: ReturnType<typeof rowsOf>, total: number) => {
    const groupOf = groups();
    const found = new Map<string, RankSteps>();
    const of = (measure: Measure) => {
      let known = found.get(measure.id);
      if (known === undefined) found.set(measure.id, (known = rankStepsOf(rows, measure, groupOf)));
      return known;
    };
    const [first] = measures;
    if (first === undefined) return;
    if (of(first).steps.length === 0) {
      place.replaceChildren(el("p", {class: "empty"}, "No complete step of a device was recorded."));
      return;
    }
    const said = el("p", {class: "said"});
    const data = el("div");
    const plot = heatMap({name: "Ranks by step", rowLabelWidth: 150, ...mapOf(of(first))});
    const show = (measure: Measure) => {
      said.textContent = `${measure.label[0]?.toUpperCase()}${measure.label.slice(1)}: ${answerOf(of(measure)).text}`;
      data.replaceChildren(farthest(of(measure)));
    };
    const buttons = measures.map(
      (measure, i): HTMLButtonElement =>
        el(
          "button",
          {
            type: "button",
            "aria-pressed": String(i === 0),
            onclick: () => {
              buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === i)));
              plot.change(mapOf(of(measure)));
              show(measure);
            },
          },
          measure.label,
        ),
    );
    show(first);
    place.replaceChildren(
      el("div", {class: "tools"}, "Show", buttons),
      said,
      legend(shadeLegend(borders, " % of a step", "less", "more")),
      plot,
      data,
      rows.length < total
        ? el(
            "p",
            {class: "note"},
            `Of the first ${plural(rows.length, "row")} of ${total}: the table time_breakdown has all.`,
          )
        : "",
    );
  };
  getTable(
    run,
    "time_breakdown",
    `&columns=${breakdownColumns.join(",")}&filter=${encodeURIComponent("complete=true")}`,
  )
    .then((rows) => draw(rowsOf(rows), rows.row_count ?? rows.rows.length))
    .catch((error: unknown) => {
      place.replaceChildren(
        el("p", {class: "wrong", role: "alert"}, error instanceof Error ? error.message : String(error)),
      );
    });
  return section(
    "rank-steps",
    "Ranks by step",
    "A row per rank, a column per step: how much more time it takes than the median of its peers (same role and stage) over all steps, in percent of a step. A dark row is a slow rank, a dark column a bad step, scattered cells come and go. Of several in a cell the one that is farthest off is shown.",
    place,
  );
}
