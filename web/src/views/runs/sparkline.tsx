// Step times as a line: from zero, so that its height is the time.

export function Sparkline({values, name}: {readonly values: readonly number[]; readonly name: string}) {
  const width = 96;
  const height = 22;
  const most = Math.max(...values, 1);
  const at = (value: number, i: number): string => `${((i + 0.5) * width / values.length).toFixed(1)},${(height - 1 - (height - 3) * value / most).toFixed(1)}`;
  return (
    <svg class="sparkline" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={name}>
      {values.length > 1 ? <polyline points={values.map(at).join(" ")} /> : <circle cx={width / 2} cy={height / 2} r="2" />}
    </svg>
  );
}
