// What each rank did in each step, against what its peers do: a fixed slow rank, a rotating one and one bad step look alike once averaged.
// No DOM.

import {amountOf, type Row} from "./rank";

export interface Measure {
  readonly id: string;
  readonly label: string;
  readonly columns: readonly string[]; // of time_breakdown, that are summed
}
export const measures: readonly Measure[] = [
  {id: "computing", label: "computing", columns: ["compute_ns"]},
  {id: "communicating", label: "exposed communication", columns: ["exposed_communication_ns"]},
  {
    id: "idle",
    label: "idle",
    columns: [
      "idle_host_ns",
      "idle_data_ns",
      "idle_sync_ns",
      "idle_launch_ns",
      "idle_gap_ns",
      "idle_stream_ns",
      "unknown_ns",
    ],
  },
  {id: "copying", label: "exposed copies", columns: ["exposed_copy_ns"]},
];
export const breakdownColumns = [
  "rank",
  "capture",
  "step",
  "duration_ns",
  "complete",
  ...measures.flatMap((one) => one.columns),
];

export interface RankStepCell {
  readonly ns: number; // of all devices of the rank
  readonly usual: number; // the median of its peers over all steps
  readonly off_pct: number; // how much more than that, of the median step
}
export interface RankSteps {
  readonly ranks: readonly number[];
  readonly steps: readonly number[];
  readonly of: (rank: number, step: number) => RankStepCell | null;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

// Of complete steps of time_breakdown; who does the same work has the same group.
export function rankStepsOf(rows: readonly Row[], measure: Measure, groupOf: (rank: number) => string): RankSteps {
  const sums = new Map<string, number>();
  const lengths: number[] = [];
  const ranks = new Set<number>();
  const steps = new Set<number>();
  for (const row of rows) {
    const [rank, step] = [amountOf(row, "rank"), amountOf(row, "step")];
    if (rank === null || step === null || row["complete"] !== true) continue;
    const ns = measure.columns.reduce((sum, name) => sum + (amountOf(row, name) ?? 0), 0);
    const key = `${rank}/${step}`;
    sums.set(key, (sums.get(key) ?? 0) + ns);
    lengths.push(amountOf(row, "duration_ns") ?? 0);
    ranks.add(rank);
    steps.add(step);
  }
  const byGroup = new Map<string, number[]>();
  for (const [key, ns] of sums) {
    const group = groupOf(Number(key.slice(0, key.indexOf("/"))));
    const list = byGroup.get(group);
    if (list) list.push(ns);
    else byGroup.set(group, [ns]);
  }
  const usual = new Map([...byGroup].map(([group, values]) => [group, median(values)]));
  const length = Math.max(1, median(lengths));
  const ascending = (a: number, b: number) => a - b;
  return {
    ranks: [...ranks].sort(ascending),
    steps: [...steps].sort(ascending),
    of: (rank, step) => {
      const ns = sums.get(`${rank}/${step}`);
      if (ns === undefined) return null;
      const peers = usual.get(groupOf(rank)) ?? 0;
      return {ns, usual: peers, off_pct: (100 * (ns - peers)) / length};
    },
  };
}

// Neighbouring ones together, as many as make no more than `most`.
export function binned(values: readonly number[], most: number): number[][] {
  const each = Math.max(1, Math.ceil(values.length / most));
  return Array.from({length: Math.ceil(values.length / each)}, (_, i) => values.slice(i * each, (i + 1) * each));
}

// Of a bin the one that is farthest off wins, never their mean.
export function extremeOf(
  found: RankSteps,
  ranks: readonly number[],
  steps: readonly number[],
): {readonly rank: number; readonly step: number; readonly cell: RankStepCell} | null {
  let best: {rank: number; step: number; cell: RankStepCell} | null = null;
  for (const rank of ranks) {
    for (const step of steps) {
      const cell = found.of(rank, step);
      if (cell !== null && (best === null || Math.abs(cell.off_pct) > Math.abs(best.cell.off_pct)))
        best = {rank, step, cell};
    }
  }
  return best;
}

// Those whose worst step is farthest off, the worst first.
export function worstRanks(found: RankSteps, most: number): number[] {
  return found.ranks
    .map((rank) => ({rank, off: Math.abs(extremeOf(found, [rank], found.steps)?.cell.off_pct ?? 0)}))
    .sort((a, b) => b.off - a.off)
    .slice(0, most)
    .map(({rank}) => rank);
}

// Whether it is a rank, a step, or changes; below `least` percent of a step nothing stands out.
export function answerOf(
  found: RankSteps,
  least = 3,
): {readonly kind: "rank" | "step" | "changing" | "nothing"; readonly text: string; readonly ranks: readonly number[]} {
  const off = (rank: number, step: number) => Math.max(0, found.of(rank, step)?.off_pct ?? 0);
  const cells = found.ranks.flatMap((rank) =>
    found.steps.filter((step) => off(rank, step) >= least).map((step) => ({rank, step})),
  );
  if (cells.length === 0)
    return {kind: "nothing", text: `No rank is more than ${least}% of a step above its peers in any step.`, ranks: []};
  const count = (key: "rank" | "step") => {
    const counts = new Map<number, number>();
    for (const cell of cells) counts.set(cell[key], (counts.get(cell[key]) ?? 0) + 1);
    return counts;
  };
  const [byRank, byStep] = [count("rank"), count("step")];
  const steady = [...byRank]
    .filter(([, steps]) => found.steps.length > 1 && steps >= 0.8 * found.steps.length)
    .map(([rank]) => rank);
  const bad = [...byStep]
    .filter(([, ranks]) => found.ranks.length > 1 && ranks >= 0.8 * found.ranks.length)
    .map(([step]) => step);
  const few = (values: readonly number[]) =>
    `${values.slice(0, 8).join(", ")}${values.length > 8 ? ` and ${values.length - 8} more` : ""}`;
  if (bad.length > 0 && bad.length < found.steps.length)
    return {kind: "step", text: `Step ${few(bad)} is longer than usual on nearly all ranks.`, ranks: []};
  if (steady.length > 0)
    return {
      kind: "rank",
      text: `Rank ${few(steady)} is above its peers in nearly every step: it is the rank, not the step.`,
      ranks: steady,
    };
  return {
    kind: "changing",
    text: `${byRank.size === 1 ? `Rank ${few([...byRank.keys()])} is above its` : `${byRank.size} ranks are above their`} peers in ${byStep.size} of ${found.steps.length} steps, not always the same: it comes and goes.`,
    ranks: [],
  };
}
