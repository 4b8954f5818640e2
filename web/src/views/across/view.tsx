// Who waits for whom: collectives over ranks, in one clock.

import {useMemo, useState} from "preact/hooks";
import {BandwidthPlot} from "../../draw/bandwidth_plot";
import {CellSpan} from "../../draw/cells";
import {Legend, type LegendEntry, PatternEntry} from "../../draw/legend";
import type {LogPoint} from "../../draw/log_plot";
import {type Bar, type RowBar, StackedBars} from "../../draw/stacked_bars";
import {type TimelineData, type TimelineItem, TimelinePlot} from "../../draw/timeline_plot";
import type {TipLine} from "../../draw/tips";
import {ranksAtFault} from "../../model/at_fault";
import {grouped, human, plural, words} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import {type CellValue, type Report, type Table} from "../../model/report";
import {front, visible} from "../../model/text";
import {stepInWords} from "../../model/step_words";
import {differenceOf} from "../by_rank/view";
import {ChoiceButtons} from "../shared/choice_buttons";
import {DataTable, Details, plain} from "../shared/data_table";
import {timeBar} from "../shared/range_table";
import type {Section} from "../shared/section";

// "tensor (2 ranks)" and its op, as one name.
function kindOf(source: Table, row: number) {
  return `${source.get(row, "groups")}, ${words(source.get(row, "op"))}`;
}

// What `key` says of the rows, the one with most device time first: the same order, and so the same colours, in all plots.
function heaviestFirst<Key>(source: Table, rows: readonly number[], key: (row: number) => Key): Key[] {
  const sums = new Map<Key, number>();
  for (const row of rows) sums.set(key(row), (sums.get(key(row)) ?? 0) + source.amount(row, "device_ns"));
  return sorted(Array.from(sums.keys()), (one) => sums.get(one), true);
}

// Colours for up to six names, those that come first; the others share one.
const namedColours = ["series-1", "series-2", "series-3", "series-6", "series-4", "series-5"];
function coloursOf<Key>(all: readonly Key[]): Map<Key, string> {
  return new Map(all.map((one, i) => [one, namedColours[i] ?? "unknown"]));
}

function coloursLegend(colours: ReadonlyMap<CellValue, string>): LegendEntry[] {
  const named = Array.from(colours)
    .filter(([, one]) => one !== "unknown")
    .map(([label, one]): LegendEntry => [one, front(label, 60)]);
  return named.length < colours.size
    ? [...named, ["unknown", `${plural(colours.size - named.length, "other")}`]]
    : named;
}

export function acrossSection(report: Report): Section | null {
  const ranks = report.table("collective_ranks");
  const sizes = report.table("collective_sizes");
  if (ranks.empty || sizes.empty || report.job.ranks < 2) return null;
  const rows = sorted(ranks.rows(), (row) => ranks.number(row, "lead_ns"), true);
  if (!rows.some((row) => ranks.amount(row, "collectives") > 0)) return null;
  const fault = ranksAtFault(report.table("findings"), report.job.ranks);
  const [culprit] = sorted(rows, (row) => ranks.number(row, "caused_wait_ns"), true);
  return {
    id: "across",
    title: "Collectives over ranks",
    tables: ["collective_ranks", "collective_sizes", "collectives", "exposed_communication"],
    answer: fault ? (
      <>
        others wait for {visible(fault.who)} ({fault.finding})
      </>
    ) : (
      <>
        rank <CellSpan cell={ranks.cell(culprit ?? 0, "rank")} /> comes last to{" "}
        <CellSpan cell={ranks.cell(culprit ?? 0, "last_pct")} /> of its own; others wait{" "}
        <CellSpan cell={ranks.cell(culprit ?? 0, "caused_wait_ns")} />
      </>
    ),
    how: "A collective transfers when its last rank has come; what passes before is waiting for that one. Times are in one clock, made of the ends of collectives. A rank that is late waits little and lets the others wait.",
    body: (
      <>
        {lateRanks(report, ranks, rows)}
        {timelineOfStep(report)}
        {sizesOfCollectives(report, sizes)}
        {clocksNote(report)}
      </>
    ),
  };
}

