// A heat map: a row per metric or kernel, a column per rank or step. One SVG path per shade, so that 22,000 cells are nine elements.
//
// A row or column with a rank can be chosen; ranksAt(r, c) are the ranks of a cell. A shade is -4 to 4.

import {useRef} from "preact/hooks";
import {type OfRanks, ranksOf} from "../model/choice";
import {human} from "../model/format";
import type {Cell} from "../model/report";
import {front} from "../model/text";
import {ColumnLabels, everyNth, fillOf} from "./axes";
import {ChosenFrame} from "./choosable";
import {useDrawing} from "./drawing";
import type {LegendEntry} from "./legend";
import {Cursor, Picture, PlotBox, usePlot} from "./plot_box";
import type {Point, TipLine} from "./tips";

export interface HeatLine extends OfRanks {
  readonly label: string;
  readonly title: string;
}
export interface HeatCell {
  readonly value: Cell;
  readonly shade: number;
  readonly mark?: boolean;
  readonly lines: readonly TipLine[];
}
export interface HeatData {
  readonly axis: string;
  readonly rows: readonly HeatLine[];
  readonly columns: readonly HeatLine[];
  readonly cell: (row: number, column: number) => HeatCell | null;
  readonly ranksAt?: (row: number, column: number) => readonly number[];
}
interface HeatMap extends HeatData {
  readonly name: string;
  readonly rowLabelWidth: number;
}
interface Geometry {
  readonly width: number;
  readonly isNarrow: boolean;
  readonly isLow: boolean;
  readonly left: number;
  readonly pitch: number;
  readonly gap: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly cellTop: number;
  readonly cellHeight: number;
}
type Place = readonly [row: number, column: number];
const top = 4;

function geometryOf({rows, columns, rowLabelWidth}: HeatMap, width: number): Geometry {
  // In a narrow window labels stand above their cells.
  const isNarrow = width < 560;
  const left = isNarrow ? 0 : Math.min(rowLabelWidth, Math.floor(width * 0.36));
  const pitch = Math.min((width - left - 2) / columns.length, 96);
  // Many rows are low ones, with a label for some of them.
  const cellHeight = Math.min(19, Math.max(1.5, 640 / rows.length));
  const isLow = cellHeight < 13;
  const rowHeight = isLow ? cellHeight + (cellHeight > 6 ? 1 : 0) : isNarrow ? cellHeight + 17 : cellHeight + 1;
  const cellTop = rowHeight - cellHeight - (isLow && cellHeight <= 6 ? 0 : 1);
  return {
    width,
    isNarrow,
    isLow,
    left,
    pitch,
    gap: pitch > 6 ? 1 : 0,
    height: top + rows.length * rowHeight + 36,
    rowHeight,
    cellTop,
    cellHeight,
  };
}

