// A result of SQL as a picture: bars, a line or points. Lengths start at zero; what is unknown is left blank.

import {human} from "../model/format";
import {type PlotChoice, type Result, unitOf} from "../model/sql";
import {front, visible} from "../model/text";

const mostBars = 40;
const mostPoints = 5000;

const number = (value: unknown): number | null =>
  typeof value === "number"
    ? value
    : typeof value === "string" && value !== "" && Number.isFinite(Number(value))
      ? Number(value)
      : null;

export function ResultPlot({result, choice}: {readonly result: Result; readonly choice: PlotChoice}) {
  return choice.kind === "bars" ? <Bars result={result} choice={choice} /> : <Points result={result} choice={choice} />;
}

function Bars({result, choice}: {readonly result: Result; readonly choice: PlotChoice}) {
  const unit = unitOf(result.columns[choice.y]?.name ?? "");
  const rows = result.rows
    .slice(0, mostBars)
    .map((row) => ({name: String(row[choice.x] ?? ""), value: number(row[choice.y])}));
  const most = Math.max(0, ...rows.map((row) => row.value ?? 0));
  const least = Math.min(0, ...rows.map((row) => row.value ?? 0));
  const scale = 100 / (most - least || 1);
  return (
    <figure
      class="result-plot"
      aria-label={`${result.columns[choice.y]?.name ?? ""} by ${result.columns[choice.x]?.name ?? ""}`}
    >
      {rows.map((row, i) => (
        <div class="bar" key={`${i}/${row.name}`}>
          <span class="name" title={visible(row.name)}>
            {front(row.name, 80)}
          </span>
          <span class="track">
            {row.value === null ? (
              <i class="muted">unknown</i>
            ) : (
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  x={(Math.min(row.value, 0) - least) * scale}
                  y="0"
                  width={Math.max(0.3, Math.abs(row.value) * scale)}
                  height="10"
                />
              </svg>
            )}
          </span>
          <span class="value">{row.value === null ? "" : human(row.value, unit)}</span>
        </div>
      ))}
      {result.rows.length > mostBars ? (
        <figcaption class="muted">
          The first {mostBars} of {result.rows.length} rows
        </figcaption>
      ) : null}
    </figure>
  );
}

// Round values between two.
function ticks(from: number, to: number): number[] {
  const span = to - from || 1;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= 5) ?? 10 * power;
  const found: number[] = [];
  for (let i = Math.ceil(from / step); i * step <= to + step * 1e-9; ++i) found.push(i * step);
  return found;
}

function Points({result, choice}: {readonly result: Result; readonly choice: PlotChoice}) {
  const [width, height, left, bottom] = [900, 260, 84, 34];
  const [xName, yName] = [result.columns[choice.x]?.name ?? "", result.columns[choice.y]?.name ?? ""];
  const points = result.rows
    .slice(0, mostPoints)
    .map((row) => [number(row[choice.x]), number(row[choice.y])] as const)
    .filter((one): one is readonly [number, number] => one[0] !== null && one[1] !== null);
  if (points.length === 0) return <p class="muted">None of these rows has both numbers.</p>;
  const range = (at: 0 | 1, zero: boolean): [number, number] => {
    let [low, high] = [Infinity, -Infinity];
    for (const point of points) {
      low = Math.min(low, point[at]);
      high = Math.max(high, point[at]);
    }
    return zero ? [Math.min(0, low), Math.max(0, high)] : [low, high === low ? low + 1 : high];
  };
  const [x0, x1] = range(0, false);
  const [y0, y1] = range(1, true);
  const x = (value: number) => left + ((value - x0) / (x1 - x0)) * (width - left - 20);
  const y = (value: number) => height - bottom - ((value - y0) / (y1 - y0 || 1)) * (height - bottom - 12);
  return (
    <figure class="result-plot plot" aria-label={`${yName} over ${xName}, ${points.length} points`}>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${yName} over ${xName}`}>
        {ticks(y0, y1).map((value) => (
          <g key={`y${value}`}>
            <line class="grid" x1={left} x2={width - 20} y1={y(value)} y2={y(value)} />
            <text x={left - 8} y={y(value) + 4} text-anchor="end">
              {human(value, unitOf(yName))}
            </text>
          </g>
        ))}
        {ticks(x0, x1).map((value) => (
          <text key={`x${value}`} x={x(value)} y={height - bottom + 16} text-anchor="middle">
            {human(value, unitOf(xName))}
          </text>
        ))}
        <text class="strong" x={width - 20} y={height - 3} text-anchor="end">
          {visible(xName)}
        </text>
        <text class="strong" x={left} y={10}>
          {visible(yName)}
        </text>
        {choice.kind === "line" ? (
          <polyline
            class="result-line"
            points={points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ")}
          />
        ) : null}
        {choice.kind === "line" && points.length > 100
          ? null
          : points.map(([a, b], i) => (
              <circle key={i} class="result-point" cx={x(a)} cy={y(b)} r={points.length > 500 ? 1.5 : 3} />
            ))}
      </svg>
      {result.rows.length > mostPoints ? (
        <figcaption class="muted">
          The first {mostPoints} of {result.rows.length} rows
        </figcaption>
      ) : null}
    </figure>
  );
}
