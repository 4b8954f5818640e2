// Where memory goes: how high it gets, when, what holds it there, whether it grows, and what asking for more costs.

import {el, front} from "../../draw/dom";
import {legend} from "../../draw/legend";
import {lineChart} from "../../draw/line_chart";
import {type Bar, type RowBar, manyBars, stackedBars} from "../../draw/stacked_bars";
import {grouped, human, words} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import {type Table, report, table} from "../../model/report";
import {differenceOf} from "../by_rank/view";
import {timeBar} from "../ops_and_modules/view";
import {dataTable, details, plain} from "../shared/data_table";
import {rangeTables} from "../shared/range_table";
import {section} from "../shared/section";
import {cellSpan} from "../shared/tiles";

function memoryKey(source: Table, row: number) {
  return ["rank", "capture", "device_type", "device"].map((name) => source.get(row, name)).join("/");
}
function memoryName(source: Table, row: number): string {
  const device = source.get(row, "device");
  const name = device === null ? source.text(row, "device_type") : `${source.get(row, "device_type")} ${device}`;
  return report.job.ranks === 1 ? name : `rank ${source.get(row, "rank")}, ${name}`;
}

// A bar per device, or a row where there are few.
function memoryPeaks() {
  const source = table("memory_peaks");
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
  const heading = el("h3", {}, "Peak of every device");
  if (onDevices.length < 4) {
    const order = sorted(rows, (row) => source.number(row, "peak_bytes"), true);
    return [heading, dataTable(columns, order, 12), order.length > 12 ? details("memory_peaks", columns, order) : null];
  }
  // Many that are alike need no bars.
  const byPeak = sorted(onDevices, (row) => source.number(row, "peak_bytes"), false);
  const [least, most] = [byPeak[0], byPeak[byPeak.length - 1]];
  if (onDevices.length > manyBars && source.amount(most, "peak_bytes") < 1.01 * source.amount(least, "peak_bytes")) {
    return [
      heading,
      el(
        "p",
        {class: "said"},
        `The ${grouped(onDevices.length)} devices hardly differ: `,
        cellSpan(source.cell(least, "peak_bytes")),
        " to ",
        cellSpan(source.cell(most, "peak_bytes")),
        " at their peaks.",
      ),
      details("memory_peaks", columns, rows),
    ];
  }
  const hasSeveral = distinct(onDevices.map((row) => source.get(row, "rank"))).length < onDevices.length;
  const spread = table("over_ranks").where("analysis", "memory_peaks");
  const bars = onDevices.map(
    (row): RowBar => ({
      row,
      rank: source.get(row, "rank"),
      label: hasSeveral ? `${source.get(row, "rank")}:${source.get(row, "device")}` : String(source.get(row, "rank")),
      title: memoryName(source, row),
      cells: {peak: source.cell(row, "peak_bytes")},
      more: [
        ["", "reserved in that step", source.cell(row, "peak_reserved_bytes")],
        ["", "step", source.cell(row, "step")],
      ],
    }),
  );
  return [
    heading,
    el("p", {class: "how"}, "The most that was allocated at any time, in the step in which that was."),
    stackedBars({
      name: "Memory peak by rank",
      axis: "rank",
      bars,
      parts: [{id: "peak", label: "allocated", colour: "compute"}],
      unit: "bytes",
      most: null,
      sorts: [{label: "peak", key: (bar: Bar) => bar.cells.peak?.value ?? null}],
      difference: differenceOf(bars, [{id: "peak"}]),
    }),
    details("memory_peaks", columns, rows),
    spread.length ? rangeTables(spread, {keyLabel: "memory of", main: ["peak", "reserved"]}) : null,
  ];
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
function memoryCurves() {
  const levels = table("memory_over_time");
  const holders = table("memory_at_peak");
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
  const isHost = (rows: readonly number[]) => levels.get(rows[0], "device_type") === "cpu";
  const order = Array.from(groups.values()).sort(
    (a, b) => Number(isHost(a)) - Number(isHost(b)) || highest(b) - highest(a),
  );
  const chartOf = (rows: readonly number[]) => {
    const hasReserved = rows.some((row) => levels.get(row, "reserved_bytes") !== null);
    const series = [
      ["allocated_bytes", "allocated", "series-1"],
      ...(hasReserved ? [["reserved_bytes", "reserved", "series-2"]] : []),
    ].map(([name, label, colourName]) => ({
      label,
      colour: colourName,
      rankAt: (i: number) => levels.get(rows[i], "rank"),
      width: 1.5,
      stepped: true,
      values: rows.map((row) => levels.number(row, name)),
      cell: (i: number) => levels.cell(rows[i], name),
    }));
    return {
      name: "Memory over time",
      unit: "bytes",
      title: (i: number) => `${memoryName(levels, rows[i])} at ${human(levels.number(rows[i], "ts_ns"), "ns")}`,
      series,
      x: {
        label: "time from the job's origin",
        values: rows.map((row) => levels.amount(row, "ts_ns")),
        format: (value: number) => human(value, "ns"),
      },
    };
  };
  const heldColumns = (rows: readonly number[]) => {
    const texts = [
      ["op", "op", "word"],
      ["module", "module", "word"],
      ["annotation", "annotation", "word"],
      ["stack", "Python frames", "text"],
    ].filter(([name]) => rows.some((row) => holders.get(row, name) !== null));
    return [
      plain(holders, "bytes", "holds"),
      plain(holders, "share_pct", "share"),
      timeBar(holders, rows, "bytes", "compute"),
      plain(holders, "count", "allocations"),
      ...texts.map(([name, label, kind]) => ({
        ...plain(holders, name, label, kind),
        text: (row: number) => front(shortHolder(holders.text(row, name)), 120),
      })),
    ];
  };
  const held = el("div");
  const chart = lineChart(chartOf(order[0]));
  const pick = (rows: readonly number[]) => {
    chart.change(chartOf(rows));
    const those = holders.rows().filter((row) => memoryKey(holders, row) === memoryKey(levels, rows[0]));
    held.replaceChildren(
      ...(those.length
        ? [
            el("h3", {}, `What holds the peak of ${memoryName(holders, those[0])}`),
            dataTable(heldColumns(those), those, 12),
            details("memory_at_peak", heldColumns(those), those),
          ]
        : []),
    );
  };
  const buttons = order.map((rows, i) =>
    el(
      "button",
      {
        type: "button",
        "data-shows": levels.get(rows[0], "rank"),
        "aria-pressed": String(i === 0),
        onclick: () => {
          buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === i)));
          pick(rows);
        },
      },
      memoryName(levels, rows[0]),
    ),
  );
  const columns = ["rank", "device_type", "device", "ts_ns", "allocated_bytes", "reserved_bytes"].map((name) =>
    plain(levels, name, words(name.replace(/_(ns|bytes)$/, "")), name === "device_type" ? "word" : undefined),
  );
  pick(order[0]);
  const some = order.length < table("memory_peaks").count ? " The devices whose memory gets highest:" : "";
  return [
    el("h3", {}, "Over time"),
    el(
      "p",
      {class: "how"},
      `Highest levels in parts of equal length. Reserved is what the allocator holds; the distance to allocated is cached or fragmented memory.${some}`,
    ),
    el("div", {class: "tools"}, buttons),
    legend([
      ["series-1", "allocated"],
      ["series-2", "reserved"],
    ]),
    chart,
    details("memory_over_time", columns, levels.rows()),
    held,
  ];
}

