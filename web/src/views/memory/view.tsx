// Where memory goes: how high it gets, when, what holds it there, whether it grows, and what asking for more costs.

import type {ComponentChildren} from "preact";
import {useMemo, useState} from "preact/hooks";
import {CellSpan} from "../../draw/cells";
import {Legend} from "../../draw/legend";
import {type Line, LineChart, type LineData} from "../../draw/line_chart";
import {type Bar, manyBars, type RowBar, StackedBars} from "../../draw/stacked_bars";
import {grouped, human, words} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import {type Report, type Table} from "../../model/report";
import {front} from "../../model/text";
import {differenceOf} from "../by_rank/view";
import {ChoiceButtons} from "../shared/choice_buttons";
import {type Column, DataTable, Details, plain} from "../shared/data_table";
import {RangeTables, timeBar} from "../shared/range_table";
import type {Section} from "../shared/section";

function memoryKey(source: Table, row: number) {
  return ["rank", "capture", "device_type", "device"].map((name) => source.get(row, name)).join("/");
}
function memoryName(report: Report, source: Table, row: number): string {
  const device = source.get(row, "device");
  const name = device === null ? source.text(row, "device_type") : `${source.get(row, "device_type")} ${device}`;
  return report.job.ranks === 1 ? name : `rank ${source.get(row, "rank")}, ${name}`;
}

// A bar per device, or a row where there are few.
function memoryPeaks(report: Report) {
  const source = report.table("memory_peaks");
  const rows = source.rows().filter((row) => source.get(row, "peak_bytes") !== null);
  if (rows.length === 0) return null;
  const columns = [
    plain(source, "rank"),
    plain(source, "device_type", "memory of", "word"),
    plain(source, "device"),
    plain(source, "peak_bytes", "peak"),
    plain(source, "peak_reserved_bytes", "reserved"),
    plain(source, "step", "in step"),
    plain(source, "peak_ts_ns", "reached at"),
    plain(source, "begin_bytes", "at its begin"),
    plain(source, "end_bytes", "at its end"),
    plain(source, "allocations"),
  ];
  const onDevices = rows.filter((row) => source.get(row, "device_type") !== "cpu");
  const heading = <h3>Peak of every device</h3>;
  if (onDevices.length < 4) {
    const order = sorted(rows, (row) => source.number(row, "peak_bytes"), true);
    return (
      <>
        {heading}
        <DataTable columns={columns} rows={order} most={12} />
        {order.length > 12 ? <Details source={report.table("memory_peaks")} columns={columns} rows={order} /> : null}
      </>
    );
  }
  // Many that are alike need no bars.
  const byPeak = sorted(onDevices, (row) => source.number(row, "peak_bytes"), false);
  const [least, most] = [byPeak[0] ?? -1, byPeak.at(-1) ?? -1];
  if (onDevices.length > manyBars && source.amount(most, "peak_bytes") < 1.01 * source.amount(least, "peak_bytes")) {
    return (
      <>
        {heading}
        <p class="said">
          {`The ${grouped(onDevices.length)} devices hardly differ: `}
          <CellSpan cell={source.cell(least, "peak_bytes")} />
          {" to "}
          <CellSpan cell={source.cell(most, "peak_bytes")} />
          {" at their peaks."}
        </p>
        <Details source={report.table("memory_peaks")} columns={columns} rows={rows} />
      </>
    );
  }
  const hasSeveral = distinct(onDevices.map((row) => source.get(row, "rank"))).length < onDevices.length;
  const spread = report.table("over_ranks").where("analysis", "memory_peaks");
  const bars = onDevices.map(
    (row): RowBar => ({
      row,
      rank: source.get(row, "rank"),
      label: hasSeveral ? `${source.get(row, "rank")}:${source.get(row, "device")}` : String(source.get(row, "rank")),
      title: memoryName(report, source, row),
      cells: {peak: source.cell(row, "peak_bytes")},
      more: [
        ["", "reserved in that step", source.cell(row, "peak_reserved_bytes")],
        ["", "step", source.cell(row, "step")],
      ],
    }),
  );
  return (
    <>
      {heading}
      <p class="how">The most that was allocated at any time, in the step in which that was.</p>
      <StackedBars
        name="Memory peak by rank"
        axis="rank"
        bars={bars}
        parts={[{id: "peak", label: "allocated", colour: "series-1"}]}
        unit="bytes"
        sorts={[{label: "peak", key: (bar: Bar) => bar.cells.peak?.value ?? null}]}
        difference={differenceOf(bars, [{id: "peak"}])}
      />
      <Details source={report.table("memory_peaks")} columns={columns} rows={rows} />
      {spread.length ? (
        <RangeTables report={report} rows={spread} keyLabel="memory of" main={["peak", "reserved"]} />
      ) : null}
    </>
  );
}