function lateRanks(report: Report, ranks: Table, rows: readonly number[]) {
  const columns = [
    plain(ranks, "rank"),
    plain(ranks, "last_count", "comes last"),
    plain(ranks, "last_pct", "of its"),
    plain(ranks, "caused_wait_ns", "others wait for it"),
    timeBar(ranks, rows, "caused_wait_ns", "series-6"),
    plain(ranks, "lead_ns", "later than the next"),
    plain(ranks, "wait_ns", "waits itself"),
    timeBar(ranks, rows, "wait_ns", "waiting"),
    plain(ranks, "transfer_ns", "transfers"),
    plain(ranks, "collectives"),
  ];
  const known = sorted(
    ranks.rows().filter((row) => ranks.amount(row, "collectives") > 0),
    (row) => ranks.number(row, "rank"),
    false,
  );
  const allWaiting = known.reduce((sum, row) => sum + ranks.amount(row, "wait_ns"), 0);
  const bars = known.map(
    (row): RowBar => ({
      row,
      rank: ranks.get(row, "rank"),
      mark: allWaiting > 0 && ranks.amount(row, "caused_wait_ns") >= 0.2 * allWaiting,
      label: String(ranks.get(row, "rank")),
      title: `Rank ${ranks.get(row, "rank")}`,
      cells: {
        transfer: ranks.cell(row, "transfer_ns"),
        wait: ranks.cell(row, "wait_ns"),
        caused: ranks.cell(row, "caused_wait_ns"),
      },
      more: [
        ["", "later than the next", ranks.cell(row, "lead_ns")],
        ["", "comes last", ranks.cell(row, "last_count")],
        ["", "of collectives", ranks.cell(row, "collectives")],
      ],
    }),
  );
  const own = [
    {id: "transfer", label: "transfers", colour: "exposed_communication"},
    {id: "wait", label: "waits for others", colour: "waiting"},
  ];
  const caused = {id: "caused", label: "others wait for it (all together)", colour: "series-6"};
  const by = (id: string, label: string) => ({label, key: (bar: Bar) => Number(bar.cells[id]?.value ?? 0)});
  return (
    <>
      {bars.length < 3 ? null : (
        <>
          <Legend
            entries={[...own, caused]
              .map(
                (part): LegendEntry => [
                  part.colour,
                  part === caused ? `below: ${part.label}, at a scale of its own` : part.label,
                ],
              )
              .concat(bars.some((bar) => bar.mark) ? [["", "\u25c6 a fifth of all waiting, or more, is for it"]] : [])}
          />
          <StackedBars
            name="Waiting by rank"
            axis="rank"
            bars={bars}
            parts={own}
            under={caused}
            unit="ns"
            sorts={[by("caused", "others wait for it"), by("wait", "waits"), by("transfer", "transfers")]}
            difference={differenceOf(bars, [...own, caused])}
          />
        </>
      )}
      <DataTable columns={columns} rows={rows} most={8} />
      <Details source={report.table("collective_ranks")} columns={columns} rows={rows} title="Data of the ranks" />
    </>
  );
}

// Kinds of groups by lane: those whose collectives never run at the same time on a rank share one.
interface PlacedPart {
  readonly rank: number;
  readonly start: number;
  readonly end: number;
}
function lanesOfKinds(source: Table, rows: readonly number[], kinds: readonly CellValue[]): Map<CellValue, number> {
  const lanes: PlacedPart[][] = [];
  const partsOf = (kind: CellValue) =>
    rows
      .filter((row) => source.get(row, "groups") === kind)
      .map(
        (row): PlacedPart => ({
          rank: source.amount(row, "rank"),
          start: source.amount(row, "start_ns"),
          end: source.amount(row, "start_ns") + source.amount(row, "duration_ns"),
        }),
      );
  const collide = (all: PlacedPart[]) => {
    const order = all.sort((a, b) => a.rank - b.rank || a.start - b.start);
    return order.some((part, i) => {
      const before = order[i - 1];
      return before?.rank === part.rank && before.end > part.start;
    });
  };
  return new Map(
    kinds.map((kind) => {
      const own = partsOf(kind);
      const found = lanes.findIndex((others) => !collide([...others, ...own]));
      if (found < 0) return [kind, lanes.push(own) - 1];
      lanes[found]?.push(...own);
      return [kind, found];
    }),
  );
}

