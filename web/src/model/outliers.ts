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
