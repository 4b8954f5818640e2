// Mixtures of experts: how evenly tokens are shared out over ranks, and who sends how much to whom.

import type {ComponentChildren} from "preact";
import {useState} from "preact/hooks";
import {type HeatCell, type HeatData, HeatMap, shadeLegend, shadeName, shadeOf} from "../../draw/heat_map";
import {Legend, type LegendEntry, PatternEntry} from "../../draw/legend";
import {type RowBar, StackedBars} from "../../draw/stacked_bars";
import {grouped, words} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import type {CellValue, Report, Table} from "../../model/report";
import {front} from "../../model/text";
import {differenceOf} from "../by_rank/view";
import {sentences} from "../pipeline/view";
import {ChoiceButtons} from "../shared/choice_buttons";
import {DataTable, Details, plain} from "../shared/data_table";
import type {Section} from "../shared/section";

// Loads against the mean of the group, from which a shade on stands out.
const loadBorders = [1.1, 1.25, 1.5, 2];
// Rows of the heat map of exchanges.
const mostHotRanks = 32;

export function expertsSection(report: Report): Section | null {
  const exchanges = report.table("expert_load");
  const {matrix, isEven} = allToAll(report);
  if (exchanges.empty) {
    return matrix && !isEven
      ? {
          id: "all-to-all",
          title: "Who sends how much to whom",
          how: "The split sizes of all-to-alls, summed over the recording.",
          body: <>{matrix}</>,
        }
      : null;
  }
  return {
    id: "experts",
    title: "Experts",
    tables: ["expert_ranks", "expert_load"],
    how: "In a mixture of experts a router sends each token to a few experts, which live on different ranks. A rank that gets more tokens than the others computes longer, and all ranks of its group wait for it. 1 is the mean of the group.",
    body: (
      <>
        {sentences(report, "experts")}
        {loadOfRanks(report)}
        {hottestRanks(report, exchanges)}
        {matrix ? (
          <>
            <h3>Who sends how much to whom</h3>
            {matrix}
          </>
        ) : null}
      </>
    ),
  };
}

function loadOfRanks(report: Report) {
  const source = report.table("expert_ranks");
  if (source.empty) return null;
  const rows = source.rows().filter((row) => source.get(row, "load") !== null);
  const columns = [
    plain(source, "rank"),
    plain(source, "load"),
    plain(source, "max_load", "at most"),
    plain(source, "hottest_count", "has most, times"),
    plain(source, "exchanges", "of exchanges"),
    plain(source, "rows"),
    plain(source, "experts_ns", "experts' time"),
  ];
  const bars = rows.map(
    (row): RowBar => ({
      row,
      rank: source.get(row, "rank"),
      mark: false,
      label: String(source.get(row, "rank")),
      title: `Rank ${source.get(row, "rank")}`,
      cells: {load: source.cell(row, "load")},
      more: [
        ["", "in its fullest exchange", source.cell(row, "max_load")],
        ["", "has most of its group, times", source.cell(row, "hottest_count")],
        ["", "of exchanges", source.cell(row, "exchanges")],
        ["", "experts' time", source.cell(row, "experts_ns")],
      ],
    }),
  );
  const key = (
    <Legend
      entries={[
        ["compute", "rows (tokens, times experts of each) that the rank computes, against the mean of its group"],
      ]}
    >
      <PatternEntry kind="reach">even</PatternEntry>
    </Legend>
  );
  return (
    <>
      <h3>Load of the ranks</h3>
      <p class="how">
        Over all exchanges. Ranks can be even here and uneven in every single exchange, when each layer prefers another
        rank: the next plot shows that.
      </p>
      {key}
      <StackedBars
        name="Load of experts by rank"
        axis="rank"
        bars={bars}
        parts={[{id: "load", label: "load", colour: "compute"}]}
        unit=""
        reach={() => 1}
        sorts={[
          {label: "load", key: (bar: RowBar) => source.number(bar.row, "load")},
          {label: "times it has most", key: (bar: RowBar) => source.number(bar.row, "hottest_count")},
        ]}
        difference={differenceOf(bars, [{id: "load"}])}
      />
      <Details source={report.table("expert_ranks")} columns={columns} rows={source.rows()} title="Data of the ranks" />
    </>
  );
}

