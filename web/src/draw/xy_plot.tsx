// Lines and points over numbers: latencies over time, over load, over the size of batches. Values that are not known leave gaps.
//
// A place is an entry of `x`, in the order in which arrow keys go. `bands` are stretches of x with a name, `limits` heights with a name,
// markOf(i) the words at a place. A place that says little is hollow. choose(i) is what a click or Enter does at a place.

import {useMemo, useRef} from "preact/hooks";
import {human} from "../model/format";
import {ticksBetween, zeroRange} from "./line_scales";
import {Cursor, Picture, placeAfter, PlotBox, usePlot} from "./plot_box";
import type {Point, TipLine} from "./tips";

export interface XySeries {
  readonly label: string;
  readonly colour: string;
  readonly values: readonly (number | null)[];
  // Lines go on over places that have no value of this series.
  readonly joins?: boolean;
  // Places have nothing to do with each other: no line is drawn.
  readonly isApart?: boolean;
}
export interface XyBand {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}
export interface XyData {
  readonly x: readonly number[];
  readonly series: readonly XySeries[];
}
interface XyPlot extends XyData {
  readonly name: string;
  readonly across: {readonly label: string; readonly format: (value: number) => string};
  readonly unit: string;
  readonly title: (i: number) => string;
  readonly lines: (i: number) => readonly TipLine[];
  readonly bands?: readonly XyBand[];
  readonly limits?: readonly {readonly y: number; readonly label: string}[];
  readonly markOf?: (i: number) => string;
  readonly isHollow?: (i: number) => boolean;
  readonly isChosen?: (i: number) => boolean;
  readonly choose?: (i: number) => void;
}

const [left, top, bottomRoom, rightRoom] = [66, 26, 40, 18];
const height = 260;
const bottom = height - bottomRoom;
// Values that differ by more are drawn by their logarithm.
const mostLinear = 30;
const mostDots = 130;

type Range = readonly [low: number, high: number];

// A point's height by a logarithm where the least and the greatest are far apart, else from zero.
export function rangeOfValues(values: readonly number[]): {readonly range: Range; readonly isLog: boolean} {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return {range: [0, 1], isLog: false};
  const [low, high] = [Math.min(...positive), Math.max(...positive)];
  const isLog = positive.length === values.length && high / low > mostLinear;
  return {range: isLog ? [low / 1.3, high * 1.3] : zeroRange(high), isLog};
}

export function logTicksOf([low, high]: Range): number[] {
  const digits = Math.log10(high / low) > 2.5 ? [1] : [1, 2, 5];
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    for (const digit of digits) {
      const tick = Number((digit * 10 ** power).toPrecision(3));
      if (tick >= low && tick <= high) found.push(tick);
    }
  return found;
}

