// Axes of the SVG plots.

// About `count` round numbers from 0 to most.
export function ticks(most: number, count: number): number[] {
  if (!(most > 0)) return [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) ?? 10 * power;
  const found: number[] = [];
  for (let i = 0; i * step <= most * 1.0001; ++i) found.push(Number((i * step).toPrecision(12)));
  return found;
}

// Which of `count` places `pitch` pixels wide get a label that needs `room` pixels: every n-th, n a round number.
export function everyNth(pitch: number, room: number): number {
  const least = room / pitch;
  if (least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}

interface ColumnLabels {
  readonly labels: readonly string[];
  readonly left: number;
  readonly pitch: number;
  readonly y: number;
}
// Labels below columns, thinned to fit.
export function ColumnLabels({labels, left, pitch, y}: ColumnLabels) {
  const longest = labels.reduce((most, label) => Math.max(most, label.length), 1);
  const step = everyNth(pitch, longest * 6.6 + 8);
  return (
    <>
      {labels.map((label, i) =>
        i % step ? null : (
          <text key={i} x={(left + (i + 0.5) * pitch).toFixed(1)} y={y} text-anchor="middle">
            {label}
          </text>
        ),
      )}
    </>
  );
}

// Lines across, with the value that each stands at.
export function GridLines({
  at,
  y,
  left,
  right,
  label,
}: {
  readonly at: readonly number[];
  readonly y: (value: number) => number;
  readonly left: number;
  readonly right: number;
  readonly label: (value: number) => string;
}) {
  return (
    <>
      {at.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={left - 6} y={y(tick) + 4} text-anchor="end">
            {label(tick)}
          </text>
        </g>
      ))}
    </>
  );
}

// What is pale has an edge of the colour that it belongs to.
export function fillOf(name: string | undefined) {
  return name === "waiting"
    ? {fill: "var(--waiting)", stroke: "var(--exposed_communication)", strokeWidth: 0.5}
    : {fill: `var(--${name})`};
}