// "nn.Module: Linear_3" -> "Linear_3"; "a/b.py(1): f < c/d.py(2): g" -> "b.py(1): f < d.py(2): g"; addresses of objects are left out.
function shortHolder(text: string) {
  return text
    .slice(0, 1000)
    .replace(/ at 0x[0-9a-f]+/g, "")
    .replace(/^nn\.Module: /, "")
    .split(" < ")
    .map((frame) => frame.replace(/^[^<>]*\/(?=[^/]*\(\d+\): )/, "").replace(/^nn\.Module: /, ""))
    .join(" < ");
}

// The curve of one device and what holds its memory at the peak; the reader picks the device.
function memoryCurves(report: Report) {
  const levels = report.table("memory_over_time");
  const groups = new Map<string, number[]>();
  for (const row of levels.rows()) {
    const key = memoryKey(levels, row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  if (groups.size === 0) return null;
  const highest = (rows: readonly number[]) =>
    Math.max(...rows.map((row) => levels.number(row, "allocated_bytes") || 0));
  // Devices before hosts, the highest first.
  const isHost = (rows: readonly number[]) => levels.get(rows[0] ?? -1, "device_type") === "cpu";
  const order = Array.from(groups.values()).sort(
    (a, b) => Number(isHost(a)) - Number(isHost(b)) || highest(b) - highest(a),
  );
  const columns = ["rank", "device_type", "device", "ts_ns", "allocated_bytes", "reserved_bytes"].map((name) =>
    plain(levels, name, words(name.replace(/_(ns|bytes)$/, "")), name === "device_type" ? "word" : undefined),
  );
  const some = order.length < report.table("memory_peaks").count ? " The devices whose memory gets highest:" : "";
  return (
    <>
      <h3>Over time</h3>
      <p class="how">{`Highest levels in parts of equal length. Reserved is what the allocator holds; the distance to allocated is cached or fragmented memory.${some}`}</p>
      <MemoryCurves report={report} devices={order}>
        <Details source={levels} columns={columns} rows={levels.rows()} />
      </MemoryCurves>
    </>
  );
}

// What is drawn of the rows of a device.
function curveOf(levels: Table, rows: readonly number[]): Pick<LineData, "series" | "x"> {
  const hasReserved = rows.some((row) => levels.get(row, "reserved_bytes") !== null);
  const line = (name: string, label: string, colour: string): Line => ({
    label,
    colour,
    rankAt: (i) => levels.get(rows[i] ?? -1, "rank"),
    width: 1.5,
    stepped: true,
    values: rows.map((row) => levels.number(row, name)),
    cell: (i) => levels.cell(rows[i] ?? -1, name),
  });
  return {
    series: [
      line("allocated_bytes", "allocated", "series-1"),
      ...(hasReserved ? [line("reserved_bytes", "reserved", "series-2")] : []),
    ],
    x: {
      label: "time from the job's origin",
      values: rows.map((row) => levels.amount(row, "ts_ns")),
      format: (value: number) => human(value, "ns"),
    },
  };
}

function heldColumns(holders: Table, rows: readonly number[]): Column[] {
  const texts = (
    [
      ["op", "op", "word"],
      ["module", "module", "word"],
      ["annotation", "annotation", "word"],
      ["stack", "Python frames", "text"],
    ] as const
  ).filter(([name]) => rows.some((row) => holders.get(row, name) !== null));
  return [
    plain(holders, "bytes", "holds"),
    plain(holders, "share_pct", "share"),
    timeBar(holders, rows, "bytes", "series-1"),
    plain(holders, "count", "allocations"),
    ...texts.map(([name, label, kind]) => ({
      ...plain(holders, name, label, kind),
      text: (row: number) => front(shortHolder(holders.text(row, name)), 120),
    })),
  ];
}

interface MemoryCurves {
  readonly report: Report;
  readonly devices: readonly (readonly number[])[];
  readonly children: ComponentChildren;
}
function MemoryCurves({report, devices, children}: MemoryCurves) {
  const [chosen, choose] = useState(0);
  const levels = report.table("memory_over_time");
  const holders = report.table("memory_at_peak");
  const rows = devices[chosen] ?? [];
  const first = (those: readonly number[]) => those[0] ?? -1;
  const {series, x} = useMemo(() => curveOf(levels, rows), [levels, rows]);
  const held = holders.rows().filter((row) => memoryKey(holders, row) === memoryKey(levels, first(rows)));
  return (
    <>
      <div class="tools">
        <ChoiceButtons
          labels={devices.map((one) => memoryName(report, levels, first(one)))}
          ranks={devices.map((one) => levels.text(first(one), "rank"))}
          chosen={chosen}
          choose={choose}
        />
      </div>
      <Legend
        entries={[
          ["series-1", "allocated"],
          ["series-2", "reserved"],
        ]}
      />
      <LineChart
        name="Memory over time"
        unit="bytes"
        title={(i) =>
          `${memoryName(report, levels, rows[i] ?? -1)} at ${human(levels.number(rows[i] ?? -1, "ts_ns"), "ns")}`
        }
        series={series}
        x={x}
      />
      {children}
      <div>
        {held.length === 0 ? null : (
          <>
            <h3>{`What holds the peak of ${memoryName(report, holders, first(held))}`}</h3>
            <DataTable key={chosen} columns={heldColumns(holders, held)} rows={held} most={12} />
            <Details key={`data ${chosen}`} source={holders} columns={heldColumns(holders, held)} rows={held} />
          </>
        )}
      </div>
    </>
  );
}

function memoryGrowth(report: Report) {
  const source = report.table("memory_growth");
  if (source.total === 0) return null;
  const heading = <h3>Growth from step to step</h3>;
  if (source.empty)
    return (
      <>
        {heading}
        <p class="empty">No growth was found over the complete steps.</p>
      </>
    );
  const rows = sorted(source.rows(), (row) => source.number(row, "bytes_per_step"), true);
  const columns = [
    plain(source, "rank"),
    plain(source, "device_type", "memory of", "word"),
    plain(source, "device"),
    plain(source, "bytes_per_step", "per step"),
    plain(source, "p_value", "p"),
    plain(source, "steps"),
    plain(source, "first_end_bytes", "first step's end"),
    plain(source, "last_end_bytes", "last step's end"),
    plain(source, "growth_bytes", "growth"),
  ];
  return (
    <>
      {heading}
      <p class="how">
        The slope of the levels at the ends of steps. With p below 0.05 it is hardly chance; fewer than five steps
        cannot show that. The first steps of a job grow by design.
      </p>
      <DataTable columns={columns} rows={rows} most={12} />
      {rows.length > 12 ? <Details source={report.table("memory_growth")} columns={columns} rows={rows} /> : null}
    </>
  );
}

function allocatorCalls(report: Report) {
  const source = report.table("allocator_calls");
  if (source.empty) return null;
  const heading = <h3>Calls that ask the driver for memory</h3>;
  const columns = [
    plain(source, "rank"),
    plain(source, "step"),
    plain(source, "call", "call", "word"),
    plain(source, "action", "action", "word"),
    plain(source, "count"),
    plain(source, "total_ns", "host time"),
    plain(source, "max_ns", "longest"),
    plain(source, "idle_ns", "device idle meanwhile"),
    plain(source, "steady", "after the first step"),
  ];
  const steady = sorted(source.where("steady", true), (row) => source.number(row, "idle_ns"), true);
  return (
    <>
      {heading}
      {steady.length ? (
        <>
          <p class="how">
            After the first step the caching allocator should have what it needs. Calls that remain come from
            fragmentation, changing shapes or emptied caches; the device's idle time meanwhile is the most that they
            cost.
          </p>
          <DataTable columns={columns} rows={steady} most={12} />
        </>
      ) : (
        <p class="empty">None after the first step.</p>
      )}
      <Details source={report.table("allocator_calls")} columns={columns} rows={source.rows()} />
    </>
  );
}

export function memorySection(report: Report): Section | null {
  const hasTables = ["memory_peaks", "memory_over_time", "allocator_calls"].some((name) => report.has(name));
  if (!hasTables) return null;
  const levels = [memoryPeaks(report), memoryCurves(report), memoryGrowth(report)];
  const calls = allocatorCalls(report);
  const none = levels.every((part) => part === null) ? (
    <p class="empty">
      {"No allocations were recorded: "}
      <code>profile(profile_memory=True)</code>
      {" records them."}
    </p>
  ) : null;
  return {
    id: "memory",
    title: "Memory",
    tables: ["memory_peaks", "memory_over_time", "memory_growth", "memory_outliving", "allocator_calls"],
    how: none
      ? null
      : "What PyTorch's allocators had handed out, of each device. Memory that goes past them (communication buffers, the device's context) is not in it.",
    body: (
      <>
        {none}
        {levels}
        {calls}
      </>
    ),
  };
}
