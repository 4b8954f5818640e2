// Points on two logarithmic axes, with lines between them. The largest points come first; `size` is drawn as an area, marked ones have an
// outline. `lines` stand below the points.

import type {ComponentChildren} from "preact";
import {useRef} from "preact/hooks";
import {fillOf} from "./axes";
import {Cursor, Picture, placeAfter, PlotBox, usePlot} from "./plot_box";
import type {Point, TipLine} from "./tips";

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
}
interface LogPlot {
  readonly name: string;
  readonly kind: string;
  readonly points: readonly LogPoint[];
  readonly across: Axis & {readonly label: string};
  readonly up: Axis;
  readonly lines: (scales: LogScales) => ComponentChildren;
}
const margin = {left: 80, right: 10, top: 10, bottom: 40};

export function LogPlot({name, kind, points, across, up, lines}: LogPlot) {
  const plot = usePlot();
  const {width} = plot;
  const at = useRef(-1);
  const isNarrow = width < 560;
  const height = isNarrow ? 300 : 360;
  const [left, right, bottom] = [margin.left, width - margin.right, height - margin.bottom];
  const x = (value: number) =>
    left + ((right - left) * Math.log10(value / across.low)) / Math.log10(across.high / across.low);
  const y = (value: number) =>
    bottom - ((bottom - margin.top) * Math.log10(value / up.low)) / Math.log10(up.high / up.low);
  const largest = Math.max(...points.map((point) => point.size));
  const radius = isNarrow ? 14 : 20;
  const places = points.map((point) => ({
    point,
    x: x(point.x),
    y: y(point.y),
    radius: Math.max(2.5, radius * Math.sqrt(point.size / largest)),
  }));

  function show(i: number, pointer: Point | null, speak: boolean) {
    const place = places[i];
    if (place === undefined) return leave();
    at.current = i;
    plot.cursor.value = {cx: place.x, cy: place.y, r: place.radius + 2};
    const box = plot.box();
    plot.tips.show(
      pointer ?? {x: box.left + place.x + place.radius, y: box.top + place.y},
      place.point.title,
      place.point.lines,
      speak,
    );
  }
  function leave() {
    at.current = -1;
    plot.tips.hide();
    plot.cursor.value = null;
  }
  // The smallest one below the pointer, which is drawn on top; else the nearest.
  function pointAt(px: number, py: number): number {
    const far = places.map((place) => Math.hypot(px - place.x, py - place.y));
    const inside = places.reduce((last, place, i) => ((far[i] ?? Infinity) <= place.radius ? i : last), -1);
    if (inside >= 0) return inside;
    const nearest = far.reduce((best, away, i) => (away < (far[best] ?? Infinity) ? i : best), -1);
    return (far[nearest] ?? Infinity) < 12 ? nearest : -1;
  }

  return (
    <PlotBox
      plot={plot}
      name={name}
      kind={`logarithmic ${kind}`}
      data={{"data-points": points.length}}
      reading={{
        point: (px, py, pointer) => show(pointAt(px, py), pointer, false),
        move: (move) => show(placeAfter(at.current, move, points.length - 1), null, true),
        leave,
      }}
    >
      {width === 0 ? null : (
        <Picture width={width} height={height}>
          {logTicks(across.low, across.high, width / Math.log10(across.high / across.low) > 220).map((tick) => (
            <g key={tick}>
              <line class="grid" x1={x(tick)} x2={x(tick)} y1={margin.top} y2={bottom} />
              {x(tick) > right - 14 ? null : (
                <text x={x(tick).toFixed(1)} y={bottom + 15} text-anchor="middle">
                  {across.tick(tick)}
                </text>
              )}
            </g>
          ))}
          {logTicks(up.low, up.high, Math.log10(up.high / up.low) < 1.3).map((tick) => (
            <g key={tick}>
              <line class="grid" x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
              <text x={left - 6} y={(y(tick) + 4).toFixed(1)} text-anchor="end">
                {up.tick(tick)}
              </text>
            </g>
          ))}
          {lines({x, y, left, right})}
          {places.map((place, i) => (
            <circle
              key={i}
              cx={place.x.toFixed(2)}
              cy={place.y.toFixed(2)}
              r={place.radius.toFixed(2)}
              class={place.point.mark ? "marked" : undefined}
              style={fillOf(place.point.colour)}
            />
          ))}
          <text x={(left + right) / 2} y={height - 6} text-anchor="middle">
            {across.label}
          </text>
          <Cursor at={plot.cursor} shape="circle" />
        </Picture>
      )}
    </PlotBox>
  );
}
