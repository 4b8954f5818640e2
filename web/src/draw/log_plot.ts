// Points on two logarithmic axes, with lines between them.
//
// points: {x, y, size, colour, mark, title, lines}, the largest first; `size` is drawn as an area, marked ones have an outline.
// across and up: {low, high, tick(value) -> its label}, across with a `label`. lines({x, y, left, right, isNarrow}) -> nodes below the points,
// x and y being the scales.

import {type Child, el, hideCursor, showCursor, svg} from "./dom";
import {drawn} from "./redraw";
import {type Point, type TipLine, byKeyboard, hideTip, placeAfter, showTip} from "./tooltip";

// Powers of ten from below `low` to above `high`, with 2 and 5 between where there is room.
function logTicks(low: number, high: number, hasRoom: boolean): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    for (const digit of hasRoom ? [1, 2, 5] : [1]) {
      const tick = digit * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) found.push(tick);
    }
  }
  return found;
}

export interface LogPoint {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly colour: string | undefined;
  readonly mark?: boolean;
  readonly title: string;
  readonly lines: readonly TipLine[];
}
interface Axis {
  readonly low: number;
  readonly high: number;
  readonly tick: (value: number) => string;
}
export interface LogScales {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly left: number;
  readonly right: number;
  readonly isNarrow: boolean;
}
interface LogPlot {
  readonly name: string;
  readonly kind: string;
  readonly points: readonly LogPoint[];
  readonly across: Axis & {readonly label: string};
  readonly up: Axis;
  readonly lines: (scales: LogScales) => Child[];
}

export function logPlot({name, kind, points, across, up, lines}: LogPlot): HTMLElement {
  const plot = el("div", {class: `plot logarithmic ${kind}`, "data-plot": name, "data-points": points.length});
  let at = -1;
  let places: {x: number; y: number; radius: number}[] = [];
  const largest = Math.max(...points.map((point) => point.size));

  function draw(width: number) {
    const isNarrow = width < 560;
    const height = isNarrow ? 300 : 360;
    const margin = {left: 80, right: 10, top: 10, bottom: 40};
    const x = (value: number) =>
      margin.left +
      ((width - margin.left - margin.right) * Math.log10(value / across.low)) / Math.log10(across.high / across.low);
    const y = (value: number) =>
      height -
      margin.bottom -
      ((height - margin.top - margin.bottom) * Math.log10(value / up.low)) / Math.log10(up.high / up.low);
    const columns = logTicks(across.low, across.high, width / Math.log10(across.high / across.low) > 220).map(
      (tick) => [
        svg("line", {class: "grid", x1: x(tick), x2: x(tick), y1: margin.top, y2: height - margin.bottom}),
        x(tick) > width - margin.right - 14
          ? null
          : svg(
              "text",
              {x: x(tick).toFixed(1), y: height - margin.bottom + 15, "text-anchor": "middle"},
              across.tick(tick),
            ),
      ],
    );
    const rows = logTicks(up.low, up.high, Math.log10(up.high / up.low) < 1.3).map((tick) => [
      svg("line", {class: "grid", x1: margin.left, x2: width - margin.right, y1: y(tick), y2: y(tick)}),
      svg("text", {x: margin.left - 6, y: (y(tick) + 4).toFixed(1), "text-anchor": "end"}, up.tick(tick)),
    ]);
    const radius = isNarrow ? 14 : 20;
    places = points.map((point) => ({
      x: x(point.x),
      y: y(point.y),
      radius: Math.max(2.5, radius * Math.sqrt(point.size / largest)),
    }));
    const circles = points.map((point, i) => {
      const {x: cx, y: cy, radius: r} = places[i];
      const circle = svg("circle", {
        cx: cx.toFixed(2),
        cy: cy.toFixed(2),
        r: r.toFixed(2),
        class: point.mark ? "marked" : null,
      });
      circle.style.fill = `var(--${point.colour})`;
      return circle;
    });
    plot.replaceChildren(
      svg(
        "svg",
        {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"},
        columns,
        rows,
        lines({x, y, left: margin.left, right: width - margin.right, isNarrow}),
        circles,
        svg(
          "text",
          {x: (margin.left + width - margin.right) / 2, y: height - 6, "text-anchor": "middle"},
          across.label,
        ),
        svg("circle", {class: "cursor", visibility: "hidden"}),
      ),
    );
  }

  function show(i: number, point: Point | null, speak: boolean) {
    at = i;
    const place = places[i];
    showCursor(plot, {cx: place.x, cy: place.y, r: place.radius + 2});
    const box = plot.getBoundingClientRect();
    showTip(
      point || {x: box.left + place.x + place.radius, y: box.top + place.y},
      points[i].title,
      points[i].lines,
      speak,
    );
  }
  function leave() {
    at = -1;
    hideTip();
    hideCursor(plot);
  }
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const far = (place: Point) => Math.hypot(event.clientX - box.left - place.x, event.clientY - box.top - place.y);
    // The smallest one below the pointer, which is drawn on top; else the nearest.
    let found = -1;
    places.forEach((place, i) => {
      if (far(place) <= place.radius) found = i;
    });
    if (found < 0)
      found = places.reduce(
        (best, place, i) => (far(place) < 12 && (best < 0 || far(place) < far(places[best])) ? i : best),
        -1,
      );
    if (found >= 0) show(found, {x: event.clientX, y: event.clientY}, false);
    else leave();
  });
  plot.addEventListener("pointerleave", leave);
  byKeyboard(
    plot,
    name,
    (move) => {
      show(placeAfter(at, move, points.length - 1), null, true);
    },
    leave,
  );
  return drawn(plot, draw);
}
