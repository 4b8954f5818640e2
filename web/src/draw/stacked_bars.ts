// A stacked bar per rank. One SVG path per part, so that a thousand ranks are a dozen elements.
//
// bars: {label, title, rank, cells: {part: cell}, mark: bool}; parts: {id, label, colour}; `most` is the top of the axis, null = the highest
// bar. Marked bars have a diamond above them. `under` is a part that hangs below the axis, at a scale of its own. `reach(bar)` is a height at
// which the bar has a dashed line; null = none. `difference(bar)` says how far a bar is off the others: of many bars those that differ most come first, and
// alone, `few` saying which these are. A bar with a rank, or with ranks, can be chosen (selection.js).

import {human} from "../model/format";
import {sorted} from "../model/order";
import type {Cell, CellValue} from "../model/report";
import {type OfRanks, hasChosen, ranksOf} from "../model/selection";
import {columnLabels, ticks} from "./axes";
import {choosable, chosenFrame} from "./choosable";
import {type Child, el, hideCursor, showCursor, svg} from "./dom";
import {drawn, onPaper, paperWidth} from "./redraw";
import {type Point, type TipLine, byKeyboard, hideTip, placeAfter, showTip} from "./tooltip";

export const manyBars = 64;

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
interface StackedBars<B extends Bar> {
  readonly name: string;
  readonly axis: string;
  readonly bars: readonly B[];
  readonly parts: readonly BarPart[];
  readonly unit: string;
  readonly most: number | null;
  readonly sorts: readonly {readonly label: string; readonly key: (bar: B) => CellValue}[];
  readonly under?: BarPart | null;
  readonly reach?: ((bar: B) => number | null) | null;
  readonly difference?: ((bar: B) => number) | null;
  readonly few?: string;
}
interface Geometry {
  readonly pitch: number;
  readonly wide: number;
  readonly gap: number;
  readonly x: (i: number) => number;
}