export function HeatMap(props: HeatMap) {
  const {name, axis, rows, columns, cell, ranksAt} = props;
  const plot = usePlot();
  const at = useRef<Place | null>(null);
  const geometry = geometryOf(props, plot.width);
  const {left, pitch, rowHeight, cellTop, cellHeight} = geometry;

  function ranksHere(place: Place | null): readonly number[] {
    if (place === null) return [];
    const [r, c] = place;
    return (
      [columns[c], rows[r], {ranks: ranksAt?.(r, c) ?? []}]
        .map((one) => ranksOf(one ?? {}))
        .find((ranks) => ranks.length > 0) ?? []
    );
  }
  function show([r, c]: Place, point: Point | null, speak: boolean) {
    at.current = [r, c];
    const x = left + c * pitch;
    const y = top + r * rowHeight + cellTop;
    plot.cursor.value = {x, y, height: cellHeight};
    const box = plot.box();
    plot.tips.show(
      point ?? {x: box.left + x + pitch, y: box.top + y},
      `${rows[r]?.title ?? ""}, ${columns[c]?.title ?? ""}`,
      cell(r, c)?.lines ?? [],
      speak,
    );
  }
  function leave() {
    at.current = null;
    plot.tips.hide();
    plot.cursor.value = null;
  }
  const placeOf = (x: number, y: number): Place | null => {
    const c = Math.floor((x - left) / pitch);
    const r = Math.floor((y - top) / rowHeight);
    return r >= 0 && r < rows.length && c >= 0 && c < columns.length ? [r, c] : null;
  };
  // The first cell that is not blank from a column or row on, in the direction of reading; of several the one nearest to where the reader is.
  function cellFrom(fromRow: number, fromColumn: number, right: number, down: number): Place | null {
    for (
      let r = fromRow, c = fromColumn;
      r >= 0 && r < rows.length && c >= 0 && c < columns.length;
      r += down, c += right
    ) {
      const across = right ? rows.map((_, row): Place => [row, c]) : columns.map((_, column): Place => [r, column]);
      const away = ([row, column]: Place) => Math.abs(row - r) + Math.abs(column - c);
      const [nearest] = across.filter(([row, column]) => cell(row, column)).sort((a, b) => away(a) - away(b));
      if (nearest) return nearest;
    }
    return null;
  }

  return (
    <PlotBox
      plot={plot}
      name={name}
      data={{"data-cells": rows.length * columns.length}}
      reading={{
        point: (x, y, pointer) => {
          const place = placeOf(x, y);
          if (place) show(place, pointer, false);
          else leave();
        },
        move: (move) => {
          const [r, c] = at.current ?? [0, -1];
          const next =
            move === "first"
              ? cellFrom(r, 0, 1, 0)
              : move === "last"
                ? cellFrom(r, columns.length - 1, -1, 0)
                : cellFrom(r + move[1], c + move[0], move[0], move[1]);
          show(next ?? at.current ?? [0, 0], null, true);
        },
        leave,
        under: (x, y) => ranksHere(placeOf(x, y)),
        here: () => ranksHere(at.current),
      }}
    >
      {plot.width === 0 ? null : (
        <Picture width={plot.width} height={geometry.height}>
          <RowLabels rows={rows} geometry={geometry} />
          <Cells {...props} geometry={geometry} />
          <ColumnLabels
            labels={columns.map((column) => column.label)}
            left={left}
            pitch={pitch}
            y={geometry.height - 21}
          />
          <text x={left + (columns.length * pitch) / 2} y={geometry.height - 4} text-anchor="middle">
            {axis}
          </text>
          <ChosenCells {...props} geometry={geometry} />
          <Cursor at={plot.cursor} fixed={{width: Math.max(pitch - geometry.gap, 3)}} />
        </Picture>
      )}
    </PlotBox>
  );
}

function RowLabels({rows, geometry}: {readonly rows: readonly HeatLine[]; readonly geometry: Geometry}) {
  const {isNarrow, isLow, left, rowHeight, width} = geometry;
  if (isNarrow && isLow) return null;
  const labelled = isLow ? everyNth(rowHeight, 13) : 1;
  const most = Math.floor((isNarrow ? width : left - 8) / 6.7);
  return (
    <>
      {rows.map((row, r) =>
        r % labelled ? null : (
          <text
            key={r}
            x={isNarrow ? 0 : left - 8}
            y={top + r * rowHeight + (isLow ? rowHeight / 2 + 4 : isNarrow ? 12 : 14)}
            text-anchor={isNarrow ? "start" : "end"}
            class="strong"
          >
            {front(row.label, most)}
          </text>
        ),
      )}
    </>
  );
}

function Cells({rows, columns, cell, geometry}: HeatMap & {readonly geometry: Geometry}) {
  const {isLow, left, pitch, gap, rowHeight, cellTop, cellHeight} = geometry;
  const shades = new Map<number, string>();
  const texts: {x: number; y: number; isStrong: boolean; text: string}[] = [];
  let marks = "";
  const hasTexts = pitch >= 58 && !isLow;
  rows.forEach((_, r) =>
    columns.forEach((__, c) => {
      const found = cell(r, c);
      if (!found) return;
      const x = left + c * pitch;
      const y = top + r * rowHeight + cellTop;
      // A strong shade is seen among a thousand columns, too.
      const wide = Math.abs(found.shade) >= 2 ? Math.max(pitch - gap, 2) : pitch - gap;
      const d = `M${x.toFixed(2)} ${Number(y.toFixed(2))}h${wide.toFixed(2)}v${cellHeight}h${(-wide).toFixed(2)}z`;
      shades.set(found.shade, (shades.get(found.shade) ?? "") + d);
      if (hasTexts)
        texts.push({
          x: x + pitch / 2,
          y: y + 14,
          isStrong: Math.abs(found.shade) >= 3,
          text: human(found.value.value, found.value.unit),
        });
      if (found.mark) {
        const middle = hasTexts ? x + pitch - 8 : x + (pitch - gap) / 2;
        const size = Math.max(2.5, Math.min(4, pitch / 2));
        const my = y + cellHeight / 2;
        marks += `M${(middle - size).toFixed(1)} ${my}l${size} ${-size}l${size} ${size}l${-size} ${size}z`;
      }
    }),
  );
  return (
    <>
      {Array.from(shades)
        .sort(([a], [b]) => Math.abs(a) - Math.abs(b))
        .map(([shade, d]) => (
          <path key={shade} d={d} data-shade={shade} shape-rendering="crispEdges" style={fillOf(shadeName(shade))} />
        ))}
      {texts.map(({x, y, isStrong, text}, i) => (
        <text
          key={i}
          x={x.toFixed(1)}
          y={y}
          text-anchor="middle"
          class="strong"
          style={isStrong ? fillOf("on-strong") : undefined}
        >
          {text}
        </text>
      ))}
      <path class="mark" d={marks} />
    </>
  );
}

