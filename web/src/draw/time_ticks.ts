// Round times between two, about `count` of them, as [time, label]: labels have as many digits as tell them apart.
export function timeTicks(from: number, to: number, count: number): [time: number, label: string][] {
  const span = to - from;
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= count) ?? 10 * power;
  const size = Math.max(Math.abs(from), Math.abs(to));
  const [scale, unit]: [number, string] =
    size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "\u00b5s"] : [1, "ns"];
  const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10(scale / step) - 1e-9)));
  const found: [number, string][] = [];
  for (let i = Math.ceil(from / step); i * step <= to; ++i)
    found.push([i * step, `${((i * step) / scale).toFixed(digits)} ${unit}`]);
  return found;
}
