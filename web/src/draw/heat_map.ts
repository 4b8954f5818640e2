// A heat map: a row per metric or kernel, a column per rank or step. One SVG path per shade, so that 22,000 cells are nine elements.
//
// rows and columns: {label, title, rank}, a rank being what can be chosen there (selection.js); ranksAt(r, c) -> the ranks of a cell; cell(r, c) -> {value: cell, shade: -4..4, mark: bool, lines: [...]} or null.
// plot.change({axis, rows, columns, cell}) shows others in its place.

import {human} from "../model/format";
import type {Cell} from "../model/report";
import {type OfRanks, chosenRanks, hasChosen, ranksOf} from "../model/selection";
import {columnLabels, everyNth} from "./axes";
import {choosable, chosenFrame} from "./choosable";
import {el, front, hideCursor, showCursor, svg} from "./dom";
import type {LegendEntry} from "./legend";
import {drawn, onPaper, paperWidth} from "./redraw";
import {type Point, type TipLine, byKeyboard, hideTip, showTip} from "./tooltip";

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
interface Geometry {
  readonly left: number;
  readonly pitch: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly cellTop: number;
  readonly cellHeight: number;
  readonly width: number;
}
type Place = readonly [row: number, column: number];

export function heatMap({
  name,
  axis,
  rows,
  columns,
  cell,
  ranksAt,
  rowLabelWidth,
}: HeatData & {readonly name: string; readonly rowLabelWidth: number}): HTMLElement & {
  change: (other: HeatData) => void;
} {
  const plot = el("div", {class: "plot", "data-plot": name, "data-cells": rows.length * columns.length});
  const top = 4;
  let at: Place | null = null;
  let geometry: Geometry; // once it is drawn
  const overlay = svg("g");

  function draw(width: number) {
    // In a narrow window labels stand above their cells.
    const isNarrow = width < 560;
    const left = isNarrow ? 0 : Math.min(rowLabelWidth, Math.floor(width * 0.36));
    const pitch = Math.min((width - left - 2) / columns.length, 96);
    // Many rows are low ones, with a label for some of them.
    const cellHeight = Math.min(19, Math.max(1.5, 640 / rows.length));
    const isLow = cellHeight < 13;
    const rowHeight = isLow ? cellHeight + (cellHeight > 6 ? 1 : 0) : isNarrow ? cellHeight + 17 : cellHeight + 1;
    const cellTop = rowHeight - cellHeight - (isLow && cellHeight <= 6 ? 0 : 1);
    const labelled = isLow ? everyNth(rows.length, rowHeight, 13) : 1;
    const height = top + rows.length * rowHeight + 36;
    geometry = {left, pitch, height, rowHeight, cellTop, cellHeight, width};
    const gap = pitch > 6 ? 1 : 0;
    const shades = new Map<number, string>();
    const texts: SVGElement[] = [];
    let marks = "";
    const hasTexts = pitch >= 58 && !isLow;
    rows.forEach((row, r) =>
      columns.forEach((column, c) => {
        const found = cell(r, c);
        if (!found) return;
        const x = left + c * pitch;
        const y = top + r * rowHeight + cellTop;
        // A strong shade is seen among a thousand columns, too.
        const wide = Math.abs(found.shade) >= 2 ? Math.max(pitch - gap, 2) : pitch - gap;
        const d = `M${x.toFixed(2)} ${Number(y.toFixed(2))}h${wide.toFixed(2)}v${cellHeight}h${(-wide).toFixed(2)}z`;
        shades.set(found.shade, (shades.get(found.shade) || "") + d);
        if (hasTexts) {
          const text = svg(
            "text",
            {x: (x + pitch / 2).toFixed(1), y: y + 14, "text-anchor": "middle", class: "strong"},
            human(found.value.value, found.value.unit),
          );
          if (Math.abs(found.shade) >= 3) text.style.fill = "var(--on-strong)";
          texts.push(text);
        }
        if (found.mark) {
          const middle = hasTexts ? x + pitch - 8 : x + (pitch - gap) / 2;
          const size = Math.max(2.5, Math.min(4, pitch / 2));
          const my = y + cellHeight / 2;
          marks += `M${(middle - size).toFixed(1)} ${my}l${size} ${-size}l${size} ${size}l${-size} ${size}z`;
        }
      }),
    );
    const fields = Array.from(shades)
      .sort(([a], [b]) => Math.abs(a) - Math.abs(b))
      .map(([shade, d]) => {
        const path = svg("path", {d, "data-shade": shade, "shape-rendering": "crispEdges"});
        path.style.fill = `var(--${shadeName(shade)})`;
        return path;
      });
    const most = Math.floor((isNarrow ? width : left - 8) / 6.7);
    plot.replaceChildren(
      svg(
        "svg",
        {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"},
        rows.map((row, r) =>
          r % labelled || (isNarrow && isLow)
            ? null
            : svg(
                "text",
                {
                  x: isNarrow ? 0 : left - 8,
                  y: top + r * rowHeight + (isLow ? rowHeight / 2 + 4 : isNarrow ? 12 : 14),
                  "text-anchor": isNarrow ? "start" : "end",
                  class: "strong",
                },
                front(row.label, most),
              ),
        ),
        fields,
        texts,
        svg("path", {class: "mark", d: marks}),
        columnLabels(
          columns.map((column) => column.label),
          left,
          pitch,
          height - 21,
        ),
        svg("text", {x: left + (columns.length * pitch) / 2, y: height - 4, "text-anchor": "middle"}, axis),
        overlay,
        svg("rect", {class: "cursor", visibility: "hidden", width: Math.max(pitch - gap, 3)}),
      ),
    );
    drawChosen();
  }
  function drawChosen() {
    if (!geometry) return;
    const {left, pitch, rowHeight, cellTop, cellHeight} = geometry;
    const frame = (one: OfRanks, x: number, y: number, width: number, height: number) =>
      chosenFrame(one, x - 1, y - 1, Math.max(width, 3) + 1, height + 2);
    const found: SVGElement[] = [];
    columns.forEach((column, c) => {
      if (hasChosen(column)) found.push(frame(column, left + c * pitch, top, pitch, rows.length * rowHeight));
    });
    rows.forEach((row, r) => {
      if (hasChosen(row))
        found.push(frame(row, left, top + r * rowHeight + cellTop, columns.length * pitch, cellHeight));
    });
    const ranksOfCell = ranksAt;
    if (ranksOfCell && chosenRanks.size) {
      rows.forEach((_, r) =>
        columns.forEach((__, c) => {
          const one = {ranks: ranksOfCell(r, c)};
          if (hasChosen(one))
            found.push(frame(one, left + c * pitch, top + r * rowHeight + cellTop, pitch, cellHeight));
        }),
      );
    }
    overlay.replaceChildren(...found);
  }
  function ranksHere(place: Place | null): readonly number[] {
    if (place === null) return [];
    const [r, c] = place;
    return (
      [columns[c], rows[r], {ranks: ranksAt ? ranksAt(r, c) : []}]
        .map((one) => ranksOf(one))
        .find((ranks) => ranks.length) || []
    );
  }

  function show(r: number, c: number, point: Point | null, speak: boolean) {
    at = [r, c];
    const found = cell(r, c);
    const x = geometry.left + c * geometry.pitch;
    const y = top + r * geometry.rowHeight + geometry.cellTop;
    showCursor(plot, {x, y, height: geometry.cellHeight});
    const box = plot.getBoundingClientRect();
    const place = point || {x: box.left + x + geometry.pitch, y: box.top + y};
    showTip(place, `${rows[r].title}, ${columns[c].title}`, found ? found.lines : [], speak);
  }
  function leave() {
    at = null;
    hideTip();
    hideCursor(plot);
  }

  const placeOf = (event: MouseEvent): Place | null => {
    const box = plot.getBoundingClientRect();
    const c = Math.floor((event.clientX - box.left - geometry.left) / geometry.pitch);
    const r = Math.floor((event.clientY - box.top - top) / geometry.rowHeight);
    return r >= 0 && r < rows.length && c >= 0 && c < columns.length ? [r, c] : null;
  };
  plot.addEventListener("pointermove", (event) => {
    const place = placeOf(event);
    if (place) show(place[0], place[1], {x: event.clientX, y: event.clientY}, false);
    else leave();
  });
  choosable(plot, {under: (event) => ranksHere(placeOf(event)), here: () => ranksHere(at), mark: drawChosen});
  plot.addEventListener("pointerleave", leave);
  byKeyboard(
    plot,
    name,
    (move) => {
      const [r, c] = at || [0, -1];
      const next =
        move === "first"
          ? cellFrom(r, 0, 1, 0)
          : move === "last"
            ? cellFrom(r, columns.length - 1, -1, 0)
            : cellFrom(r + move[1], c + move[0], move[0], move[1]);
      const [row, column] = next || at || [0, 0];
      show(row, column, null, true);
    },
    leave,
  );
  // The first cell that is not blank from a column or row on, in the direction of reading; of several the one nearest to where the reader is.
  function cellFrom(r: number, c: number, right: number, down: number): Place | null {
    for (; r >= 0 && r < rows.length && c >= 0 && c < columns.length; r += down, c += right) {
      const across = right ? rows.map((_, row): Place => [row, c]) : columns.map((_, column): Place => [r, column]);
      const found = across.filter(([row, column]) => cell(row, column));
      const away = ([row, column]: Place) => Math.abs(row - r) + Math.abs(column - c);
      if (found.length) return found.reduce((best, one) => (away(one) < away(best) ? one : best));
    }
    return null;
  }
  const change = (other: HeatData) => {
    leave();
    ({axis, rows, columns, cell, ranksAt} = other);
    plot.dataset.cells = String(rows.length * columns.length);
    const width = onPaper ? paperWidth : plot.clientWidth;
    // What is folded is drawn when it is opened.
    if (width > 0) draw(width);
  };
  return Object.assign(drawn(plot, draw), {change});
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
  const [low, high, middle] = [order[0], order[order.length - 1], order[Math.floor(order.length / 2)]];
  const isFlat = !(high - low > least);
  const far = Math.max(high - middle, middle - low);
  const of = (value: number) =>
    isFlat ? 0 : Math.sign(value - middle) * Math.min(4, Math.floor((Math.abs(value - middle) / far) * 5)) || 0;
  const within = (value: number) => Math.max(low, Math.min(high, value));
  const range = (shade: number) =>
    (shade === 0
      ? [middle - far / 5, middle + far / 5]
      : [
          middle + (far * Math.min(shade, shade + Math.sign(shade))) / 5,
          middle + (far * Math.max(shade, shade + Math.sign(shade))) / 5,
        ]
    ).map(within);
  return {
    isFlat,
    of,
    legend: (format: (value: number) => string) =>
      isFlat
        ? []
        : Array.from(new Set(values.map(of)))
            .sort((a, b) => a - b)
            .map(
              (shade): LegendEntry => [
                shadeName(shade),
                `${range(shade).map(format).join(" to ")}${shade === 0 ? " (around the median)" : ""}`,
              ],
            ),
  };
}

export function shadeLegend(borders: readonly number[], unit: string, low: string, high: string): LegendEntry[] {
  const name = (i: number) =>
    i === 0 ? `within ${borders[0]}${unit}` : `${i < 0 ? "\u2212" : "+"}${borders[Math.abs(i) - 1]}${unit}`;
  return [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((i) => [
    shadeName(i),
    `${name(i)}${i === -4 ? ` (${low})` : i === 4 ? ` (${high})` : ""}`,
  ]);
}
