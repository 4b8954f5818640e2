// A stacked bar per rank. One SVG path per part, so that a thousand ranks are a dozen elements.
//
// `most` is the top of the axis, else the highest bar. Marked bars have a diamond above them. `under` is a part that hangs below the
// axis, at a scale of its own. `reach(bar)` is a height at which the bar has a dashed line; null = none. `difference(bar)` says how far a
// bar is off the others: of many bars those that differ most come first, and alone, `few` saying which these are. A bar with a rank, or
// with ranks, can be chosen.

import {useMemo, useRef, useState} from "preact/hooks";
import {type OfRanks, ranksOf} from "../model/choice";
import {human} from "../model/format";
import {sorted} from "../model/order";
import type {Cell, CellValue} from "../model/report";
import {ColumnLabels, fillOf, GridLines, ticks} from "./axes";
import {ChosenFrame} from "./choosable";
import {useDrawing} from "./drawing";
import {Cursor, Picture, placeAfter, PlotBox, usePlot} from "./plot_box";
import type {Point, TipLine} from "./tips";

export const manyBars = 64;
// Chosen ranks stand behind those that differ, if they are not among them.
const mostBehind = 16;

export interface BarPart {
  readonly id: string;
  readonly label: string;
  readonly colour: string;
}
export interface Bar extends OfRanks {
  readonly label: string;
  readonly title: string;
  readonly cells: Readonly<Record<string, Cell | undefined>>;
  readonly mark?: boolean;
  readonly more?: readonly TipLine[];
}
// Of a row of a table.
export interface RowBar extends Bar {
  readonly row: number;
}
interface BarOrder<B extends Bar> {
  readonly label: string;
  readonly key: (bar: B) => CellValue;
}
interface StackedBars<B extends Bar> {
  readonly name: string;
  readonly axis: string;
  readonly bars: readonly B[];
  readonly parts: readonly BarPart[];
  readonly unit: string;
  readonly most?: number;
  readonly sorts: readonly BarOrder<B>[];
  readonly under?: BarPart | null;
  readonly reach?: ((bar: B) => number | null) | null;
  readonly difference?: ((bar: B) => number) | null;
  readonly few?: string;
}

function valueOf(bar: Bar, part: BarPart): number {
  return Number(bar.cells[part.id]?.value ?? 0);
}

// On an axis of percent no digits behind the point are needed.
function tickLabel(tick: number, unit: string): string {
  return unit === "%" ? `${tick}%` : human(tick, unit);
}

export function StackedBars<B extends Bar>(props: StackedBars<B>) {
  const {axis, bars, sorts, difference, few = "that differ most"} = props;
  const {choice, tips} = useDrawing();
  const differing = useMemo(
    () => (difference && bars.length > manyBars ? sorted(bars, difference, true).slice(0, manyBars) : null),
    [bars],
  );
  const [chosenOrder, setOrder] = useState(0);
  const orders: readonly {readonly label: string; readonly of: () => readonly B[]}[] = [
    ...(differing
      ? [
          {
            label: `the ${manyBars} ${few}`,
            of: () => [
              ...differing,
              ...bars.filter((bar) => choice.has(bar) && !differing.includes(bar)).slice(0, mostBehind),
            ],
          },
        ]
      : []),
    {label: axis, of: () => bars},
    ...sorts.map(({label, key}) => ({label, of: () => sorted(bars, key, true)})),
  ];
  const plot = <OrderedBars {...props} order={orders[chosenOrder]?.of() ?? bars} />;
  if (bars.length < 3 || sorts.length === 0) return plot;
  return (
    <>
      <div class="tools">
        {differing ? "Show" : "Order by"}
        {orders.map(({label}, i) => (
          <button
            key={i}
            type="button"
            aria-pressed={i === chosenOrder}
            onClick={() => {
              tips.hide();
              setOrder(i);
            }}
          >
            {label}
          </button>
        ))}
      </div>
      {plot}
    </>
  );
}

