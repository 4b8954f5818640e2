// The devices of all hosts as a map: hosts by rack, a column for each, a cell for each device. No DOM.

import {type Host, type HostDevice} from "./hosts";
import {grouped, plural} from "./format";

export type MapBy = "busy" | "memory" | "temperature" | "power";
export interface MapMeasure {
  readonly by: MapBy;
  readonly label: string;
  readonly doc: string;
  readonly valueOf: (device: HostDevice) => number | null;
  readonly text: (value: number) => string;
  // Of the scale of colours; null: 0 and the largest there is.
  readonly range: readonly [number, number] | null;
  // Which rack stands out: that with the least, or the most.
  readonly worst: "least" | "most";
  readonly is: string; // "are 87% busy"
}

const percent = (value: number) => `${Math.round(100 * value)}%`;

export const measures: readonly MapMeasure[] = [
  {
    by: "busy",
    label: "busy",
    doc: "Share of the time in which at least one kernel ran, over the agent's last interval",
    valueOf: (device) => device.busy,
    text: percent,
    range: [0, 1],
    worst: "least",
    is: "busy",
  },
  {
    by: "memory",
    label: "memory in use",
    doc: "Device memory in use, of all that it has",
    valueOf: ({memory_used_bytes: used, memory_total_bytes: total}) =>
      used === null || total === null || total <= 0 ? null : used / total,
    text: percent,
    range: [0, 1],
    worst: "most",
    is: "full",
  },
  {
    by: "temperature",
    label: "temperature",
    doc: "At the last reading",
    valueOf: (device) => device.temperature_celsius,
    text: (value) => `${Math.round(value)} \u00b0C`,
    range: [25, 95],
    worst: "most",
    is: "warm",
  },
  {
    by: "power",
    label: "power",
    doc: "At the last reading",
    valueOf: (device) => device.power_watts,
    text: (value) => `${Math.round(value)} W`,
    range: null,
    worst: "most",
    is: "a device",
  },
];
export function measureOf(by: string): MapMeasure {
  return measures.find((one) => one.by === by) ?? (measures[0] as MapMeasure);
}

export interface Rack {
  readonly name: string | null; // null: hosts whose agents do not say
  readonly hosts: readonly Host[]; // by name
}
// By name; those of no rack last.
export function racksOf(hosts: readonly Host[]): Rack[] {
  const order = new Intl.Collator("en", {numeric: true});
  const racks = new Map<string | null, Host[]>();
  for (const host of hosts) {
    const name = host.rack === null || host.rack === "" ? null : host.rack;
    const rack = racks.get(name);
    if (rack === undefined) racks.set(name, [host]);
    else rack.push(host);
  }
  return [...racks]
    .sort(([a], [b]) => Number(a === null) - Number(b === null) || order.compare(a ?? "", b ?? ""))
    .map(([name, of]) => ({name, hosts: of.sort((a, b) => order.compare(a.host, b.host))}));
}

// null without a device of which it is known.
export function meanOf(hosts: readonly Host[], measure: MapMeasure): number | null {
  let sum = 0;
  let count = 0;
  for (const host of hosts) {
    if (!host.here) continue;
    for (const device of host.devices) {
      const value = measure.valueOf(device);
      if (value === null) continue;
      sum += value;
      ++count;
    }
  }
  return count === 0 ? null : sum / count;
}

// The two ends of the scale.
export function scaleOf(hosts: readonly Host[], measure: MapMeasure): readonly [number, number] {
  if (measure.range !== null) return measure.range;
  let most = 0;
  for (const host of hosts) for (const device of host.devices) most = Math.max(most, measure.valueOf(device) ?? 0);
  return [0, most];
}

// A rack stands out by a quarter of the others' middle, and by a twentieth of the scale.
const standsOut = 0.25;
const leastOfScale = 0.05;
const enoughRacks = 3;

// What the map shows.
export function mapSentence(hosts: readonly Host[], measure: MapMeasure): string {
  const all = meanOf(hosts, measure);
  if (all === null) return `Of no device is known: ${measure.label}`;
  const devices = hosts.filter((host) => host.here).flatMap((host) => host.devices);
  const unknown = devices.filter((device) => measure.valueOf(device) === null).length;
  const hidden = unknown === 0 ? "" : `; not known of ${grouped(unknown)}`;
  const racks = racksOf(hosts.filter((host) => host.here))
    .filter((rack) => rack.name !== null)
    .map((rack) => ({name: rack.name, mean: meanOf(rack.hosts, measure)}))
    .filter((rack): rack is {name: string; mean: number} => rack.mean !== null)
    .sort((a, b) => (measure.worst === "least" ? a.mean - b.mean : b.mean - a.mean));
  const [worst, ...others] = racks;
  const middle = others[Math.floor(others.length / 2)];
  if (worst !== undefined && middle !== undefined && racks.length >= enoughRacks) {
    const away = Math.abs(worst.mean - middle.mean);
    const [low, high] = scaleOf(hosts, measure);
    if (away > standsOut * Math.abs(middle.mean) && away > leastOfScale * (high - low))
      return `Rack ${worst.name} is ${measure.text(worst.mean)} ${measure.is}, the one in the middle ${measure.text(middle.mean)}${hidden}`;
  }
  return `${plural(devices.length, "device")}, ${measure.text(all)} ${measure.is} in the mean${hidden}`;
}
