// Ranks by steps: a map of what each rank did in each step, by its distance from what its peers do.

import {useEffect, useMemo, useState} from "preact/hooks";
import {type HeatCell, type HeatData, HeatMap, shadeLegend, shadeOf} from "../../draw/heat_map";
import {Legend} from "../../draw/legend";
import {getTable} from "../../model/api";
import {plural} from "../../model/format";
import {rowsOf} from "../../model/rank";
import {
  answerOf,
  binned,
  breakdownColumns,
  extremeOf,
  measures,
  type RankSteps,
  rankStepsOf,
  worstRanks,
} from "../../model/rank_steps";
import {rangesOf} from "../../model/ranks";
import type {Cell, Report} from "../../model/report";
import {capitalised} from "../../model/vocabulary";
import {ChoiceButtons} from "../shared/choice_buttons";
import {DataTable} from "../shared/data_table";
import type {Section} from "../shared/section";

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
function groups(report: Report): (rank: number) => string {
  const layout = report.table("layout_ranks");
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
function Farthest({found}: {readonly found: RankSteps}) {
  const [isMade, setMade] = useState(false);
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
  return (
    <details onToggle={() => setMade(true)}>
      <summary>{`The ${cells.length} that are farthest off`}</summary>
      {isMade ? (
        <DataTable
          columns={[
            column("rank", "", ({rank}) => name(rank)),
            column("step", "", ({step}) => name(step)),
            column("time", "of all devices of the rank, in its window of the step", ({cell}) => nanoseconds(cell.ns)),
            column("usual", "median of its peers (same role and stage) over all complete steps", ({cell}) =>
              nanoseconds(Math.round(cell.usual)),
            ),
            column("more, of a step", "(time - usual) / median length of a step", ({cell}) => percent(cell.off_pct)),
          ]}
          rows={cells.map((_, i) => i)}
        />
      ) : null}
    </details>
  );
}

type Rows = ReturnType<typeof rowsOf>;

function RankStepsMap({rows, groupOf}: {readonly rows: Rows; readonly groupOf: (rank: number) => string}) {
  const [chosen, choose] = useState(0);
  const measure = measures[chosen] ?? measures[0];
  const found = useMemo(() => (measure === undefined ? null : rankStepsOf(rows, measure, groupOf)), [rows, measure]);
  const data = useMemo(() => (found === null ? null : mapOf(found)), [found]);
  if (measure === undefined || found === null || data === null) return null;
  if (found.steps.length === 0) return <p class="empty">No complete step of a device was recorded.</p>;
  return (
    <>
      <div class="tools">
        Show
        <ChoiceButtons labels={measures.map((one) => one.label)} chosen={chosen} choose={choose} />
      </div>
      <p class="said">{`${capitalised(measure.label)}: ${answerOf(found).text}`}</p>
      <Legend entries={shadeLegend(borders, " % of a step", "less", "more")} />
      <HeatMap name="Ranks by step" rowLabelWidth={150} {...data} />
      <div>
        <Farthest key={measure.id} found={found} />
      </div>
    </>
  );
}

function RankStepsView({run, groupOf}: {readonly run: string; readonly groupOf: (rank: number) => string}) {
  const [known, setKnown] = useState<{readonly rows: Rows; readonly total: number} | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const only = `&columns=${breakdownColumns.join(",")}&filter=${encodeURIComponent("complete=true")}`;
    getTable(run, "time_breakdown", only)
      .then((rows) => setKnown({rows: rowsOf(rows), total: rows.row_count ?? rows.rows.length}))
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [run]);
  return (
    <div class="rank-steps" role="status">
      {problem === "" ? null : (
        <p class="wrong" role="alert">
          {problem}
        </p>
      )}
      {known === null && problem === "" ? <p class="muted">{"Loading \u2026"}</p> : null}
      {known === null ? null : <RankStepsMap rows={known.rows} groupOf={groupOf} />}
      {known === null || known.rows.length >= known.total ? null : (
        <p class="note">{`Of the first ${plural(known.rows.length, "row")} of ${known.total}: the table time_breakdown has all.`}</p>
      )}
    </div>
  );
}

export function rankStepsSection(report: Report, run: string): Section {
  return {
    id: "rank-steps",
    title: "Ranks by step",
    how: "A row per rank, a column per step: how much more time it takes than the median of its peers (same role and stage) over all steps, in percent of a step. A dark row is a slow rank, a dark column a bad step, scattered cells come and go. Of several in a cell the one that is farthest off is shown.",
    body: <RankStepsView run={run} groupOf={groups(report)} />,
  };
}
