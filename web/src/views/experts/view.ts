// Mixtures of experts: how evenly tokens are shared out over ranks, and who sends how much to whom.

import {type Child, el, front, swatch} from "../../draw/dom";
import {type HeatCell, type HeatData, heatMap, shadeLegend, shadeName, shadeOf} from "../../draw/heat_map";
import {type LegendEntry, legend} from "../../draw/legend";
import {type RowBar, stackedBars} from "../../draw/stacked_bars";
import {grouped, words} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import {type CellValue, type Table, table} from "../../model/report";
import {differenceOf} from "../by_rank/view";
import {sentences} from "../pipeline/view";
import {dataTable, details, plain} from "../shared/data_table";
import {section} from "../shared/section";

// Loads against the mean of the group, from which a shade on stands out.
const loadBorders = [1.1, 1.25, 1.5, 2];
// Rows of the heat map of exchanges.
const mostHotRanks = 32;

export function expertsSection() {
  const exchanges = table("expert_load");
  const {matrix, isEven} = allToAll();
  if (exchanges.empty) {
    return matrix && !isEven
      ? section(
          "all-to-all",
          "Who sends how much to whom",
          "The split sizes of all-to-alls, summed over the recording.",
          matrix,
        )
      : null;
  }
  return section(
    "experts",
    "Experts",
    "In a mixture of experts a router sends each token to a few experts, which live on different ranks. A rank that gets more tokens than the others computes longer, and all ranks of its group wait for it. 1 is the mean of the group.",
    sentences("experts"),
    loadOfRanks(),
    hottestRanks(exchanges),
    matrix ? [el("h3", {}, "Who sends how much to whom"), matrix] : null,
  );
}

function loadOfRanks() {
  const source = table("expert_ranks");
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
  const line = swatch(null);
  line.classList.add("reach");
  const key = legend([
    ["compute", "rows (tokens, times experts of each) that the rank computes, against the mean of its group"],
  ]);
  key.append(el("li", {}, line, "even"));
  return [
    el("h3", {}, "Load of the ranks"),
    el(
      "p",
      {class: "how"},
      "Over all exchanges. Ranks can be even here and uneven in every single exchange, when each layer prefers another rank: the next plot shows that.",
    ),
    key,
    stackedBars({
      name: "Load of experts by rank",
      axis: "rank",
      bars,
      parts: [{id: "load", label: "load", colour: "compute"}],
      unit: "",
      most: null,
      reach: () => 1,
      sorts: [
        {label: "load", key: (bar: RowBar) => source.number(bar.row, "load")},
        {label: "times it has most", key: (bar: RowBar) => source.number(bar.row, "hottest_count")},
      ],
      difference: differenceOf(bars, [{id: "load"}]),
    }),
    details("expert_ranks", columns, source.rows(), "Data of the ranks"),
  ];
}

function hottestRanks(source: Table) {
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
  return [
    el("h3", {}, "The fullest rank of every exchange"),
    el(
      "p",
      {class: "how"},
      `A column per exchange of a step's forward pass (the layers with experts in turn, and these again for each micro-batch). ${hasGroups ? "In every group of experts the" : "The"} rank with most tokens has a cell; all others have less. One row through all columns is a rank that is always overloaded; cells all over the place are batches or layers that differ.`,
    ),
    legend([...steps, ["", "blank: another rank has more"]]),
    heatMap({
      name: "Fullest ranks of experts",
      axis: "exchange of the step's forward",
      rowLabelWidth: 90,
      cell,
      rows: ranks.map((rank) => ({label: `rank ${rank}`, title: `rank ${rank}`, rank})),
      columns: exchanges.map((exchange) => ({label: String(exchange), title: `exchange ${exchange}`})),
    }),
    all.length > ranks.length
      ? el(
          "p",
          {class: "note"},
          `Of ${grouped(all.length)} ranks that are fullest somewhere the ${ranks.length} with most load beyond the mean are shown.`,
        )
      : null,
    dataTable(columns, order, 5),
    details("expert_load", columns, source.rows(), "Data of the exchanges"),
  ];
}

// The matrices of all-to-alls, a group at a time, as {matrix, isEven: there is nothing to see}; matrix is null when none is known.
interface AllToAllGroup {
  readonly kind: CellValue;
  readonly ranks: readonly number[];
  readonly rows: number[];
}
function allToAll(): {readonly matrix: Child; readonly isEven: boolean} {
  const source = table("all_to_all");
  if (source.total === 0) return {matrix: null, isEven: true};
  if (source.empty)
    return {
      isEven: false,
      matrix: el(
        "p",
        {class: "empty"},
        "The groups have more than 64 ranks: ",
        el("code", {}, source.command),
        " has the matrix.",
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
    const key = `${source.get(rows[0], "groups")}\n${ranks.reduce((least, rank) => Math.min(least, rank), Infinity)}`;
    let group = groups.get(key);
    if (group === undefined)
      groups.set(key, (group = {kind: source.get(rows[0], "groups"), ranks: ranks.sort((a, b) => a - b), rows: []}));
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
  const data = details("all_to_all", columns, source.rows(), "Data of the matrix");
  // A share of more or less than this, of an even one, is worth a plot.
  if (uneven(order[0]) < 1.02)
    return {
      isEven: true,
      matrix: [
        el(
          "p",
          {class: "how"},
          "Every rank sends as much to each rank of its group as to any other, or the trace does not state split sizes.",
        ),
        data,
      ],
    };
  const borders = [5, 10, 25, 50];
  const view = (group: AllToAllGroup): HeatData => {
    const place = new Map(
      group.rows.map((row) => [`${source.get(row, "source_rank")}/${source.get(row, "destination_rank")}`, row]),
    );
    const even = 100 / group.ranks.length;
    return {
      axis: "receives",
      rows: group.ranks.map((rank: number) => ({label: `${rank} sends`, title: `rank ${rank} to`, rank})),
      columns: group.ranks.map((rank: number) => ({label: String(rank), title: `rank ${rank}`})),
      cell: (r: number, c: number): HeatCell | null => {
        const row = place.get(`${group.ranks[r]}/${group.ranks[c]}`);
        if (row === undefined) return null;
        const share = source.number(row, "share_pct");
        return {
          value: source.cell(row, "bytes"),
          shade: share === null ? 0 : shadeOf(100 * (share / even - 1), borders),
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
  };
  const plot = heatMap({name: "All-to-all matrix", rowLabelWidth: 80, ...view(order[0])});
  const nameOfGroup = (group: AllToAllGroup) => `${front(group.kind, 30)}, from rank ${group.ranks[0]} on`;
  // The buttons are not on paper.
  const chosen = el("p", {class: "metric on-paper"}, nameOfGroup(order[0]));
  const shown = order.slice(0, 8);
  const buttons = shown.map((group, i) =>
    el(
      "button",
      {
        type: "button",
        "aria-pressed": String(i === 0),
        onclick: () => {
          buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === i)));
          plot.change(view(group));
          chosen.textContent = nameOfGroup(group);
        },
      },
      nameOfGroup(group),
    ),
  );
  return {
    isEven: false,
    matrix: [
      el(
        "p",
        {class: "how"},
        "A row per rank that sends, a column per rank that receives. The shade is the distance from an even share of what the source sends. A column of orange cells is a rank to which all send more than to others. All all-to-alls of the group are summed: of experts, tokens on their way there and back.",
      ),
      shown.length > 1 ? el("div", {class: "tools"}, "Group", buttons) : null,
      chosen,
      legend(shadeLegend(borders, "%", "less", "more")),
      plot,
      data,
    ],
  };
}