function ChosenCells({rows, columns, ranksAt, geometry}: HeatMap & {readonly geometry: Geometry}) {
  const {choice} = useDrawing();
  const {left, pitch, rowHeight, cellTop, cellHeight} = geometry;
  const frame = (key: string, one: OfRanks, x: number, y: number, width: number, height: number) =>
    choice.has(one)
      ? [<ChosenFrame key={key} of={one} x={x - 1} y={y - 1} width={Math.max(width, 3) + 1} height={height + 2} />]
      : [];
  const rowTop = (r: number) => top + r * rowHeight + cellTop;
  return (
    <g>
      {columns.flatMap((column, c) => frame(`c${c}`, column, left + c * pitch, top, pitch, rows.length * rowHeight))}
      {rows.flatMap((row, r) => frame(`r${r}`, row, left, rowTop(r), columns.length * pitch, cellHeight))}
      {ranksAt && choice.ranks.value.size > 0
        ? rows.flatMap((_, r) =>
            columns.flatMap((__, c) =>
              frame(`${r}/${c}`, {ranks: ranksAt(r, c)}, left + c * pitch, rowTop(r), pitch, cellHeight),
            ),
          )
        : null}
    </g>
  );
}

export function shadeName(shade: number): string {
  return shade === 0 ? "middle" : shade < 0 ? `low-${-shade}` : `high-${shade}`;
}

// -4..4 by the borders that |value| passes; unknown is the middle.
export function shadeOf(value: number | null, borders: readonly number[]): number {
  if (value === null) return 0;
  const level = borders.filter((border) => Math.abs(value) >= border).length;
  return value < 0 ? -level || 0 : level;
}

// Shades by the distance from the median of `values`, in fifths of the largest distance, so that one that differs is not in a flood of colour:
// {of(value) -> -4..4, legend(format) of those that occur}. Values that hardly differ, by less than `least`, have none.
interface Shades {
  readonly isFlat: boolean;
  readonly of: (value: number) => number;
  readonly legend: (format: (value: number) => string) => LegendEntry[];
}

export function shadesAround(values: readonly number[], least: number): Shades {
  const order = [...values].sort((a, b) => a - b);
  const [low, high, middle] = [order[0] ?? 0, order.at(-1) ?? 0, order[Math.floor(order.length / 2)] ?? 0];
  const isFlat = !(high - low > least);
  const far = Math.max(high - middle, middle - low);
  const of = (value: number) =>
    isFlat ? 0 : Math.sign(value - middle) * Math.min(4, Math.floor((Math.abs(value - middle) / far) * 5)) || 0;
  const within = (value: number) => Math.max(low, Math.min(high, value));
  const range = (shade: number) => {
    const fifths =
      shade === 0 ? [-1, 1] : [Math.min(shade, shade + Math.sign(shade)), Math.max(shade, shade + Math.sign(shade))];
    return fifths.map((fifth) => within(middle + (far * fifth) / 5));
  };
  const entry = (shade: number, format: (value: number) => string): LegendEntry => [
    shadeName(shade),
    `${range(shade).map(format).join(" to ")}${shade === 0 ? " (around the median)" : ""}`,
  ];
  const present = () => Array.from(new Set(values.map(of))).sort((a, b) => a - b);
  return {isFlat, of, legend: (format) => (isFlat ? [] : present().map((shade) => entry(shade, format)))};
}

export function shadeLegend(borders: readonly number[], unit: string, low: string, high: string): LegendEntry[] {
  const name = (i: number) =>
    i === 0 ? `within ${borders[0]}${unit}` : `${i < 0 ? "\u2212" : "+"}${borders[Math.abs(i) - 1]}${unit}`;
  return [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((i) => [
    shadeName(i),
    `${name(i)}${i === -4 ? ` (${low})` : i === 4 ? ` (${high})` : ""}`,
  ]);
}
