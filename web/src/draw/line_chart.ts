// Lines and bands over steps or time, drawn by uPlot.
//
// x: {label, values, format(value)}; series: {label, colour, values, width, cell(i), rankAt(i)}, the last being the rank of a value, where it is one's;
// lineOf(rank) -> {label, values, cell(i)}, a line that is only there while the rank is chosen, or null; bands: [[upper, lower, colour]] by series number.
// The chart's change(other) shows other data of the same kind in its place.

import uPlot from "uplot";
import {human} from "../model/format";
import {distinct, sorted} from "../model/order";
import type {Cell, CellValue} from "../model/report";
import {chosenRanks, isChosen} from "../model/selection";
import {choosable, chosenMark} from "./choosable";
import {colour, el, svg} from "./dom";
import {drawn, onPaper, paperWidth} from "./redraw";
import {type TipLine, byKeyboard, hideTip, placeAfter, showTip} from "./tooltip";

// From 0 where that costs little; else from just below the data, but showing at least a fifth of its size, so that noise stays small.
function nearRange(low: number, high: number): [number, number] {
  if (!(high > 0)) return [0, 1];
  const from = Math.min(low - 0.1 * (high - low), high * 0.8);
  return [from < high * 0.4 ? 0 : from, high + 0.1 * (high - from)];
}

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