// The step of median length on one clock, as the table has it.
interface Step {
  readonly source: Table;
  readonly rows: readonly number[];
  readonly ranks: readonly number[];
  readonly kinds: readonly CellValue[];
  readonly begin: number;
  readonly end: number;
  readonly colours: Readonly<Record<"groups" | "op", ReadonlyMap<CellValue, string>>>;
}
function stepOf(report: Report): Step | null {
  const source = report.table("collective_timeline");
  if (source.empty) return null;
  const rows = source.rows();
  const sizes = report.table("collective_sizes");
  const present = (column: string) => {
    const found = new Set(rows.map((row) => source.get(row, column)));
    return [
      ...heaviestFirst(sizes, sizes.rows(), (row) => sizes.get(row, column)).filter((one) => found.delete(one)),
      ...found,
    ];
  };
  const kinds = present("groups");
  return {
    source,
    rows,
    kinds,
    ranks: distinct(rows.map((row) => source.amount(row, "rank"))).sort((a, b) => a - b),
    begin: rows.reduce((least, row) => Math.min(least, source.amount(row, "start_ns")), Infinity),
    end: rows.reduce(
      (most, row) => Math.max(most, source.amount(row, "start_ns") + source.amount(row, "duration_ns")),
      0,
    ),
    colours: {groups: coloursOf(kinds), op: coloursOf(present("op"))},
  };
}

// What the plot shows: all groups in their lanes, or the collectives of one kind.
function plotOfStep(
  {source, rows, ranks, kinds, begin, end, colours}: Step,
  by: "groups" | "op",
  only: CellValue,
): TimelineData {
  const rowOfRank = new Map(ranks.map((rank, i) => [rank, i]));
  const lastOf = new Map(
    rows.filter((row) => source.get(row, "is_last")).map((row) => [source.get(row, "collective"), row]),
  );
  const laneOf = lanesOfKinds(source, rows, kinds);
  const lastLines = (last: number | undefined, row: number): TipLine[] =>
    last === undefined
      ? []
      : [
          ["", last === row ? "comes last, rank" : "waits for rank", source.cell(last, "rank")],
          ["", "later than the next by", source.cell(last, "lead_ns")],
        ];
  const item = (row: number): TimelineItem => {
    const last = lastOf.get(source.get(row, "collective"));
    const start = source.amount(row, "start_ns") - begin;
    const op = words(source.get(row, "op"));
    return {
      row: rowOfRank.get(source.amount(row, "rank")) ?? 0,
      lane: only === null ? (laneOf.get(source.get(row, "groups")) ?? 0) : 0,
      start,
      end: start + source.amount(row, "duration_ns"),
      wait: source.number(row, "wait_ns"),
      key: source.get(row, "collective"),
      colour: colours[by].get(source.get(row, by)),
      isLast: source.get(row, "is_last") === true,
      text: op,
      title: `${op} ${source.get(row, "ordinal")} of ${front(source.get(row, "groups"), 60)}, rank ${source.get(row, "rank")}`,
      lines: () => [
        ["", "waits", source.cell(row, "wait_ns")],
        ["", "takes", source.cell(row, "duration_ns")],
        ["", "size", source.cell(row, "bytes")],
        ["", "begins", source.cell(row, "start_ns")],
        ...lastLines(last, row),
      ],
    };
  };
  return {
    rows: ranks.map((rank) => ({label: String(rank), rank})),
    lanes: only === null ? Math.max(...laneOf.values()) + 1 : 1,
    length: Math.max(1, end - begin),
    items: rows.filter((row) => only === null || source.get(row, "groups") === only).map(item),
  };
}

function StepKey({step, by}: {readonly step: Step; readonly by: "groups" | "op"}) {
  const named = new Map(Array.from(step.colours[by], ([label, one]) => [by === "op" ? words(label) : label, one]));
  return (
    <div>
      <Legend entries={coloursLegend(named)}>
        <PatternEntry colour="muted" kind="wait">
          light: waits for the last rank
        </PatternEntry>
        <PatternEntry colour="muted" kind="">
          strong: transfers
        </PatternEntry>
        <PatternEntry kind="arrival">came last</PatternEntry>
        {step.rows.some((row) => step.source.get(row, "wait_ns") === null) ? (
          <PatternEntry colour="muted" kind="unknown-wait">
            between: not known which
          </PatternEntry>
        ) : null}
      </Legend>
    </div>
  );
}

const colourings = ["groups", "op"] as const;