function memoryGrowth() {
  const source = table("memory_growth");
  if (source.total === 0) return null;
  const heading = el("h3", {}, "Growth from step to step");
  if (source.empty) return [heading, el("p", {class: "empty"}, "No growth was found over the complete steps.")];
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
  return [
    heading,
    el(
      "p",
      {class: "how"},
      "The slope of the levels at the ends of steps. With p below 0.05 it is hardly chance; fewer than five steps cannot show that. The first steps of a job grow by design.",
    ),
    dataTable(columns, rows, 12),
    rows.length > 12 ? details("memory_growth", columns, rows) : null,
  ];
}

function allocatorCalls() {
  const source = table("allocator_calls");
  if (source.empty) return null;
  const heading = el("h3", {}, "Calls that ask the driver for memory");
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
  return [
    heading,
    steady.length
      ? [
          el(
            "p",
            {class: "how"},
            "After the first step the caching allocator should have what it needs. Calls that remain come from fragmentation, changing shapes or emptied caches; the device's idle time meanwhile is the most that they cost.",
          ),
          dataTable(columns, steady, 12),
        ]
      : el("p", {class: "empty"}, "None after the first step."),
    details("allocator_calls", columns, source.rows()),
  ];
}

export function memorySection() {
  const hasTables = ["memory_peaks", "memory_over_time", "allocator_calls"].some((name) => report.tables[name]);
  if (!hasTables) return null;
  const levels = [memoryPeaks(), memoryCurves(), memoryGrowth()];
  const calls = allocatorCalls();
  const none = levels.every((part) => part === null)
    ? el(
        "p",
        {class: "empty"},
        "No allocations were recorded: ",
        el("code", {}, "profile(profile_memory=True)"),
        " records them.",
      )
    : null;
  return section(
    "memory",
    "Memory",
    none
      ? null
      : "What PyTorch's allocators had handed out, of each device. Memory that goes past them (communication buffers, the device's context) is not in it.",
    none,
    levels,
    calls,
  );
}
