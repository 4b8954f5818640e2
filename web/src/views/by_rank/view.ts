// The division of device time, a bar per rank: all parts, and the idle ones alone.

import {el} from "../../draw/dom";
import {legend} from "../../draw/legend";
import {type Bar, type RowBar, stackedBars} from "../../draw/stacked_bars";
import {distinct, sorted} from "../../model/order";
import {type Cell, type CellValue, table} from "../../model/report";
import {type Part, idleParts, partById, parts} from "../../model/vocabulary";
import {leastShare} from "../job_time/view";
import {type Column, details} from "../shared/data_table";
import {foldAway, section} from "../shared/section";

// Ranks that differ much from the others in how their time is divided.
function outlierRanks() {
  const source = table("rank_metrics");
  const counts = (metric: CellValue) => partById.has(metric) || metric === "idle" || metric === "step_time";
  return new Set(
    source
      .where("outlier", true)
      .filter((row) => counts(source.get(row, "metric")))
      .map((row) => source.get(row, "rank")),
  );
}

interface DeviceBar extends RowBar {
  readonly rank: CellValue;
  readonly device: CellValue;
}

// A bar per device from the rows of rank_breakdown.
function deviceBars(): DeviceBar[] {
  const source = table("rank_breakdown");
  const found = new Map<string, {rank: CellValue; device: CellValue; row: number; cells: Record<string, Cell>}>();
  for (const row of source.rows()) {
    const rank = source.get(row, "rank");
    const device = source.get(row, "device");
    const key = `${rank}/${device}`;
    let bar = found.get(key);
    if (bar === undefined) found.set(key, (bar = {rank, device, row, cells: {}}));
    bar.cells[source.text(row, "part")] = source.cell(row, "share_pct");
  }
  const devices = Array.from(found.values());
  const outliers = outlierRanks();
  const hasSeveral = distinct(devices.map((one) => one.rank)).length < devices.length;
  return devices.map((one) => ({
    ...one,
    label: hasSeveral ? `${one.rank}:${one.device}` : String(one.rank),
    mark: outliers.has(one.rank),
    title: `Rank ${one.rank}, device ${one.device}`,
  }));
}

// A row per device, a column per part.
function deviceColumns(chosen: readonly Part[]): Column<DeviceBar>[] {
  const source = table("rank_breakdown");
  return [
    {label: "rank", cell: (bar) => source.cell(bar.row, "rank")},
    {label: "device", cell: (bar) => source.cell(bar.row, "device")},
    ...chosen.map((part) => ({
      label: part.label.replace("idle: ", ""),
      cell: (bar: DeviceBar) => bar.cells[part.id] || {value: null, unit: "%", type: "double", id: ""},
    })),
  ];
}

function byPart(part: string, label: string) {
  return {label, key: (bar: Bar) => bar.cells[part]?.value ?? null};
}

export function byRankSection() {
  const bars = deviceBars();
  // The bars of one device are those of the job.
  if (bars.length < 2) return null;
  const present = parts.filter((part) => bars.some((bar) => bar.cells[part.id]));
  return section(
    "by-rank",
    "Device time by rank",
    "Each bar is the time of one device, divided as above. In a job that trains together, a rank with much computing and little communication is one that the others wait for. A diamond marks a rank that differs much from the others.",
    legend(present.map((part) => [part.colour, part.label])),
    stackedBars({
      name: "Device time by rank",
      axis: "rank",
      bars,
      parts: present,
      unit: "%",
      most: 100,
      sorts: parts.filter((part) => !part.idle).map((part) => byPart(part.id, part.label)),
      difference: differenceOf(bars, present),
    }),
    details("rank_breakdown", deviceColumns(present), bars),
  );
}

export function idleSection() {
  const bars = deviceBars();
  const present = idleParts.filter((part) => bars.some((bar) => shareIn(bar, part) > 0));
  if (bars.length < 2) return null;
  if (present.length === 0)
    return section("idle", "Idle time by cause", null, el("p", {class: "empty"}, "No device was ever idle."));
  const job = table("job_breakdown");
  const share = (part: Part) => {
    const row = job.where("part", part.id)[0];
    return row === undefined ? 0 : job.number(row, "share_pct");
  };
  const largest = sorted(present, share, true).slice(0, 3);
  const node = section(
    "idle",
    "Idle time by cause",
    "The idle part of the bars above at a scale of its own: why the device had nothing to do. Unknown means that the trace does not show a cause.",
    legend(present.map((part) => [part.colour, part.label.replace("idle: ", "")])),
    stackedBars({
      name: "Idle time by cause",
      axis: "rank",
      bars,
      parts: present.map((part) => ({...part, label: part.label.replace("idle: ", "")})),
      unit: "%",
      most: null,
      sorts: largest.map((part) => byPart(part.id, part.label.replace("idle: ", ""))),
      difference: differenceOf(bars, present),
    }),
    details("rank_breakdown", deviceColumns(present), bars),
  );
  const isBusy = bars.every((bar) => present.every((part) => shareIn(bar, part) < leastShare));
  return isBusy ? foldAway(node, "No device is idle for 1 % of its time by any cause.") : node;
}

interface PartOfBar {
  readonly id: string;
}
function shareIn(bar: Bar, part: PartOfBar): number {
  return Number(bar.cells[part.id]?.value ?? 0);
}

// How far a bar is off the others: the largest distance of its parts from their medians.
export function differenceOf(bars: readonly Bar[], chosen: readonly PartOfBar[]): (bar: Bar) => number {
  const medians = new Map(
    chosen.map((part) => {
      const values = bars.map((bar) => shareIn(bar, part)).sort((a, b) => a - b);
      return [part.id, values[Math.floor(values.length / 2)] ?? 0];
    }),
  );
  return (bar) => Math.max(...chosen.map((part) => Math.abs(shareIn(bar, part) - (medians.get(part.id) ?? 0))));
}