// Where bars stand.
interface Geometry {
  readonly pitch: number;
  readonly wide: number;
  readonly gap: number;
  readonly x: (i: number) => number;
}
const margin = {left: 52, right: 4, top: 16, bottom: 36};

function geometryOf(count: number, width: number): Geometry {
  const pitch = (width - margin.left - margin.right) / count;
  const gap = pitch > 8 ? Math.min(pitch * 0.22, 14) : pitch > 3 ? 1 : 0;
  const wide = Math.min(pitch - gap, 64);
  return {pitch, wide, gap, x: (i) => margin.left + (i + 0.5) * pitch - wide / 2};
}

function OrderedBars<B extends Bar>({
  name,
  axis,
  bars,
  parts,
  unit,
  most,
  under,
  reach,
  order,
}: StackedBars<B> & {readonly order: readonly B[]}) {
  const plot = usePlot();
  const at = useRef(-1);
  const depth = under ? 110 : 0;
  const height = 230 + depth;
  const all = under ? [...parts, under] : parts;
  const geometry = geometryOf(order.length, plot.width);

  function show(i: number, point: Point | null, speak: boolean) {
    const bar = order[i];
    if (bar === undefined) return leave();
    at.current = i;
    plot.cursor.value = {x: geometry.x(i) - 1, width: geometry.wide + 2};
    const box = plot.box();
    const lines = all.flatMap((part): TipLine[] => {
      const cell = bar.cells[part.id];
      return cell ? [[part.colour, part.label, cell]] : [];
    });
    plot.tips.show(
      point ?? {x: box.left + geometry.x(i) + geometry.wide, y: box.top + 40},
      bar.title,
      [...lines, ...(bar.more ?? [])],
      speak,
    );
  }
  function leave() {
    at.current = -1;
    plot.tips.hide();
    plot.cursor.value = null;
  }
  const barAt = (x: number) => Math.floor((x - margin.left) / geometry.pitch);
  const ranksAt = (i: number) => ranksOf(order[i] ?? {});

  return (
    <PlotBox
      plot={plot}
      name={name}
      data={{"data-bars": bars.length}}
      reading={{
        point: (x, _, pointer) => show(barAt(x), pointer, false),
        move: (move) => show(placeAfter(at.current, move, order.length - 1), null, true),
        leave,
        under: (x) => ranksAt(barAt(x)),
        here: () => ranksAt(at.current),
      }}
    >
      {plot.width === 0 ? null : (
        <Picture width={plot.width} height={height}>
          <Bars
            bars={bars}
            order={order}
            parts={parts}
            under={under ?? null}
            most={most ?? null}
            unit={unit}
            reach={reach ?? null}
            width={plot.width}
            geometry={geometry}
            height={height}
            depth={depth}
          />
          <ColumnLabels
            labels={order.map((bar) => bar.label)}
            left={margin.left}
            pitch={geometry.pitch}
            y={height - margin.bottom + 15}
          />
          <text x={margin.left + (plot.width - margin.left - margin.right) / 2} y={height - 3} text-anchor="middle">
            {axis}
          </text>
          <ChosenBars order={order} geometry={geometry} height={height} />
          <Cursor at={plot.cursor} fixed={{y: margin.top, height: height - margin.top - margin.bottom}} />
        </Picture>
      )}
    </PlotBox>
  );
}

interface Bars<B extends Bar> {
  readonly bars: readonly B[];
  readonly order: readonly B[];
  readonly parts: readonly BarPart[];
  readonly under: BarPart | null;
  readonly most: number | null;
  readonly unit: string;
  readonly reach: ((bar: B) => number | null) | null;
  readonly width: number;
  readonly geometry: Geometry;
  readonly height: number;
  readonly depth: number;
}