export function lineChart({
  name,
  x,
  series,
  bands,
  lineOf,
  unit,
  title,
  zoomed,
}: LineChart): HTMLElement & {change: (other: LineData) => void} {
  const few = () => x.values.length <= 60;
  const plot = el("div", {class: "plot", "data-plot": name, "data-points": x.values.length});
  let chart: uPlot | null = null;
  let byKeys = false;
  // Where there is something to read; a line may have corners elsewhere.
  const findPlaces = () => x.values.map((_, i) => i).filter((i) => series.some((one) => one.cell(i)));
  let places = findPlaces();

  const axis = {
    stroke: () => colour("muted"),
    font: "11px system-ui, sans-serif",
    grid: {stroke: () => colour("grid"), width: 1},
    ticks: {stroke: () => colour("line"), width: 1, size: 4},
  };

  function options(width: number): uPlot.Options {
    return {
      width,
      height: 240,
      padding: [10, x.whole ? 18 : 26, 0, 0],
      legend: {show: false},
      cursor: {y: false, drag: {x: true, y: false}, points: {size: 7}},
      scales: {
        x: {time: false},
        y: {
          range: (u: uPlot, low: number, high: number): [number, number] =>
            zoomed ? nearRange(low, high) : [0, high > 0 ? high * 1.06 : 1],
        },
      },
      axes: [
        {
          ...axis,
          label: x.label,
          labelFont: "11px system-ui, sans-serif",
          labelSize: 18,
          size: 28,
          space: 60,
          incrs: x.whole ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6, 1e7] : undefined,
          values: (u: uPlot, splits) =>
            splits.map((value) => (x.whole && !Number.isInteger(value) ? "" : x.format(value))),
        },
        {...axis, size: 66, values: (u: uPlot, splits) => splits.map((value) => human(value, unit))},
      ],
      series: [
        {},
        ...series.map((one) => ({
          label: one.label,
          width: one.width,
          stroke: () => (one.colour ? colour(one.colour) : "transparent"),
          spanGaps: false,
          paths: one.stepped ? uPlot.paths.stepped?.({align: 1}) : undefined,
          points: {
            show: few() && (one.width ?? 0) > 0 && !one.stepped,
            size: 5,
            fill: () => colour(one.colour || "ground"),
          },
        })),
      ],
      bands: (bands ?? []).map(
        ([upper, lower, fillName]): uPlot.Band => ({series: [upper + 1, lower + 1], fill: () => colour(fillName)}),
      ),
      hooks: {
        draw: [drawChosen],
        setCursor: [
          (u: uPlot) => {
            const i = u.cursor.idx;
            const {left = -1, top = 0} = u.cursor;
            if (i === null || i === undefined || left < 0) return hideTip();
            if (!series.some((one) => one.cell(i))) return hideTip();
            const box = u.over.getBoundingClientRect();
            const lines = [...series, ...ownLines()].flatMap((one): TipLine[] => {
              const cell = one.cell(i);
              return cell ? [[one.swatch ?? one.colour, one.label, cell]] : [];
            });
            showTip({x: box.left + left, y: box.top + Math.max(0, top)}, title(i), lines, byKeys);
            return undefined;
          },
        ],
      },
    };
  }

  // Over the chart, a line wherever values are those of chosen ranks; a circle where it would be a point.
  const overlay = svg("svg", {class: "over", "aria-hidden": "true"});
  const mostOwn = 16;
  const ownLines = (): Line[] =>
    Array.from(chosenRanks)
      .slice(0, mostOwn)
      .flatMap((rank) => {
        const line = lineOf?.(rank);
        return line ? [{...line, rankAt: () => rank}] : [];
      });
  function drawChosen(u: uPlot) {
    const marks: SVGElement[] = [];
    const own = ownLines();
    const rankOf = (one: Line, i: number) => one.rankAt?.(i) ?? null;
    const hasOwn = new Set(own.map((one) => Number(rankOf(one, 0))));
    // A rank with a line of its own needs no other mark.
    const isShownBy = (one: Line, i: number) =>
      isChosen(rankOf(one, i)) && one.values[i] !== null && (own.includes(one) || !hasOwn.has(Number(rankOf(one, i))));
    for (const one of [...series, ...own].filter(({rankAt}) => rankAt)) {
      let stretch: number[] = [];
      const end = () => {
        const whose = {ranks: distinct(stretch.map((i) => Number(rankOf(one, i))))};
        const places = stretch.map((i): [number, number] => [
          u.valToPos(x.values[i], "x"),
          u.valToPos(one.values[i] ?? 0, "y"),
        ]);
        const corners = places.flatMap(([px, py], k) =>
          one.stepped && k > 0
            ? [
                [px, places[k - 1][1]],
                [px, py],
              ]
            : [[px, py]],
        );
        if (places.length === 1)
          marks.push(chosenMark(whose, "circle", {cx: places[0][0].toFixed(1), cy: places[0][1].toFixed(1), r: 6}));
        if (places.length > 1)
          marks.push(
            chosenMark(whose, "polyline", {
              points: corners.map((corner) => corner.map((px) => px.toFixed(1)).join(",")).join(" "),
            }),
          );
        stretch = [];
      };
      x.values.forEach((_, i) => {
        if (isShownBy(one, i)) stretch.push(i);
        else end();
      });
      end();
    }
    overlay.replaceChildren(...marks);
  }
  // Whose values stand there, from the top down.
  const ranked = (i: number) =>
    sorted(
      series.filter((one) => isKnown(one.rankAt?.(i)) && isKnown(one.values[i])),
      (one) => one.values[i],
      true,
    );
  const isKnown = (value: CellValue | undefined) => value !== null && value !== undefined;
  const nearPx = 30;
  function ranksUnder(event: MouseEvent): number[] {
    if (chart === null) return [];
    const {valToPos} = chart;
    const box = chart.over.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    if (px < 0 || px > box.width) return [];
    const i = chart.posToIdx(px);
    const away = (one: Line) => Math.abs(valToPos(one.values[i] ?? 0, "y") - py);
    const [nearest] = sorted(ranked(i), away, false);
    return nearest && away(nearest) <= nearPx ? [Number(nearest.rankAt?.(i))] : [];
  }
  // By keyboard one after another.
  function ranksHere(): number[] {
    const i = chart && (chart.cursor.left ?? -1) >= 0 ? (chart.cursor.idx ?? null) : null;
    const all = i === null ? [] : distinct(ranked(i).map((one) => Number(one.rankAt?.(i))));
    const now = chosenRanks.size === 1 ? all.findIndex(isChosen) : -1;
    return all.slice(Math.min(now + 1, all.length - 1)).slice(0, 1);
  }

  function draw(width: number) {
    // uPlot sizes for the screen's pixels; a new chart is as quick as changing one.
    if (chart) chart.destroy();
    chart = new uPlot(options(width), [[...x.values], ...series.map((one) => [...one.values])], plot);
    chart.over.append(overlay);
  }
  const leave = () => {
    hideTip();
    if (chart) chart.setCursor({left: -10, top: -10}, false);
  };
  choosable(plot, {
    under: ranksUnder,
    here: ranksHere,
    mark: () => {
      if (chart && chart.status === 1) drawChosen(chart);
    },
  });
  plot.addEventListener("pointermove", () => {
    byKeys = false;
  });
  plot.addEventListener("pointerleave", hideTip);
  byKeyboard(
    plot,
    name,
    (move) => {
      byKeys = true;
      if (chart === null) return;
      const now = (chart.cursor.left ?? -1) >= 0 ? places.indexOf(chart.cursor.idx ?? -1) : -1;
      const next = placeAfter(now, move, places.length - 1);
      chart.setCursor({left: chart.valToPos(x.values[places[next]], "x"), top: 30});
    },
    leave,
  );
  const change = (other: LineData) => {
    ({x, series, title} = other);
    places = findPlaces();
    plot.dataset.points = String(x.values.length);
    leave();
    if (chart) draw(onPaper ? paperWidth : plot.clientWidth);
  };
  return Object.assign(drawn(plot, draw), {change});
}