export function stackedBars<B extends Bar>({
  name,
  axis,
  bars,
  parts,
  unit,
  most,
  sorts,
  under,
  reach,
  difference,
  few = "that differ most",
}: StackedBars<B>): Child {
  const depth = under ? 110 : 0;
  const height = 230 + depth;
  const margin = {left: 52, right: 4, top: 16, bottom: 36};
  const plot = el("div", {class: "plot", "data-plot": name, "data-bars": bars.length});
  const differing = difference && bars.length > manyBars ? sorted(bars, difference, true).slice(0, manyBars) : null;
  // Chosen ranks stand behind them, if they are not among them.
  const mostBehind = 16;
  const differingAndChosen = (): readonly B[] =>
    differing === null
      ? bars
      : [...differing, ...bars.filter((bar) => hasChosen(bar) && !differing.includes(bar)).slice(0, mostBehind)];
  let isDiffering = differing !== null;
  let order: readonly B[] = isDiffering ? differingAndChosen() : bars;
  let at = -1;
  let geometry: Geometry; // once it is drawn

  const value = (bar: B, part: BarPart) => Number(bar.cells[part.id]?.value ?? 0);
  const length = (bar: B) => parts.reduce((sum, part) => sum + value(bar, part), 0);
  const overlay = svg("g");
  const top = most || Math.max(...bars.map(length)) * 1.02 || 1;
  const ground = height - margin.bottom - depth;
  const y = (amount: number) => ground - ((ground - margin.top) * amount) / top;
  const deepest = under ? Math.max(...bars.map((bar) => value(bar, under))) * 1.02 || 1 : 1;
  const yUnder = (amount: number) => ground + 6 + ((depth - 12) * amount) / deepest;
  const all = under ? [...parts, under] : parts;

  function draw(width: number) {
    const pitch = (width - margin.left - margin.right) / order.length;
    const gap = pitch > 8 ? Math.min(pitch * 0.22, 14) : pitch > 3 ? 1 : 0;
    const wide = Math.min(pitch - gap, 64);
    geometry = {pitch, wide, gap, x: (i: number) => margin.left + (i + 0.5) * pitch - wide / 2};
    const base = new Array(order.length).fill(0);
    // Marked bars lie on top and are wide enough to be seen among a thousand.
    const markedPaths: SVGElement[] = [];
    const paths = all.map((part) => {
      let d = "";
      let marked = "";
      order.forEach((bar, i) => {
        const amount = value(bar, part);
        if (!(amount > 0)) return;
        const from = part === under ? yUnder(0) : y(base[i]);
        const to = part === under ? yUnder(amount) : y(base[i] + amount);
        if (part !== under) base[i] += amount;
        const size = bar.mark ? Math.max(wide, 2) : wide;
        const box = `M${geometry.x(i).toFixed(2)} ${from.toFixed(2)}V${to.toFixed(2)}h${size.toFixed(2)}V${from.toFixed(2)}z`;
        if (bar.mark && wide < 2) marked += box;
        else d += box;
      });
      const path = (box: string) => {
        const node = svg("path", {d: box, "data-part": part.id, "shape-rendering": pitch < 3 ? "crispEdges" : null});
        node.style.fill = `var(--${part.colour})`;
        return node;
      };
      if (marked) markedPaths.push(path(marked));
      return path(d);
    });
    const lines = ticks(top, 5).map((tick) => [
      svg("line", {class: "grid", x1: margin.left, x2: width - margin.right, y1: y(tick), y2: y(tick)}),
      svg("text", {x: margin.left - 6, y: y(tick) + 4, "text-anchor": "end"}, tickLabel(tick, unit)),
    ]);
    const linesUnder = !under
      ? []
      : ticks(deepest, 3)
          .slice(1)
          .map((tick) => [
            svg("line", {class: "grid", x1: margin.left, x2: width - margin.right, y1: yUnder(tick), y2: yUnder(tick)}),
            svg("text", {x: margin.left - 6, y: yUnder(tick) + 4, "text-anchor": "end"}, tickLabel(tick, unit)),
          ]);
    plot.replaceChildren(
      svg(
        "svg",
        {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"},
        lines,
        linesUnder,
        paths,
        markedPaths,
        under
          ? svg("line", {class: "axis", x1: margin.left, x2: width - margin.right, y1: yUnder(0), y2: yUnder(0)})
          : null,
        svg("line", {class: "axis", x1: margin.left, x2: width - margin.right, y1: y(0), y2: y(0)}),
        reach
          ? svg("path", {
              class: "reach",
              d: order
                .map((bar, i) =>
                  reach(bar) === null
                    ? ""
                    : `M${(geometry.x(i) - gap / 2).toFixed(1)} ${y(reach(bar) ?? 0).toFixed(1)}h${(wide + gap).toFixed(1)}`,
                )
                .join(""),
            })
          : null,
        svg("path", {
          class: "mark",
          d: order
            .map((bar, i) => (bar.mark ? `M${(geometry.x(i) + wide / 2).toFixed(1)} 3l4 4l-4 4l-4 -4z` : ""))
            .join(""),
        }),
        columnLabels(
          order.map((bar) => bar.label),
          margin.left,
          pitch,
          height - margin.bottom + 15,
        ),
        svg(
          "text",
          {x: margin.left + (width - margin.left - margin.right) / 2, y: height - 3, "text-anchor": "middle"},
          axis,
        ),
        overlay,
        svg("rect", {
          class: "cursor",
          visibility: "hidden",
          y: margin.top,
          height: height - margin.top - margin.bottom,
        }),
      ),
    );
    drawChosen();
  }
  function drawChosen() {
    if (!geometry) return;
    const room = Math.max(geometry.wide, 3);
    overlay.replaceChildren(
      ...order.flatMap((bar, i) =>
        hasChosen(bar)
          ? [
              chosenFrame(
                bar,
                geometry.x(i) + geometry.wide / 2 - room / 2 - 1.5,
                margin.top - 4,
                room + 3,
                height - margin.top - margin.bottom + 8,
              ),
            ]
          : [],
      ),
    );
  }

  function show(i: number, point: Point | null, speak: boolean) {
    at = i;
    showCursor(plot, {x: geometry.x(i) - 1, width: geometry.wide + 2});
    const box = plot.getBoundingClientRect();
    const place = point || {x: box.left + geometry.x(i) + geometry.wide, y: box.top + 40};
    const bar = order[i];
    const lines = all.flatMap((part): TipLine[] => {
      const cell = bar.cells[part.id];
      return cell ? [[part.colour, part.label, cell]] : [];
    });
    showTip(place, bar.title, [...lines, ...(bar.more || [])], speak);
  }
  function leave() {
    at = -1;
    hideTip();
    hideCursor(plot);
  }

  const barAt = (event: MouseEvent) =>
    Math.floor((event.clientX - plot.getBoundingClientRect().left - margin.left) / geometry.pitch);
  const ranksAt = (i: number) => (order[i] ? ranksOf(order[i]) : []);
  choosable(plot, {
    under: (event) => ranksAt(barAt(event)),
    here: () => ranksAt(at),
    mark: () => {
      const next = isDiffering ? differingAndChosen() : order;
      // Where the bars stay, so does the picture.
      if (next.length === order.length && next.every((bar, i) => bar === order[i])) return drawChosen();
      order = next;
      if (geometry) draw(onPaper ? paperWidth : plot.clientWidth);
      return undefined;
    },
  });
  plot.addEventListener("pointermove", (event) => {
    const i = barAt(event);
    if (i >= 0 && i < order.length) show(i, {x: event.clientX, y: event.clientY}, false);
    else leave();
  });
  plot.addEventListener("pointerleave", leave);
  byKeyboard(
    plot,
    name,
    (move) => {
      show(placeAfter(at, move, order.length - 1), null, true);
    },
    leave,
  );

  drawn(plot, draw);
  if (bars.length < 3 || sorts.length === 0) return plot;
  const choices: readonly {
    readonly label: string;
    readonly key: ((bar: B) => CellValue) | null;
    readonly differing?: boolean;
  }[] = [
    ...(differing ? [{label: `the ${manyBars} ${few}`, key: null, differing: true}] : []),
    {label: axis, key: null},
    ...sorts,
  ];
  const buttons = choices.map((choice, i) =>
    el(
      "button",
      {
        type: "button",
        "aria-pressed": String(i === 0),
        onclick: () => {
          buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === i)));
          isDiffering = choice.differing === true;
          order = isDiffering ? differingAndChosen() : choice.key ? sorted(bars, choice.key, true) : bars;
          leave();
          draw(plot.clientWidth);
        },
      },
      choice.label,
    ),
  );
  return [el("div", {class: "tools"}, differing ? "Show" : "Order by", buttons), plot];
}

// On an axis of percent no digits behind the point are needed.
function tickLabel(tick: number, unit: string): string {
  return unit === "%" ? `${tick}%` : human(tick, unit);
}