function Bars<B extends Bar>({bars, order, parts, under, most, unit, reach, width, geometry, height, depth}: Bars<B>) {
  const {pitch, wide, gap} = geometry;
  const length = (bar: B) => parts.reduce((sum, part) => sum + valueOf(bar, part), 0);
  const top = most || Math.max(...bars.map(length)) * 1.02 || 1;
  const ground = height - margin.bottom - depth;
  const y = (amount: number) => ground - ((ground - margin.top) * amount) / top;
  const deepest = under ? Math.max(...bars.map((bar) => valueOf(bar, under))) * 1.02 || 1 : 1;
  const yUnder = (amount: number) => ground + 6 + ((depth - 12) * amount) / deepest;
  const base = new Float64Array(order.length);
  const shapes = [...parts, ...(under ? [under] : [])].map((part) => {
    let plain = "";
    // Marked bars lie on top and are wide enough to be seen among a thousand.
    let marked = "";
    order.forEach((bar, i) => {
      const amount = valueOf(bar, part);
      if (!(amount > 0)) return;
      const below = base[i] ?? 0;
      const from = part === under ? yUnder(0) : y(below);
      const to = part === under ? yUnder(amount) : y(below + amount);
      if (part !== under) base[i] = below + amount;
      const size = bar.mark ? Math.max(wide, 2) : wide;
      const box = `M${geometry.x(i).toFixed(2)} ${from.toFixed(2)}V${to.toFixed(2)}h${size.toFixed(2)}V${from.toFixed(2)}z`;
      if (bar.mark && wide < 2) marked += box;
      else plain += box;
    });
    return {part, plain, marked};
  });
  const path = (part: BarPart, d: string) => (
    <path
      key={part.id}
      d={d}
      data-part={part.id}
      shape-rendering={pitch < 3 ? "crispEdges" : undefined}
      style={fillOf(part.colour)}
    />
  );
  const [left, right] = [margin.left, width - margin.right];
  const reached = (bar: B, i: number) => {
    const at = reach?.(bar) ?? null;
    return at === null ? "" : `M${(geometry.x(i) - gap / 2).toFixed(1)} ${y(at).toFixed(1)}h${(wide + gap).toFixed(1)}`;
  };
  return (
    <>
      <GridLines at={ticks(top, 5)} y={y} left={left} right={right} label={(tick) => tickLabel(tick, unit)} />
      {under ? (
        <GridLines
          at={ticks(deepest, 3).slice(1)}
          y={yUnder}
          left={left}
          right={right}
          label={(tick) => tickLabel(tick, unit)}
        />
      ) : null}
      {shapes.map(({part, plain}) => path(part, plain))}
      {shapes.map(({part, marked}) => (marked ? path(part, marked) : null))}
      {under ? <line class="axis" x1={left} x2={right} y1={yUnder(0)} y2={yUnder(0)} /> : null}
      <line class="axis" x1={left} x2={right} y1={y(0)} y2={y(0)} />
      {reach ? <path class="reach" d={order.map(reached).join("")} /> : null}
      <path
        class="mark"
        d={order
          .map((bar, i) => (bar.mark ? `M${(geometry.x(i) + wide / 2).toFixed(1)} 3l4 4l-4 4l-4 -4z` : ""))
          .join("")}
      />
    </>
  );
}

function ChosenBars({
  order,
  geometry,
  height,
}: {
  readonly order: readonly Bar[];
  readonly geometry: Geometry;
  readonly height: number;
}) {
  const {choice} = useDrawing();
  const room = Math.max(geometry.wide, 3);
  return (
    <g>
      {order.map((bar, i) =>
        choice.has(bar) ? (
          <ChosenFrame
            key={i}
            of={bar}
            x={geometry.x(i) + geometry.wide / 2 - room / 2 - 1.5}
            y={margin.top - 4}
            width={room + 3}
            height={height - margin.top - margin.bottom + 8}
          />
        ) : null,
      )}
    </g>
  );
}
