// What a host and its devices did over the last hour: pictures of it, and what stands out. No DOM.

import type {HostMetrics, HostSeries, QuantityName} from "@made/api_types";
import {plural} from "./format";

// One picture: the lines of a number, a device each.
export interface HostChart {
  readonly title: string;
  readonly name: string;
  readonly unit: string;
  readonly lines: readonly HostSeries[];
  readonly most: number; // what the upper edge stands for; the lower is 0
}

const charts: readonly (readonly [name: QuantityName, title: string])[] = [
  ["device_busy", "Devices busy"],
  ["device_power", "Power"],
  ["device_temperature", "Temperature"],
  ["device_memory_used", "Device memory"],
  ["device_sm_clock", "Clock"],
  ["host_cpu_busy", "Cores busy"],
  ["host_cpu_pressure", "Waiting for a core"],
  ["host_memory_used", "Host memory"],
  ["host_io_pressure", "Waiting for a disk"],
  ["host_network_received", "Network, received"],
  ["host_network_sent", "Network, sent"],
];

function isKnown(value: number | null): value is number {
  return value !== null;
}

// Those of which anything is known, in their order.
export function chartsOf(metrics: HostMetrics): readonly HostChart[] {
  return charts.flatMap(([name, title]) => {
    const lines = metrics.series
      .filter((one) => one.name === name && one.high.some(isKnown))
      .sort((a, b) => (a.device ?? -1) - (b.device ?? -1));
    const [first] = lines;
    if (first === undefined) return [];
    const highest = Math.max(...lines.flatMap((one) => one.high.filter(isKnown)));
    // Shares are drawn of the whole.
    return [
      {title, name, unit: first.unit, lines, most: first.unit === "ratio" ? 1 : highest > 0 ? highest * 1.05 : 1},
    ];
  });
}

// The line as an SVG path: down and up again in each point, broken where nothing is known.
export function pathOf(line: HostSeries, width: number, height: number, most: number): string {
  const count = line.high.length;
  const y = (value: number) => Number((height - Math.min(1, Math.max(0, value / most)) * height).toFixed(1));
  let path = "";
  let isDrawn = false;
  line.high.forEach((high, i) => {
    const low = line.low[i] ?? null;
    if (high === null || low === null) {
      isDrawn = false;
      return;
    }
    const x = Number((((i + 0.5) / count) * width).toFixed(1));
    path += `${isDrawn ? "L" : "M"}${x} ${y(high)}${low === high ? "" : `L${x} ${y(low)}`}`;
    // A single point is seen, too.
    if (!isDrawn && line.high[i + 1] == null) path += `h1`;
    isDrawn = true;
  });
  return path;
}

// Of a point of a chart: the highest and the lowest device, or the host.
export function pointText(chart: HostChart, i: number, format: (value: number, unit: string) => string): string {
  const there = chart.lines
    .map((line) => ({device: line.device, value: line.high[i] ?? null}))
    .filter((one): one is {device: number | null; value: number} => one.value !== null)
    .sort((a, b) => b.value - a.value);
  const [first] = there;
  const last = there.at(-1);
  if (first === undefined || last === undefined) return "not known";
  const said = (one: {device: number | null; value: number}) =>
    `${format(one.value, chart.unit)}${one.device === null ? "" : ` on device ${one.device}`}`;
  return first === last || first.value === last.value
    ? `${format(first.value, chart.unit)}${there.length > 1 ? " on all" : first.device === null ? "" : ` on device ${first.device}`}`
    : `${said(first)} to ${said(last)}`;
}

// What stands out, in a sentence.
export function hourSentence(metrics: HostMetrics): string {
  const slowed = metrics.series.filter((one) => one.name === "device_slowed");
  const minutes = (one: HostSeries) =>
    (one.high.filter((value) => value !== null && value > 0).length * metrics.step_ms) / 60_000;
  const held = slowed
    .map((one) => ({device: one.device, minutes: minutes(one)}))
    .filter((one) => one.minutes > 0)
    .sort((a, b) => b.minutes - a.minutes);
  const [worst] = held;
  if (worst !== undefined) {
    const others = held.length > 1 ? `, and ${plural(held.length - 1, "other device")} for less` : "";
    return `Heat, power or a fault held down device ${worst.device ?? "?"} for ${Math.max(1, Math.round(worst.minutes))} of the last 60 minutes${others}`;
  }
  if (slowed.some((one) => one.high.some(isKnown))) return "Nothing held the devices' clocks down in the last hour";
  return "The last hour";
}
