// Lines and bands over steps or time. Dragging shows a part of them, a double click all.
//
// A line's rankAt(i) is the rank of a value, where it is one's; lineOf(rank) is a line that is only there while the rank is chosen. Bands
// are [upper, lower, colour] by number of the line.

import {type ReadonlySignal, useSignal} from "@preact/signals";
import {useMemo, useRef, useState} from "preact/hooks";
import type {Choice} from "../model/choice";
import {human} from "../model/format";
import {distinct, sorted} from "../model/order";
import type {Cell, CellValue} from "../model/report";
import {useCanvas} from "./canvas_plot";
import {chosenOf} from "./choosable";
import {colour} from "./colour";
import {useDrawing} from "./drawing";
import {nearestOf, nearRange, ticksBetween, zeroRange} from "./line_scales";
import {type Move, placeAfter, PlotBox, usePlot} from "./plot_box";
import type {Point, TipLine} from "./tips";

export interface LineX {
  readonly label: string;
  readonly values: readonly number[];
  readonly format: (value: number) => string;
  readonly whole?: boolean;
}
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly cell: (i: number) => Cell | null;
  readonly rankAt?: ((i: number) => CellValue) | null;
  readonly colour?: string;
  readonly swatch?: string;
  readonly width?: number;
  readonly stepped?: boolean;
  readonly rank?: CellValue;
}
export interface LineData {
  readonly x: LineX;
  readonly series: readonly Line[];
  readonly title: (i: number) => string;
}
interface LineChart extends LineData {
  readonly name: string;
  readonly bands?: readonly (readonly [upper: number, lower: number, colour: string])[];
  readonly lineOf?: ((rank: number) => Line | null) | null;
  readonly unit: string;
  readonly zoomed?: boolean;
}

const mostOwn = 16;
const nearPx = 30;
// So few points have a dot each.
const mostDots = 60;
const height = 240;
const [top, bottom, left] = [10, height - 46, 66];
// Least distances of ticks.
const [acrossPx, upPx] = [60, 30];

type Range = readonly [from: number, to: number];

// Where values stand, in pixels of the plot.
class Scales {
  readonly right: number;
  readonly across: Range;
  readonly up: Range;
  // The values that are seen, from the first to behind the last.
  readonly from: number;
  readonly to: number;