function TimelineOfStep({
  report,
  step,
  ranks: all,
}: {
  readonly report: Report;
  readonly step: Step;
  readonly ranks: number;
}) {
  const {source, rows, ranks, kinds} = step;
  const shownKinds = [null, ...kinds.slice(0, 6)];
  const [kind, setKind] = useState(0);
  const [colouring, setColouring] = useState(0);
  const by = kinds.length > 1 ? (colourings[colouring] ?? "groups") : "op";
  const data = useMemo(() => plotOfStep(step, by, shownKinds[kind] ?? null), [step, by, kind]);
  const number = source.get(rows[0] ?? -1, "step");
  const leftOut = source.amount(rows[0] ?? -1, "left_out");
  const some =
    ranks.length < all
      ? ` Of ${grouped(all)} ranks ${ranks.length} are shown: those that the others wait for most, and others evenly between.`
      : "";
  const names = [
    "rank",
    "groups",
    "op",
    "ordinal",
    "start_ns",
    "duration_ns",
    "wait_ns",
    "is_last",
    "lead_ns",
    "bytes",
  ];
  const columns = names.map((column) =>
    plain(
      source,
      column,
      words(column.replace(/_ns$/, "")),
      ["groups", "op", "is_last"].includes(column) ? "word" : undefined,
    ),
  );
  return (
    <>
      <h3>{number === null ? "All of them on one clock" : `Step ${number} on one clock`}</h3>
      <p class="how">
        {`${number === null ? "A row per rank." : `${stepInWords(report, number)}, a row per rank.`} Point at a collective to see it on all ranks: the line joins where they begin.${some}`}
      </p>
      {leftOut > 0 ? (
        <p class="note">{`The longest collectives are shown; ${plural(leftOut, "shorter part")} would not fit.`}</p>
      ) : null}
      {kinds.length < 2 ? null : (
        <div class="tools">
          Show
          <ChoiceButtons
            labels={shownKinds.map((one) => (one === null ? "all groups" : front(one, 40)))}
            chosen={kind}
            choose={setKind}
          />
          Colour by
          <ChoiceButtons labels={colourings} chosen={colouring} choose={setColouring} />
        </div>
      )}
      <TimelinePlot name="Timeline of collectives" data={data}>
        <StepKey step={step} by={by} />
      </TimelinePlot>
      <Details source={source} columns={columns} rows={rows} title="Data of the timeline" />
    </>
  );
}

function timelineOfStep(report: Report) {
  const step = stepOf(report);
  return step === null ? null : <TimelineOfStep report={report} step={step} ranks={report.job.ranks} />;
}

function sizesOfCollectives(report: Report, sizes: Table) {
  const all = sizes.rows();
  const hasLink = all.some((row) => sizes.get(row, "link_pct") !== null);
  const columns = [
    {label: "op", kind: "word", cell: (row: number) => sizes.cell(row, "op")},
    {label: "groups", kind: "name", cell: (row: number) => sizes.cell(row, "groups")},
    plain(sizes, "bytes", "size"),
    plain(sizes, "count"),
    plain(sizes, "device_ns", "device"),
    timeBar(sizes, all, "device_ns", "exposed_communication"),
    ...(hasLink ? [] : [plain(sizes, "share_pct", "share")]),
    plain(sizes, "wait_pct", "waiting"),
    plain(sizes, "median_transfer_ns", "median transfer"),
    plain(sizes, "bus_bandwidth", "on the bus"),
    hasLink ? plain(sizes, "link_pct", "of the link") : plain(sizes, "outliers", "slow ones"),
  ];
  const more = [
    ...columns,
    ...(hasLink
      ? [plain(sizes, "outliers", "slow ones"), plain(sizes, "link_peak", "link"), plain(sizes, "share_pct", "share")]
      : []),
    plain(sizes, "max_transfer_ns", "longest"),
    plain(sizes, "median_skew_ns", "median skew"),
    plain(sizes, "incomplete"),
    plain(sizes, "fit_latency_ns", "latency"),
    plain(sizes, "fit_bus_bandwidth", "bandwidth of large ones"),
  ];
  return (
    <>
      <h3>By op and size</h3>
      {bandwidthOfSizes(sizes)}
      <DataTable columns={columns} rows={all} most={12} />
      <Details source={report.table("collective_sizes")} columns={more} rows={all} title="Data of the sizes" />
    </>
  );
}

// Collectives of a few bytes, which are nothing but latency, would take most of the plot.
const leastBytesDrawn = 1000;

