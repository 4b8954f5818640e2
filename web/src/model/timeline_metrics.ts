// Numbers that were measured while a job ran, on the time axis of its timeline. No DOM.

import type {Sample} from "@made/api_types";
import type {Window} from "./timeline";

export interface MetricLine {
  readonly rank: number;
  readonly times: Float64Array; // from the job's origin, rising
  readonly values: Float64Array;
}
export interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly lines: ReadonlyMap<number, MetricLine>;
  readonly most: number;
  readonly least: number;
}

// Those that say of which rank they are. The time of a sample is its host's, which the clock of the job may be a little off.
export function metricsIn(samples: readonly Sample[], originNs: string): Metric[] {
  const origin = BigInt(originNs);
  const byName = new Map<string, {unit: string; ranks: Map<number, [time: number, value: number][]>}>();
  for (const one of samples) {
    if (one.rank === undefined) continue;
    let metric = byName.get(one.name);
    if (metric === undefined) byName.set(one.name, (metric = {unit: one.unit ?? "", ranks: new Map()}));
    const line = metric.ranks.get(one.rank);
    const place: [number, number] = [Number(BigInt(one.time) - origin), one.value];
    if (line) line.push(place);
    else metric.ranks.set(one.rank, [place]);
  }
  return [...byName]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, {unit, ranks}]) => {
      let [least, most] = [Infinity, -Infinity];
      const lines = new Map<number, MetricLine>();
      for (const [rank, places] of ranks) {
        places.sort(([a], [b]) => a - b);
        for (const [, value] of places) {
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
        lines.set(rank, {
          rank,
          times: Float64Array.from(places, ([time]) => time),
          values: Float64Array.from(places, ([, value]) => value),
        });
      }
      return {name, unit, lines, least, most};
    });
}

// The samples of a window, with one before and one behind, so that a line reaches its ends.
export function within(line: MetricLine, window: Window): {readonly first: number; readonly last: number} {
  const upTo = (time: number) => {
    let [low, high] = [0, line.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((line.times[middle] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {first: Math.max(0, upTo(window.from) - 1), last: Math.min(line.times.length, upTo(window.to) + 1)};
}

// The value at a time, on the line between its neighbours; null outside of what was measured.
export function valueAt({times, values}: MetricLine, time: number): number | null {
  const last = times.length - 1;
  if (last < 0 || time < (times[0] ?? 0) || time > (times[last] ?? 0)) return null;
  let at = 0;
  while (at < last && (times[at + 1] ?? 0) < time) ++at;
  const [from, to] = [times[at] ?? 0, times[Math.min(last, at + 1)] ?? 0];
  const [a, b] = [values[at] ?? 0, values[Math.min(last, at + 1)] ?? 0];
  return to > from ? a + ((b - a) * (time - from)) / (to - from) : a;
}

export interface MetricOfRank {
  readonly rank: number;
  readonly mean: number;
  readonly least: number;
  readonly most: number;
}
// Of every rank over a window, by what was measured in it and how it goes into it: at its ends and at each sample.
export function overWindow(metric: Metric, window: Window): MetricOfRank[] {
  return [...metric.lines.values()].flatMap((line): MetricOfRank[] => {
    const {first, last} = within(line, window);
    const places: [number, number][] = [];
    const add = (time: number) => {
      const value = valueAt(line, time);
      if (value !== null) places.push([time, value]);
    };
    add(window.from);
    for (let i = first; i < last; ++i) {
      const time = line.times[i] ?? 0;
      if (time > window.from && time < window.to) places.push([time, line.values[i] ?? 0]);
    }
    add(window.to);
    if (places.length === 0) return [];
    let area = 0;
    for (let i = 1; i < places.length; ++i) {
      const [[t0, v0] = [0, 0], [t1, v1] = [0, 0]] = [places[i - 1], places[i]];
      area += ((t1 - t0) * (v0 + v1)) / 2;
    }
    const values = places.map(([, value]) => value);
    const length = (places.at(-1)?.[0] ?? 0) - (places[0]?.[0] ?? 0);
    return [
      {
        rank: line.rank,
        mean: length > 0 ? area / length : (values[0] ?? 0),
        least: Math.min(...values),
        most: Math.max(...values),
      },
    ];
  });
}
