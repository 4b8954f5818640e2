// Two jobs as two bars on one scale, divided into the same parts in the same order and colours.

import {useRef} from "preact/hooks";
import type {Table} from "../model/report";
import {fillOf} from "./axes";
import {Cursor, Picture, PlotBox, usePlot} from "./plot_box";
import {fitted, textWidth} from "./text_width";
import type {Point} from "./tips";

interface SideBars {
  readonly source: Table; // diff_parts
  readonly rows: readonly number[]; // in the order of the bars
  readonly name: string;
  readonly sides: {readonly base: string; readonly test: string}; // what they are called
  readonly partOf: (row: number) => {readonly label: string; readonly colour: string};
}
const [height, gap, leastLabel] = [30, 8, 48];

export function SideBars({source, rows, name, sides: {base, test}, partOf}: SideBars) {
  const sides = [
    ["base", base],
    ["test", test],
  ] as const;
  const plot = usePlot();
  const at = useRef(-1);
  // A part that is less than nothing (the job's step ends before the mean window of its devices) has no width.
  const valueOf = (row: number, side: string) => Math.max(0, source.number(row, `${side}_ns`) || 0);
  const most = Math.max(...sides.map(([side]) => rows.reduce((sum: number, row) => sum + valueOf(row, side), 0)), 1);
  // Long names take up to a third of the picture.
  const widest = Math.max(...sides.map(([, label]) => textWidth(label)));
  const labelWidth = Math.max(leastLabel, Math.min(widest + 10, plot.width / 3));
  const scale = (plot.width - labelWidth) / most;
  const places = sides.flatMap(([side], line) => {
    let end = labelWidth;
    return rows.map((row) => {
      const size = valueOf(row, side) * scale;
      end += size;
      return {row, x: end - size, y: line * (height + gap), size};
    });
  });

  function show(i: number, point: Point | null, speak: boolean) {
    const place = places[i];
    if (place === undefined) return leave();
    at.current = i;
    plot.cursor.value = {x: place.x, y: place.y, width: Math.max(2, place.size)};
    const box = plot.box();
    const cell = (column: string) => source.cell(place.row, column);
    plot.tips.show(
      point ?? {x: box.left + place.x, y: box.top + place.y + height},
      partOf(place.row).label,
      [
        ["", base, cell("base_ns")],
        ["", test, cell("test_ns")],
        ["", "change", cell("change_ns")],
        ["", `of ${base}\u2019s step`, cell("of_step_pct")],
      ],
      speak,
    );
  }
  function leave() {
    at.current = -1;
    plot.tips.hide();
    plot.cursor.value = null;
  }

  return (
    <PlotBox
      plot={plot}
      name={name}
      reading={{
        point: (x, y, pointer) =>
          show(
            places.findIndex(
              (place) => x >= place.x && x < place.x + place.size && y >= place.y && y < place.y + height,
            ),
            pointer,
            false,
          ),
        move: (move) => {
          const count = rows.length;
          let next = at.current + (move === "first" || move === "last" ? 0 : move[0]);
          if (move === "first" || at.current < 0) next = 0;
          else if (move === "last") next = places.length - 1;
          else if (move[1] !== 0) next = (at.current + count) % (2 * count);
          show(Math.max(0, Math.min(places.length - 1, next)), null, true);
        },
        leave,
      }}
    >
      {plot.width === 0 ? null : (
        <Picture width={plot.width} height={2 * height + gap}>
          {sides.map(([side, label], line) => (
            <text key={side} x={0} y={line * (height + gap) + height / 2 + 4} style={fillOf("text")}>
              {fitted(label, labelWidth - 6)}
            </text>
          ))}
          {places.map((place, i) => (
            <rect
              key={i}
              x={place.x.toFixed(2)}
              y={place.y}
              width={Math.max(0, place.size - (place.size > 3 ? 1 : 0)).toFixed(2)}
              height={height}
              style={fillOf(partOf(place.row).colour)}
            />
          ))}
          <Cursor at={plot.cursor} fixed={{height}} />
        </Picture>
      )}
    </PlotBox>
  );
}
