// Stretches of time below each other, one a row, and steps in a row below all. What is known to be somewhere is hatched.

import {useId} from "preact/hooks";
import {useRef} from "preact/hooks";
import {human} from "../model/format";
import {ticksBetween} from "./line_scales";
import {Cursor, Picture, placeAfter, PlotBox, usePlot} from "./plot_box";
import type {Point, TipLine} from "./tips";

export interface WaterfallBar {
  readonly begin: number;
  readonly end: number;
  readonly colour: string;
  readonly title: string;
  readonly lines: readonly TipLine[];
  readonly isHatched?: boolean;
}
export interface WaterfallRow {
  readonly label: string;
  readonly bars: readonly WaterfallBar[];
}
interface WaterfallPlot {
  readonly name: string;
  readonly total: number;
  readonly rows: readonly WaterfallRow[];
}

const [labels, right, rowHeight, barHeight, foot] = [92, 14, 26, 17, 38];
const leastWidth = 1.5;

export function WaterfallPlot({name, total, rows}: WaterfallPlot) {
  const plot = usePlot();
  const hatch = useId();
  const at = useRef(-1);
  const height = rows.length * rowHeight + foot;
  const xOf = (time: number) => labels + ((plot.width - labels - right) * Math.max(0, Math.min(total, time))) / total;
  const bars = rows.flatMap((row, i) =>
    row.bars.map((bar) => {
      const x = xOf(bar.begin);
      return {bar, x, y: i * rowHeight + (rowHeight - barHeight) / 2, width: Math.max(leastWidth, xOf(bar.end) - x)};
    }),
  );

  function show(i: number, pointer: Point | null, speak: boolean) {
    const found = bars[i];
    if (found === undefined) return leave();
    at.current = i;
    plot.cursor.value = {x: found.x - 1, y: found.y - 1, width: found.width + 2, height: barHeight + 2};
    const box = plot.box();
    plot.tips.show(pointer ?? {x: box.left + found.x, y: box.top + found.y}, found.bar.title, found.bar.lines, speak);
  }
  function leave() {
    at.current = -1;
    plot.tips.hide();
    plot.cursor.value = null;
  }
  const barAt = (px: number, py: number) =>
    bars.findIndex(({x, y, width}) => px >= x - 1 && px <= x + width + 1 && py >= y && py <= y + barHeight);

  return (
    <PlotBox
      plot={plot}
      name={name}
      kind="waterfall"
      data={{"data-bars": bars.length}}
      reading={{
        point: (px, py, pointer) => show(barAt(px, py), pointer, false),
        move: (move) => show(placeAfter(at.current, move, bars.length - 1), null, true),
        leave,
      }}
    >
      {plot.width === 0 ? null : (
        <Picture width={plot.width} height={height}>
          <defs>
            <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <line class="hatch" x1="0" y1="0" x2="0" y2="6" />
            </pattern>
          </defs>
          {ticksBetween(0, total, (total * 80) / Math.max(1, plot.width - labels - right), false).map((tick) => (
            <g key={tick}>
              <line class="grid" x1={xOf(tick)} x2={xOf(tick)} y1={0} y2={height - foot} />
              <text x={xOf(tick).toFixed(1)} y={height - foot + 15} text-anchor="middle">
                {human(tick, "ns")}
              </text>
            </g>
          ))}
          <text x={(labels + plot.width - right) / 2} y={height - 5} text-anchor="middle">
            since the request came
          </text>
          {rows.map((row, i) => (
            <text key={row.label} class="strong" x={labels - 8} y={i * rowHeight + rowHeight / 2 + 4} text-anchor="end">
              {row.label}
            </text>
          ))}
          {bars.map(({bar, x, y, width}, i) => (
            <rect
              key={i}
              class={bar.isHatched ? "somewhere" : bar.colour === "waiting" ? "pale" : undefined}
              data-begin={bar.begin}
              data-end={bar.end}
              x={x.toFixed(2)}
              y={y}
              width={width.toFixed(2)}
              height={barHeight}
              style={{fill: bar.isHatched ? `url(#${hatch})` : `var(--${bar.colour})`, color: `var(--${bar.colour})`}}
            />
          ))}
          <Cursor at={plot.cursor} />
        </Picture>
      )}
    </PlotBox>
  );
}
