// How the step time of a job went over its runs: those of one name and size, by when they were made. No DOM.

import type {Run} from "./api";

const leastRegression = 0.05; // of the runs before: steps differ by less from run to run
const mostBefore = 5;

export interface TrendPoint {
  readonly run: Run;
  readonly step_ns: number;
  // Against the median of the up to five runs before; null: there is none.
  readonly change_pct: number | null;
  readonly isRegression: boolean;
}
export interface Trend {
  readonly name: string;
  readonly ranks: number | null;
  readonly points: readonly TrendPoint[]; // the oldest first
}

function median(values: readonly number[]): number {
  const order = [...values].sort((a, b) => a - b);
  const middle = order.length >> 1;
  return order.length % 2 ? (order[middle] ?? 0) : ((order[middle - 1] ?? 0) + (order[middle] ?? 0)) / 2;
}

function pointsOf(runs: readonly Run[]): TrendPoint[] {
  const found: TrendPoint[] = [];
  for (const run of runs) {
    const step = run.summary?.step_time_ns?.median ?? 0;
    const before = found.slice(-mostBefore).map((one) => one.step_ns);
    const usual = before.length === 0 ? null : median(before);
    const change = usual === null ? null : step / usual - 1;
    found.push({
      run,
      step_ns: step,
      change_pct: change === null ? null : 100 * change,
      isRegression: change !== null && change > leastRegression,
    });
  }
  return found;
}

// Of names with two runs and more; the one whose last run was made last first.
export function trendsOf(runs: Iterable<Run>): Trend[] {
  const byJob = new Map<string, Run[]>();
  for (const run of runs) {
    if (run.name === null || (run.summary?.step_time_ns?.median ?? 0) <= 0) continue;
    const key = JSON.stringify([run.name, run.world_size ?? run.summary?.ranks ?? null]);
    byJob.set(key, [...(byJob.get(key) ?? []), run]);
  }
  return [...byJob.values()]
    .filter((all) => all.length > 1)
    .map((all) => {
      // The server tells the newest first, those of one second, too.
      const order = [...all].reverse().sort((a, b) => a.created.localeCompare(b.created));
      const [first] = order;
      return {
        name: first?.name ?? "",
        ranks: first?.world_size ?? first?.summary?.ranks ?? null,
        points: pointsOf(order),
      };
    })
    .sort((a, b) => (b.points.at(-1)?.run.created ?? "").localeCompare(a.points.at(-1)?.run.created ?? ""));
}