function hottestRanks(report: Report, source: Table) {
  const rows = source.rows().filter((row) => source.get(row, "max_over_mean") !== null);
  const above = new Map<number, number>();
  for (const row of rows) {
    const rank = source.amount(row, "hottest_rank");
    above.set(rank, (above.get(rank) ?? 0) + source.amount(row, "max_over_mean") - 1);
  }
  const all = sorted(Array.from(above.keys()), (rank) => above.get(rank), true);
  const ranks = all.slice(0, mostHotRanks).sort((a, b) => a - b);
  const exchanges = distinct(rows.map((row) => source.amount(row, "exchange"))).sort((a, b) => a - b);
  const place = new Map(rows.map((row) => [`${source.get(row, "hottest_rank")}/${source.get(row, "exchange")}`, row]));
  const level = (load: number) => loadBorders.filter((border) => load >= border).length;
  const cell = (r: number, c: number): HeatCell | null => {
    const row = place.get(`${ranks[r]}/${exchanges[c]}`);
    if (row === undefined) return null;
    return {
      value: source.cell(row, "max_over_mean"),
      shade: level(source.amount(row, "max_over_mean")),
      mark: false,
      lines: [
        ["", "load of the rank, mean = 1", source.cell(row, "max_over_mean")],
        ["", "it is this rank in, of the steps", source.cell(row, "persistence_pct")],
        ["", "Gini coefficient of the group", source.cell(row, "gini")],
        ["", "rows of the mean rank", source.cell(row, "mean_rows")],
        ["", "experts of the slowest rank take longer by", source.cell(row, "excess_ns")],
      ],
    };
  };
  const hasGroups = distinct(rows.map((row) => source.get(row, "group"))).length > 1;
  const columns = [
    ...(hasGroups ? [plain(source, "group")] : []),
    plain(source, "exchange"),
    plain(source, "max_over_mean", "most load"),
    plain(source, "hottest_rank", "on rank"),
    plain(source, "persistence_pct", "in, of the steps"),
    plain(source, "gini", "Gini"),
    plain(source, "variation"),
    plain(source, "mean_rows", "rows of the mean rank"),
    plain(source, "excess_ns", "slowest takes longer by"),
    plain(source, "steps"),
    plain(source, "ranks"),
    plain(source, "source", "known from", "word"),
  ];
  const order = sorted(rows, (row) => source.number(row, "max_over_mean"), true);
  const steps: LegendEntry[] = [
    ["middle", `below ${loadBorders[0]}`],
    ...loadBorders.map(
      (border, i): LegendEntry => [
        shadeName(i + 1),
        `${border}${i + 1 < loadBorders.length ? ` to ${loadBorders[i + 1]}` : " and more"} times the mean`,
      ],
    ),
  ];
  return (
    <>
      <h3>The fullest rank of every exchange</h3>
      <p class="how">{`A column per exchange of a step's forward pass (the layers with experts in turn, and these again for each micro-batch). ${hasGroups ? "In every group of experts the" : "The"} rank with most tokens has a cell; all others have less. One row through all columns is a rank that is always overloaded; cells all over the place are batches or layers that differ.`}</p>
      <Legend entries={[...steps, ["", "blank: another rank has more"]]} />
      <HeatMap
        name="Fullest ranks of experts"
        axis="exchange of the step's forward"
        rowLabelWidth={90}
        cell={cell}
        rows={ranks.map((rank) => ({label: `rank ${rank}`, title: `rank ${rank}`, rank}))}
        columns={exchanges.map((exchange) => ({label: String(exchange), title: `exchange ${exchange}`}))}
      />
      {all.length > ranks.length ? (
        <p class="note">{`Of ${grouped(all.length)} ranks that are fullest somewhere the ${ranks.length} with most load beyond the mean are shown.`}</p>
      ) : null}
      <DataTable columns={columns} rows={order} most={5} />
      <Details
        source={report.table("expert_load")}
        columns={columns}
        rows={source.rows()}
        title="Data of the exchanges"
      />
    </>
  );
}

