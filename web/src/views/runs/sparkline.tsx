// Numbers over steps as a line: from zero, so that its height is what it says; or between the least and the greatest, for what has no zero.

export function Sparkline({
  values,
  name,
  fits = false,
}: {
  readonly values: readonly number[];
  readonly name: string;
  readonly fits?: boolean;
}) {
  const width = 96;
  const height = 22;
  const least = fits ? Math.min(...values) : 0;
  const most = fits ? Math.max(...values) : Math.max(...values, 1);
  const share = (value: number): number => (most > least ? (value - least) / (most - least) : 0.5);
  const at = (value: number, i: number): string =>
    `${(((i + 0.5) * width) / values.length).toFixed(1)},${(height - 1 - (height - 3) * share(value)).toFixed(1)}`;
  return (
    <svg
      class="sparkline"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={name}
    >
      {values.length > 1 ? (
        <polyline points={values.map(at).join(" ")} />
      ) : (
        <circle cx={width / 2} cy={height / 2} r="2" />
      )}
    </svg>
  );
}