export function XyPlot(props: XyPlot) {
  const {name, x, series, across, unit, bands = [], limits = [], markOf, isHollow, isChosen, choose} = props;
  const plot = usePlot();
  const at = useRef(-1);
  const {range, isLog} = useMemo(
    () =>
      rangeOfValues([
        ...series.flatMap(({values}) => values.filter((value) => value !== null)),
        ...limits.map(({y}) => y),
      ]),
    [series, limits],
  );
  const [first, last] = useMemo<Range>(() => {
    const all = [...x, ...bands.flatMap(({from, to}) => [from, to])];
    const [low, high] = [Math.min(...all), Math.max(...all)];
    return high > low ? [low, high] : [low - 0.5, high + 0.5];
  }, [x, bands]);
  const right = plot.width - rightRoom;
  const xOf = (value: number) => left + ((right - left) * (value - first)) / (last - first);
  const yOf = (value: number) =>
    isLog
      ? bottom - ((bottom - top) * Math.log(value / range[0])) / Math.log(range[1] / range[0])
      : bottom - ((bottom - top) * (value - range[0])) / (range[1] - range[0]);
  const highestOf = (i: number) => {
    const known = series.map(({values}) => values[i] ?? null).filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  const isPlace = (i: number) => highestOf(i) !== null;

  function show(i: number, point: Point | null, speak: boolean) {
    const value = highestOf(i);
    if (value === null) return leave();
    at.current = i;
    const [px, py] = [xOf(x[i] ?? 0), yOf(value)];
    plot.cursor.value = {cx: px, cy: py, r: 6};
    const box = plot.box();
    plot.tips.show(point ?? {x: box.left + px, y: box.top + py}, props.title(i), props.lines(i), speak);
  }
  function leave() {
    at.current = -1;
    plot.tips.hide();
    plot.cursor.value = null;
  }
  function placeAt(px: number, py: number): number {
    let [best, least] = [-1, 40];
    x.forEach((value, i) => {
      for (const {values} of series) {
        const known = values[i] ?? null;
        if (known === null) continue;
        const away = Math.abs(xOf(value) - px) + Math.abs(yOf(known) - py) / 8;
        if (away < least) [best, least] = [i, away];
      }
    });
    return best;
  }
  const places = x.map((_, i) => i).filter(isPlace);

  return (
    <PlotBox
      plot={plot}
      name={name}
      label={`${name}. Arrow keys read the values${choose ? ", Enter chooses" : ""}.`}
      kind={choose ? "xy chooses" : "xy"}
      data={{"data-points": places.length, "data-scale": isLog ? "log" : "linear"}}
      reading={{
        point: (px, py, pointer) => show(placeAt(px, py), pointer, false),
        move: (move) => {
          const next = places[placeAfter(places.indexOf(at.current), move, places.length - 1)];
          if (next !== undefined) show(next, null, true);
        },
        leave,
        click: (px, py) => {
          const i = placeAt(px, py);
          if (i >= 0) choose?.(i);
        },
        key: (event) => {
          if (event.key === "Enter" && at.current >= 0) choose?.(at.current);
        },
      }}
    >
      {plot.width === 0 ? null : (
        <Picture width={plot.width} height={height}>
          {bands.map((band, i) => (
            <g key={i}>
              <rect
                class={i % 2 ? "band" : "band other"}
                x={xOf(band.from).toFixed(1)}
                y={top}
                width={Math.max(1, xOf(band.to) - xOf(band.from)).toFixed(1)}
                height={bottom - top}
              />
              {xOf(band.to) - xOf(band.from) < band.label.length * 6.4 ? null : (
                <text x={((xOf(band.from) + xOf(band.to)) / 2).toFixed(1)} y={top - 7} text-anchor="middle">
                  {band.label}
                </text>
              )}
            </g>
          ))}
          {(isLog
            ? logTicksOf(range)
            : ticksBetween(...range, ((range[1] - range[0]) * 34) / (bottom - top), false)
          ).map((tick) => (
            <g key={tick}>
              <line class="grid" x1={left} x2={right} y1={yOf(tick)} y2={yOf(tick)} />
              <text x={left - 7} y={yOf(tick) + 4} text-anchor="end">
                {human(tick, unit)}
              </text>
            </g>
          ))}
          {ticksBetween(first, last, ((last - first) * 74) / Math.max(1, right - left), false).map((tick) => (
            <g key={tick}>
              <line class="axis" x1={xOf(tick)} x2={xOf(tick)} y1={bottom} y2={bottom + 4} />
              <text x={xOf(tick).toFixed(1)} y={bottom + 16} text-anchor="middle">
                {across.format(tick)}
              </text>
            </g>
          ))}
          <line class="axis" x1={left} x2={right} y1={bottom} y2={bottom} />
          <text x={(left + right) / 2} y={height - 5} text-anchor="middle">
            {across.label}
            {isLog ? " (heights by their logarithm)" : ""}
          </text>
          {limits.map((limit) => (
            <g key={limit.label}>
              <line class="limit" x1={left} x2={right} y1={yOf(limit.y)} y2={yOf(limit.y)} />
              <text class="strong" x={left + 4} y={yOf(limit.y) - 4}>
                {limit.label}
              </text>
            </g>
          ))}
          {series.map((one) => (
            <g key={one.label} data-series={one.label} style={{color: `var(--${one.colour})`}}>
              {piecesOf(one).map((piece, i) => (
                <polyline
                  key={i}
                  points={piece
                    .map((k) => `${xOf(x[k] ?? 0).toFixed(1)},${yOf(one.values[k] ?? 0).toFixed(1)}`)
                    .join(" ")}
                />
              ))}
              {places.length > mostDots
                ? null
                : places.map((i) => {
                    const value = one.values[i] ?? null;
                    return value === null ? null : (
                      <circle
                        key={i}
                        class={
                          [isHollow?.(i) ? "hollow" : "", isChosen?.(i) ? "marked" : ""].filter(Boolean).join(" ") ||
                          undefined
                        }
                        data-place={i}
                        data-value={value}
                        cx={xOf(x[i] ?? 0).toFixed(1)}
                        cy={yOf(value).toFixed(1)}
                        r={isChosen?.(i) ? 6 : 3.5}
                      />
                    );
                  })}
            </g>
          ))}
          {markOf
            ? places.map((i) => {
                const words = markOf(i);
                const px = xOf(x[i] ?? 0);
                const isAtEnd = px > right - words.length * 6;
                return words === "" ? null : (
                  <text
                    key={i}
                    class="strong"
                    x={(isAtEnd ? px - 9 : px).toFixed(1)}
                    y={(yOf(highestOf(i) ?? 0) - (isAtEnd ? 6 : 10)).toFixed(1)}
                    text-anchor={isAtEnd ? "end" : "middle"}
                  >
                    {words}
                  </text>
                );
              })
            : null}
          <Cursor at={plot.cursor} shape="circle" />
        </Picture>
      )}
    </PlotBox>
  );
}

// Places one behind the other between which a line is drawn.
export function piecesOf({values, joins = false, isApart = false}: XySeries): number[][] {
  if (isApart) return [];
  const pieces: number[][] = [[]];
  values.forEach((value, i) => {
    if (value !== null) pieces.at(-1)?.push(i);
    else if (!joins && pieces.at(-1)?.length) pieces.push([]);
  });
  return pieces.filter((piece) => piece.length > 1);
}