// The matrices of all-to-alls, a group at a time, as {matrix, isEven: there is nothing to see}; matrix is null when none is known.
interface AllToAllGroup {
  readonly kind: CellValue;
  readonly ranks: readonly number[];
  readonly rows: number[];
}
function allToAll(report: Report): {readonly matrix: ComponentChildren; readonly isEven: boolean} {
  const source = report.table("all_to_all");
  if (source.total === 0) return {matrix: null, isEven: true};
  if (source.empty)
    return {
      isEven: false,
      matrix: (
        <p class="empty">
          {"The groups have more than 64 ranks: "}
          <code>{source.command}</code>
          {" has the matrix."}
        </p>
      ),
    };
  const bySource = new Map<string, number[]>();
  for (const row of source.rows()) {
    const key = `${source.get(row, "groups")}\n${source.get(row, "source_rank")}`;
    const sent = bySource.get(key);
    if (sent) sent.push(row);
    else bySource.set(key, [row]);
  }
  // All members of a group send to all, so that the first one names it.
  const groups = new Map<string, AllToAllGroup>();
  for (const rows of bySource.values()) {
    const ranks = rows.map((row) => source.amount(row, "destination_rank"));
    const kind = source.get(rows[0] ?? -1, "groups");
    const key = `${kind}\n${ranks.reduce((least, rank) => Math.min(least, rank), Infinity)}`;
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = {kind, ranks: ranks.sort((a, b) => a - b), rows: []}));
    group.rows.push(...rows);
  }
  const uneven = (group: AllToAllGroup) =>
    (Math.max(...group.rows.map((row) => source.number(row, "share_pct") || 0)) * group.ranks.length) / 100;
  const order = sorted(Array.from(groups.values()), uneven, true);
  const columns = [
    "groups",
    "source_rank",
    "destination_rank",
    "count",
    "bytes",
    "share_pct",
    "min_bytes",
    "max_bytes",
  ].map((name) => plain(source, name, words(name.replace(/_pct$/, "")), name === "groups" ? "name" : undefined));
  const data = (
    <Details source={report.table("all_to_all")} columns={columns} rows={source.rows()} title="Data of the matrix" />
  );
  // A share of more or less than this, of an even one, is worth a plot.
  if (order[0] === undefined || uneven(order[0]) < 1.02) {
    return {
      isEven: true,
      matrix: (
        <>
          <p class="how">
            Every rank sends as much to each rank of its group as to any other, or the trace does not state split sizes.
          </p>
          {data}
        </>
      ),
    };
  }
  return {
    isEven: false,
    matrix: (
      <>
        <p class="how">
          A row per rank that sends, a column per rank that receives. The shade is the distance from an even share of
          what the source sends. A column of orange cells is a rank to which all send more than to others. All
          all-to-alls of the group are summed: of experts, tokens on their way there and back.
        </p>
        <Matrices source={source} groups={order.slice(0, mostGroups)} />
        {data}
      </>
    ),
  };
}

const mostGroups = 8;
const shareBorders = [5, 10, 25, 50];

function matrixOf(source: Table, group: AllToAllGroup): HeatData {
  const place = new Map(
    group.rows.map((row) => [`${source.get(row, "source_rank")}/${source.get(row, "destination_rank")}`, row]),
  );
  const even = 100 / group.ranks.length;
  return {
    axis: "receives",
    rows: group.ranks.map((rank) => ({label: `${rank} sends`, title: `rank ${rank} to`, rank})),
    columns: group.ranks.map((rank) => ({label: String(rank), title: `rank ${rank}`})),
    cell: (r, c): HeatCell | null => {
      const row = place.get(`${group.ranks[r]}/${group.ranks[c]}`);
      if (row === undefined) return null;
      const share = source.number(row, "share_pct");
      return {
        value: source.cell(row, "bytes"),
        shade: share === null ? 0 : shadeOf(100 * (share / even - 1), shareBorders),
        mark: false,
        lines: [
          ["", "sent in all", source.cell(row, "bytes")],
          ["", "share of what the source sends", source.cell(row, "share_pct")],
          ["", "at least, in one all-to-all", source.cell(row, "min_bytes")],
          ["", "at most", source.cell(row, "max_bytes")],
          ["", "all-to-alls", source.cell(row, "count")],
        ],
      };
    },
  };
}

// The matrix of the group that the reader chose.
function Matrices({source, groups}: {readonly source: Table; readonly groups: readonly AllToAllGroup[]}) {
  const [chosen, choose] = useState(0);
  const group = groups[chosen] ?? groups[0];
  if (group === undefined) return null;
  const nameOf = (one: AllToAllGroup) => `${front(one.kind, 30)}, from rank ${one.ranks[0]} on`;
  return (
    <>
      {groups.length > 1 ? (
        <div class="tools">
          Group
          <ChoiceButtons labels={groups.map(nameOf)} chosen={chosen} choose={choose} />
        </div>
      ) : null}
      {/* The buttons are not on paper. */}
      <p class="metric on-paper">{nameOf(group)}</p>
      <Legend entries={shadeLegend(shareBorders, "%", "less", "more")} />
      <HeatMap name="All-to-all matrix" rowLabelWidth={80} {...matrixOf(source, group)} />
    </>
  );
}