  constructor(
    readonly data: LineChart,
    readonly width: number,
    part: Range | null,
  ) {
    const {values, whole} = data.x;
    this.right = width - (whole ? 18 : 26);
    const [first = 0, last = 0] = [values[0], values.at(-1)];
    this.across = part ?? (last > first ? [first, last] : [first - 0.5, first + 0.5]);
    const isSeen = (value: number) => value >= this.across[0] && value <= this.across[1];
    this.from = Math.max(0, values.findIndex(isSeen));
    this.to = values.reduce((end, value, i) => (isSeen(value) ? i + 1 : end), this.from);
    let [low, high] = [Infinity, -Infinity];
    for (const {values: own} of data.series) {
      for (const value of own.slice(this.from, this.to)) {
        if (value === null) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    this.up = data.zoomed ? nearRange(low, high) : zeroRange(high);
  }
  x(value: number): number {
    return left + ((value - this.across[0]) / (this.across[1] - this.across[0])) * (this.right - left);
  }
  y(value: number): number {
    return bottom - ((value - this.up[0]) / (this.up[1] - this.up[0])) * (bottom - top);
  }
  xOf(i: number): number {
    return this.x(this.data.x.values[i] ?? 0);
  }
  valueAt(px: number): number {
    return this.across[0] + ((px - left) / (this.right - left)) * (this.across[1] - this.across[0]);
  }
  indexAt(px: number): number {
    return nearestOf(this.data.x.values, this.valueAt(px));
  }
  isInside(px: number): boolean {
    return px >= left && px <= this.right;
  }
}

// The corners of a line, a piece for each stretch without gaps.
function piecesOf(scales: Scales, line: Line, isIn: (i: number) => boolean): Point[][] {
  const pieces: Point[][] = [[]];
  scales.data.x.values.forEach((_, i) => {
    const value = line.values[i] ?? null;
    const piece = pieces.at(-1);
    if (value === null || !isIn(i)) {
      if (piece?.length) pieces.push([]);
      return;
    }
    const corner = {x: scales.xOf(i), y: scales.y(value)};
    const before = piece?.at(-1);
    if (line.stepped && before) piece?.push({x: corner.x, y: before.y});
    piece?.push(corner);
  });
  return pieces.filter((piece) => piece.length > 0);
}

function paintAxes(context: CanvasRenderingContext2D, scales: Scales): void {
  const {x, unit} = scales.data;
  const {across, up, right} = scales;
  const [muted, grid, line] = [colour("muted"), colour("grid"), colour("line")];
  const stroke = (ink: string, fromX: number, fromY: number, toX: number, toY: number) => {
    context.strokeStyle = ink;
    context.beginPath();
    context.moveTo(Math.round(fromX) + 0.5, Math.round(fromY) + 0.5);
    context.lineTo(Math.round(toX) + 0.5, Math.round(toY) + 0.5);
    context.stroke();
  };
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = muted;
  context.lineWidth = 1;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const value of ticksBetween(...up, ((up[1] - up[0]) * upPx) / (bottom - top), false)) {
    const y = scales.y(value);
    stroke(grid, left, y, right, y);
    stroke(line, left - 4, y, left, y);
    context.fillText(human(value, unit), left - 9, y);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const value of ticksBetween(
    ...across,
    ((across[1] - across[0]) * acrossPx) / (right - left),
    x.whole === true,
  )) {
    const px = scales.x(value);
    stroke(grid, px, top, px, bottom);
    stroke(line, px, bottom, px, bottom + 4);
    context.fillText(x.format(value), px, bottom + 9);
  }
  context.fillText(x.label, (left + right) / 2, bottom + 28);
}

function paintLines(context: CanvasRenderingContext2D, scales: Scales): void {
  const {x, series, bands} = scales.data;
  const trace = (points: readonly Point[], isBegun: boolean) =>
    points.forEach((point, i) =>
      i > 0 || isBegun ? context.lineTo(point.x, point.y) : context.moveTo(point.x, point.y),
    );
  context.save();
  context.beginPath();
  // Dots at the edge are whole.
  context.rect(left - 4, top - 4, scales.right - left + 8, bottom - top + 8);
  context.clip();
  for (const [upper, lower, fill] of bands ?? []) {
    const [above, below] = [series[upper], series[lower]];
    if (above === undefined || below === undefined) continue;
    const isKnown = (i: number) => (above.values[i] ?? null) !== null && (below.values[i] ?? null) !== null;
    const under = piecesOf(scales, below, isKnown);
    context.fillStyle = colour(fill);
    piecesOf(scales, above, isKnown).forEach((piece, i) => {
      context.beginPath();
      trace(piece, false);
      trace([...(under[i] ?? [])].reverse(), true);
      context.fill();
    });
  }
  for (const line of series) {
    if (!line.colour || !line.width) continue;
    const pieces = piecesOf(scales, line, () => true);
    context.strokeStyle = colour(line.colour);
    context.fillStyle = colour(line.colour);
    context.lineWidth = line.width;
    context.lineJoin = "round";
    context.beginPath();
    for (const piece of pieces) trace(piece, false);
    context.stroke();
    if (x.values.length > mostDots || line.stepped) continue;
    for (const {x: px, y} of pieces.flat()) {
      context.beginPath();
      context.arc(px, y, 2.5, 0, 2 * Math.PI);
      context.fill();
    }
  }
  context.restore();
}

const isKnown = (value: CellValue | undefined) => value !== null && value !== undefined;

// Whose values stand there, from the top down.
function rankedAt(series: readonly Line[], i: number): Line[] {
  const known = series.filter((one) => isKnown(one.rankAt?.(i)) && isKnown(one.values[i]));
  return sorted(known, (one) => one.values[i], true);
}

function ownLines({lineOf}: LineChart, choice: Choice): Line[] {
  return Array.from(choice.ranks.value)
    .slice(0, mostOwn)
    .flatMap((rank) => {
      const line = lineOf?.(rank);
      return line ? [{...line, rankAt: () => rank}] : [];
    });
}

export function LineChart(data: LineChart) {
  const {name, series, x, title} = data;
  const plot = usePlot();
  const {choice, tips} = plot;
  const [zoom, setZoom] = useState<{readonly of: LineX; readonly part: Range} | null>(null);
  const at = useSignal<number | null>(null);
  const dragged = useSignal<Range | null>(null);
  const down = useRef<number | null>(null);
  const scales = useMemo(
    () => new Scales(data, plot.width, zoom?.of === x ? zoom.part : null),
    [series, x, plot.width, zoom],
  );
  const canvas = useCanvas(plot, height, (context) => {
    paintAxes(context, scales);
    paintLines(context, scales);
  });

  // Where there is something to read; a line may have corners elsewhere.
  const isPlace = (i: number) => i >= scales.from && i < scales.to && series.some((one) => one.cell(i));
  function show(i: number, point: Point, speak: boolean) {
    if (!isPlace(i)) return leave();
    at.value = i;
    const lines = [...series, ...ownLines(data, choice)].flatMap((one): TipLine[] => {
      const cell = one.cell(i);
      return cell ? [[one.swatch ?? one.colour, one.label, cell]] : [];
    });
    tips.show(point, title(i), lines, speak);
  }
  function leave() {
    at.value = null;
    tips.hide();
  }
  function read(move: Move) {
    const places = x.values.map((_, i) => i).filter(isPlace);
    const now = at.value === null ? -1 : places.indexOf(at.value);
    const next = places[placeAfter(now, move, places.length - 1)];
    const box = plot.box();
    if (next !== undefined) show(next, {x: box.left + scales.xOf(next), y: box.top + top + 30}, true);
  }
  function ranksUnder(px: number, py: number): number[] {
    if (!scales.isInside(px)) return [];
    const i = scales.indexAt(px);
    const away = (one: Line) => Math.abs(scales.y(one.values[i] ?? 0) - py);
    const [nearest] = sorted(rankedAt(series, i), away, false);
    return nearest && away(nearest) <= nearPx ? [Number(nearest.rankAt?.(i))] : [];
  }
  // By keyboard one after another.
  function ranksHere(): number[] {
    const i = at.value;
    const all = i === null ? [] : distinct(rankedAt(series, i).map((one) => Number(one.rankAt?.(i))));
    const now = choice.ranks.value.size === 1 ? all.findIndex((rank) => choice.isChosen(rank)) : -1;
    return all.slice(Math.min(now + 1, all.length - 1)).slice(0, 1);
  }
  function release() {
    const part = dragged.value;
    down.current = null;
    dragged.value = null;
    if (part === null) return;
    const seen: Range = [scales.valueAt(part[0]), scales.valueAt(part[1])];
    if (x.values.some((value) => value >= seen[0] && value <= seen[1])) setZoom({of: x, part: seen});
  }

  return (
    <PlotBox
      plot={plot}
      name={name}
      data={{"data-points": x.values.length}}
      reading={{
        point: (px, _, pointer) => {
          if (down.current !== null && Math.abs(px - down.current) > 3) {
            const to = Math.max(left, Math.min(scales.right, px));
            dragged.value = [Math.min(down.current, to), Math.max(down.current, to)];
          }
          if (scales.isInside(px)) show(scales.indexAt(px), pointer, false);
          else leave();
        },
        move: read,
        leave,
        under: ranksUnder,
        here: ranksHere,
      }}
    >
      <canvas
        key={plot.theme.now.value}
        aria-hidden="true"
        ref={canvas}
        onPointerDown={(event) => {
          const px = event.clientX - plot.box().left;
          if (event.button !== 0 || !scales.isInside(px)) return;
          down.current = px;
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerUp={release}
        onPointerCancel={release}
        onDblClick={() => setZoom(null)}
      />
      {plot.width === 0 ? null : (
        <svg class="over" viewBox={`0 0 ${plot.width} ${height}`} aria-hidden="true">
          <Dragged part={dragged} />
          <Here at={at} scales={scales} />
          <ChosenLines scales={scales} />
        </svg>
      )}
    </PlotBox>
  );
}

// What a release of the pointer will show.
function Dragged({part}: {readonly part: ReadonlySignal<Range | null>}) {
  const range = part.value;
  return range === null ? null : (
    <rect class="dragged" x={range[0]} width={range[1] - range[0]} y={top} height={bottom - top} />
  );
}

// What the tooltip is about.
function Here({at, scales}: {readonly at: ReadonlySignal<number | null>; readonly scales: Scales}) {
  const i = at.value;
  if (i === null) return null;
  const px = scales.xOf(i);
  const seen = scales.data.series.filter((one) => one.colour && one.width && isKnown(one.values[i]));
  return (
    <g class="here">
      <line x1={px} x2={px} y1={top} y2={bottom} />
      {seen.map((one, k) => (
        <circle key={k} cx={px} cy={scales.y(one.values[i] ?? 0)} r={3.5} style={{fill: `var(--${one.colour})`}} />
      ))}
    </g>
  );
}

// Over the chart, a line wherever values are those of chosen ranks; a circle where it would be a point.
function ChosenLines({scales}: {readonly scales: Scales}) {
  const {choice} = useDrawing();
  if (choice.ranks.value.size === 0) return null;
  const own = ownLines(scales.data, choice);
  const rankOf = (one: Line, i: number) => one.rankAt?.(i) ?? null;
  const hasOwn = new Set(own.map((one) => Number(rankOf(one, 0))));
  // A rank with a line of its own needs no other mark.
  const isShownBy = (one: Line, i: number) =>
    choice.isChosen(rankOf(one, i)) && (own.includes(one) || !hasOwn.has(Number(rankOf(one, i))));
  const ranksOf = (one: Line) => (i: number) => Number(rankOf(one, i));
  return (
    <>
      {[...scales.data.series, ...own]
        .filter(({rankAt}) => rankAt)
        .flatMap((one) => stretchesOf(scales, one, (i) => isShownBy(one, i)).map((stretch) => ({one, stretch})))
        .map(({one, stretch}, key) => {
          const ranks = chosenOf(choice, {ranks: distinct(stretch.map(ranksOf(one)))});
          const [piece = []] = piecesOf(scales, one, (i) => stretch.includes(i));
          const [first] = piece;
          if (stretch.length === 1 && first)
            return (
              <circle
                key={key}
                class="chosen"
                data-rank={ranks}
                cx={first.x.toFixed(1)}
                cy={first.y.toFixed(1)}
                r={6}
              />
            );
          return (
            <polyline
              key={key}
              class="chosen"
              data-rank={ranks}
              points={piece.map(({x: px, y}) => `${px.toFixed(1)},${y.toFixed(1)}`).join(" ")}
            />
          );
        })}
    </>
  );
}

// Values one behind the other that are known and wanted.
function stretchesOf(scales: Scales, line: Line, isWanted: (i: number) => boolean): number[][] {
  const found: number[][] = [[]];
  scales.data.x.values.forEach((_, i) => {
    if (i >= scales.from && i < scales.to && isKnown(line.values[i]) && isWanted(i)) found.at(-1)?.push(i);
    else if (found.at(-1)?.length) found.push([]);
  });
  return found.filter((stretch) => stretch.length > 0);
}