function bandwidthOfSizes(sizes: Table) {
  const known = sorted(
    sizes.rows().filter((row) => sizes.amount(row, "bytes") > 0 && sizes.amount(row, "bus_bandwidth") > 0),
    (row) => sizes.number(row, "device_ns"),
    true,
  );
  const placed = known.filter((row) => sizes.amount(row, "bytes") >= leastBytesDrawn);
  if (placed.length < 2) return null;
  const colours = coloursOf(heaviestFirst<CellValue>(sizes, placed, (row) => kindOf(sizes, row)));
  const points = placed.map(
    (row): LogPoint => ({
      x: sizes.amount(row, "bytes"),
      y: sizes.amount(row, "bus_bandwidth"),
      size: sizes.amount(row, "device_ns"),
      colour: colours.get(kindOf(sizes, row)),
      title: `${front(kindOf(sizes, row), 100)}, ${human(sizes.get(row, "bytes"), "bytes")}`,
      lines: [
        ["", "size", sizes.cell(row, "bytes")],
        ["", "on the bus", sizes.cell(row, "bus_bandwidth")],
        ["", "of the link", sizes.cell(row, "link_pct")],
        ["", "median transfer", sizes.cell(row, "median_transfer_ns")],
        ["", "latency (fit)", sizes.cell(row, "fit_latency_ns")],
        ["", "bandwidth of large ones (fit)", sizes.cell(row, "fit_bus_bandwidth")],
        ["", "device time", sizes.cell(row, "device_ns")],
        ["", "collectives", sizes.cell(row, "count")],
      ],
    }),
  );
  const fits = Array.from(colours.keys())
    .map((kind) => placed.filter((row) => kindOf(sizes, row) === kind))
    .flatMap((rows) => {
      const bytes = rows.map((row) => sizes.amount(row, "bytes"));
      const row = rows[0] ?? -1;
      if (sizes.get(row, "fit_bus_bandwidth") === null) return [];
      const fit = {
        colour: colours.get(kindOf(sizes, row)),
        latency: sizes.amount(row, "fit_latency_ns"),
        rate: sizes.amount(row, "fit_bus_bandwidth"),
        // Bytes on the bus for each of the buffer.
        factor:
          (sizes.amount(row, "bus_bandwidth") * sizes.amount(row, "median_transfer_ns")) /
          1e9 /
          sizes.amount(row, "bytes"),
        low: Math.min(...bytes) / 1.5,
        high: Math.max(...bytes) * 1.5,
      };
      return [fit];
    });
  const peaks = distinct(
    sizes
      .rows()
      .map((row) => sizes.number(row, "link_peak"))
      .filter((peak) => peak !== null),
  );
  return (
    <>
      <p class="how">{`Bus bandwidth of the median transfer, waiting left out; the area of a point is its device time.${fits.length ? " A line is latency and bandwidth fitted to the sizes of an op: left of its bend the latency is paid, and merging small collectives gains." : ""}${peaks.length ? " The horizontal line is the peak of the links inside a host." : ""}${placed.length < known.length ? ` Sizes below ${human(leastBytesDrawn, "bytes")} stand in the table only.` : ""}`}</p>
      <Legend entries={coloursLegend(colours)} />
      <BandwidthPlot name="Bandwidth by size" points={points} fits={fits} peaks={peaks} />
    </>
  );
}

function clocksNote(report: Report) {
  const clocks = report.table("clocks");
  if (clocks.empty) return null;
  const alone = clocks.rows().filter((row) => !clocks.get(row, "aligned"));
  const columns = [
    plain(clocks, "rank"),
    {label: "aligned", kind: "word", cell: (row: number) => clocks.cell(row, "aligned")},
    plain(clocks, "reference_rank", "reference"),
    plain(clocks, "linked_by", "by"),
    plain(clocks, "offset_ns", "offset"),
    plain(clocks, "drift_ppm", "drift"),
    plain(clocks, "uncertainty_ns", "uncertainty"),
    plain(clocks, "collectives"),
    plain(clocks, "violations"),
    plain(clocks, "send_violations"),
  ];
  return (
    <div>
      {alone.length ? (
        <p class="note">{`${plural(alone.length, "rank")} shown here ${alone.length === 1 ? "is" : "are"} linked with no other by collectives, or by sends both ways: nothing is known of waiting there.`}</p>
      ) : null}
      <Details source={report.table("clocks")} columns={columns} rows={clocks.rows()} title="Clocks" />
    </div>
  );
}
