// The division of device time, a bar per rank: all parts, and the idle ones alone.

import {CellSpan} from "../../draw/cells";
import {Legend} from "../../draw/legend";
import {type Bar, type RowBar, StackedBars} from "../../draw/stacked_bars";
import {exposedCells, exposedParts} from "../../model/exposed";
import {distinct, sorted} from "../../model/order";
import type {Cell, CellValue, Report} from "../../model/report";
import type {DevicePart, Part} from "../../model/vocabulary";
import {leastShare} from "../job_time/view";
import {type Column, Details} from "../shared/data_table";
import type {Section} from "../shared/section";

// Ranks that differ much from the others in how their time is divided.
function outlierRanks(report: Report) {
  const source = report.table("rank_metrics");
  const counts = (metric: CellValue) =>
    report.words.partById.has(metric) || metric === "idle" || metric === "step_time";
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
function deviceBars(report: Report): DeviceBar[] {
  const source = report.table("rank_breakdown");
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
  const outliers = outlierRanks(report);
  const hasSeveral = distinct(devices.map((one) => one.rank)).length < devices.length;
  return devices.map((one) => ({
    ...one,
    // A rank's communication is divided over all of its devices together.
    cells: hasSeveral ? one.cells : divided(one.cells, exposedCells(report, one.rank)),
    label: hasSeveral ? `${one.rank}:${one.device}` : String(one.rank),
    mark: outliers.has(one.rank),
    title: `Rank ${one.rank}, device ${one.device}`,
  }));
}

function divided(
  cells: Readonly<Record<string, Cell>>,
  exposed: Readonly<Record<string, Cell>> | null,
): Readonly<Record<string, Cell>> {
  if (exposed === null) return cells;
  const {exposed_communication: _, ...others} = cells;
  return {...others, ...exposed};
}

// The parts that a bar may have, with exposed communication divided as far as it is known.
function partsOf(report: Report): readonly DevicePart[] {
  return report.words.parts.flatMap((part) => (part.id === "exposed_communication" ? [...exposedParts, part] : [part]));
}

// A row per device, a column per part.
function deviceColumns(report: Report, chosen: readonly Part[]): Column<DeviceBar>[] {
  const source = report.table("rank_breakdown");
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

export function byRankSection(report: Report): Section | null {
  const bars = deviceBars(report);
  // The bars of one device are those of the job.
  if (bars.length < 2) return null;
  const present = partsOf(report).filter((part) => bars.some((bar) => bar.cells[part.id]));
  return {
    id: "by-rank",
    title: "Device time by rank",
    tables: ["rank_breakdown", "kernels_by_rank"],
    how: "Each bar is the time of one device, divided as above. In a job that trains together, a rank with much computing and little communication is one that the others wait for. A diamond marks a rank that differs much from the others.",
    body: (
      <>
        <Legend entries={present.map((part) => [part.colour, part.label])} />
        <StackedBars
          name="Device time by rank"
          axis="rank"
          bars={bars}
          parts={present}
          unit="%"
          most={100}
          sorts={present.filter((part) => !part.idle).map((part) => byPart(part.id, part.label))}
          difference={differenceOf(bars, present)}
        />
        <Details source={report.table("rank_breakdown")} columns={deviceColumns(report, present)} rows={bars} />
      </>
    ),
  };
}

export function idleSection(report: Report): Section | null {
  const bars = deviceBars(report);
  const present = report.words.idleParts.filter((part) => bars.some((bar) => shareIn(bar, part) > 0));
  if (bars.length < 2) return null;
  if (present.length === 0)
    return {id: "idle", title: "Idle time by cause", body: <p class="empty">No device was ever idle.</p>};
  const job = report.table("job_breakdown");
  const share = (part: Part) => {
    const row = job.where("part", part.id)[0];
    return row === undefined ? 0 : job.number(row, "share_pct");
  };
  const largest = sorted(present, share, true).slice(0, 3);
  const [cause] = largest;
  const row = job.where("part", cause?.id ?? "")[0];
  const node = {
    id: "idle",
    title: "Idle time by cause",
    tables: ["time_breakdown", "unknown_gaps", "host_breakdown"],
    answer:
      cause === undefined || row === undefined ? null : (
        <>
          <CellSpan cell={job.cell(row, "share_pct")} /> of device time: {cause.label.replace("idle: ", "")}
        </>
      ),
    how: "The idle part of the bars above at a scale of its own: why the device had nothing to do. Unknown means that the trace does not show a cause.",
    body: (
      <>
        <Legend entries={present.map((part) => [part.colour, part.label.replace("idle: ", "")])} />
        <StackedBars
          name="Idle time by cause"
          axis="rank"
          bars={bars}
          parts={present.map((part) => ({...part, label: part.label.replace("idle: ", "")}))}
          unit="%"
          sorts={largest.map((part) => byPart(part.id, part.label.replace("idle: ", "")))}
          difference={differenceOf(bars, present)}
        />
        <Details source={report.table("rank_breakdown")} columns={deviceColumns(report, present)} rows={bars} />
      </>
    ),
  };
  const isBusy = bars.every((bar) => present.every((part) => shareIn(bar, part) < leastShare));
  return isBusy ? {...node, folded: "No device is idle for 1% of its time by any cause."} : node;
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
