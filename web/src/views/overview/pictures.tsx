// Small pictures without axes: what they show is said beside them, and read in the section that they lead to.

import {fillOf} from "../../draw/axes";
import {shadeName} from "../../draw/heat_map";

const mostBars = 64;

interface Bar {
  readonly value: number;
  readonly isMeant: boolean;
}

// Of more values than there is room for, the extreme of each stretch: one that differs is seen.
function binned(values: readonly Bar[]): readonly Bar[] {
  if (values.length <= mostBars) return values;
  const mean = values.reduce((sum, one) => sum + one.value, 0) / values.length;
  return Array.from({length: mostBars}, (_, i) => {
    const part = values.slice(
      Math.floor((i * values.length) / mostBars),
      Math.floor(((i + 1) * values.length) / mostBars),
    );
    return part.reduce((best, one) =>
      Number(one.isMeant) > Number(best.isMeant) ||
      (one.isMeant === best.isMeant && Math.abs(one.value - mean) > Math.abs(best.value - mean))
        ? one
        : best,
    );
  });
}

export function Bars({name, values}: {readonly name: string; readonly values: readonly Bar[]}) {
  const [width, height] = [240, 30];
  const shown = binned(values);
  const most = Math.max(...shown.map((one) => one.value), 1e-9);
  // A few bars stand beside each other as bars, not as blocks.
  const pitch = Math.min(14, width / shown.length);
  return (
    <svg class="glance-bars" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={name}>
      {shown.map((one, i) => {
        const high = Math.max(1, (height * one.value) / most);
        return (
          <rect
            key={i}
            class={one.isMeant ? "meant" : undefined}
            x={(i * pitch).toFixed(2)}
            y={(height - high).toFixed(2)}
            width={Math.max(0.6, pitch - (pitch > 3 ? 1 : 0)).toFixed(2)}
            height={high.toFixed(2)}
          />
        );
      })}
    </svg>
  );
}

// A line with a band around it, from zero.
export function Lines({
  name,
  middle,
  low,
  high,
}: {
  readonly name: string;
  readonly middle: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}) {
  const [width, height] = [320, 70];
  const most = Math.max(...high, 1);
  const x = (i: number) => (middle.length < 2 ? width / 2 : 3 + (i * (width - 6)) / (middle.length - 1));
  const at = (value: number, i: number) =>
    `${x(i).toFixed(1)} ${(height - 2 - ((height - 6) * value) / most).toFixed(1)}`;
  const band = [...high.map(at), ...low.map(at).reverse()].join("L");
  return (
    <svg class="glance-lines" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={name}>
      <line x1={0} x2={width} y1={height - 1} y2={height - 1} />
      <path class="band" d={`M${band}Z`} />
      {middle.length < 2 ? (
        <circle cx={x(0)} cy={height - 2 - ((height - 6) * (middle[0] ?? 0)) / most} r={3} />
      ) : (
        <path class="middle" d={`M${middle.map(at).join("L")}`} />
      )}
    </svg>
  );
}

export interface Shaded {
  readonly shade: number | null; // null: not known
  readonly isMeant: boolean;
}

// A cell for each rank, in the order of their numbers; one path for each shade.
export function RankMap({name, cells}: {readonly name: string; readonly cells: readonly Shaded[]}) {
  const [width, height] = [320, 96];
  // Rows of a power of two, as ranks of a host are: the widest cells that fit.
  let columns = 1;
  while (columns * 2 <= cells.length && Math.ceil(cells.length / columns) * (width / columns) > height) columns *= 2;
  const lines = Math.ceil(cells.length / columns);
  const [wide, high] = [width / columns, Math.min(24, height / lines)];
  const gap = Math.min(wide, high) > 5 ? 1 : 0;
  const box = (i: number) =>
    `M${((i % columns) * wide).toFixed(2)} ${(Math.floor(i / columns) * high).toFixed(2)}h${(wide - gap).toFixed(2)}v${(high - gap).toFixed(2)}h-${(wide - gap).toFixed(2)}z`;
  const byShade = new Map<number, string[]>();
  cells.forEach(({shade}, i) => {
    if (shade === null) return;
    const known = byShade.get(shade);
    if (known) known.push(box(i));
    else byShade.set(shade, [box(i)]);
  });
  return (
    <svg class="rank-map" viewBox={`0 0 ${width} ${(lines * high).toFixed(1)}`} role="img" aria-label={name}>
      {[...byShade].map(([shade, boxes]) => (
        <path key={shade} d={boxes.join("")} style={fillOf(shadeName(shade))} />
      ))}
      <path class="meant" d={cells.flatMap((one, i) => (one.isMeant ? [box(i)] : [])).join("")} />
    </svg>
  );
}
