// Where values of a line chart stand: round numbers on its axes, pixels of its values.

// Round numbers between two, not nearer to each other than `least`; whole ones where values are counted.
export function ticksBetween(from: number, to: number, least: number, isWhole: boolean): number[] {
  const span = to - from;
  if (!(span > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(least));
  const steps = [1, 2, 2.5, 5, 10, 20].map((factor) => factor * power);
  const step = steps.find((one) => one >= least && !(isWhole && !Number.isInteger(one))) ?? Math.max(1, 20 * power);
  const found: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; ++i)
    found.push(Number((i * step).toPrecision(12)));
  return found;
}

// From 0 where that costs little; else from just below the data, but showing at least a fifth of its size, so that noise stays small.
export function nearRange(low: number, high: number): readonly [from: number, to: number] {
  if (!(high > 0)) return [0, 1];
  const from = Math.min(low - 0.1 * (high - low), high * 0.8);
  return [from < high * 0.4 ? 0 : from, high + 0.1 * (high - from)];
}

export function zeroRange(high: number): readonly [from: number, to: number] {
  return [0, high > 0 ? high * 1.06 : 1];
}

// The place of the value that is nearest, of values in order.
export function nearestOf(values: readonly number[], value: number): number {
  let best = -1;
  values.forEach((one, i) => {
    if (best < 0 || Math.abs(one - value) < Math.abs((values[best] ?? 0) - value)) best = i;
  });
  return best;
}
