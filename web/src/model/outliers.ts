// Which of some values stand apart from the others. No DOM.

const leastValues = 4;
const leastDistance = 3.5; // robust standard deviations
const leastShare = 0.05; // of the median: what differs by less matters to nobody

function median(values: readonly number[]): number {
  const order = [...values].sort((a, b) => a - b);
  const middle = order.length >> 1;
  return order.length % 2 ? (order[middle] ?? 0) : ((order[middle - 1] ?? 0) + (order[middle] ?? 0)) / 2;
}

// By their places. Distance from the median in units of 1.4826 times the median absolute deviation; where most values are equal, all that
// differ by a twentieth.
export function outliersOf(values: readonly number[]): ReadonlySet<number> {
  if (values.length < leastValues) return new Set();
  const middle = median(values);
  const spread = 1.4826 * median(values.map((one) => Math.abs(one - middle)));
  return new Set(
    values.flatMap((one, i) => {
      const far = Math.abs(one - middle);
      return far > leastShare * Math.abs(middle) && far > leastDistance * spread ? [i] : [];
    }),
  );
}

// The same among those of one group each: ranks of another role or stage do other work.
export function outliersByGroup(values: readonly number[], groups: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const group of new Set(groups)) {
    const places = values.flatMap((_, i) => (groups[i] === group ? [i] : []));
    for (const at of outliersOf(places.map((i) => values[i] ?? 0))) found.add(places[at] ?? 0);
  }
  return found;
}

// A rank that stands apart from its peers in a metric.
export interface RankOutlier {
  readonly row: number;
  readonly rank: number;
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
  readonly median: number;
  readonly deviation: number;
}

const leastPartOfStep = 0.01; // less time is lost to no step's length
const alike = 0.9; // of the farthest one's distance

// The outliers of the metric that says most of a job: the wanted one, else times that matter to a step, else those in which one rank stands
// alone; among equals the one that is farthest from its peers. Those that are about as far, on the same side, belong to it.
export function farthestOf(
  outliers: readonly RankOutlier[],
  wanted: string | undefined,
  step_ns: number | null,
): readonly RankOutlier[] {
  const isTime = (one: RankOutlier) =>
    /^ns\b/.test(one.unit) && Math.abs(one.value - one.median) >= leastPartOfStep * (step_ns ?? 0);
  const alongside = (first: RankOutlier) =>
    outliers.filter((one) => one.metric === first.metric && one.deviation / first.deviation >= alike);
  const weight = (one: RankOutlier) => [
    Number(one.metric === wanted),
    Number(isTime(one)),
    Number(alongside(one).length === 1),
    Math.abs(one.deviation),
  ];
  let [first] = outliers;
  if (first === undefined) return [];
  for (const one of outliers) {
    const [mine, best] = [weight(one), weight(first)];
    const at = mine.findIndex((each, i) => each !== best[i]);
    if (at >= 0 && (mine[at] ?? 0) > (best[at] ?? 0)) first = one;
  }
  return alongside(first).sort((a, b) => a.rank - b.rank);
}
