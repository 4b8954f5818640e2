// A memory timeline of torch.profiler: bands by category over time, of each column of pixels the time at which most is held.

import {useMemo, useRef, useState} from "preact/hooks";
import {CanvasPlot} from "../../draw/canvas_plot";
import {colour} from "../../draw/colour";
import {usePlot} from "../../draw/plot_box";
import {TimeView} from "../../draw/time_view";
import type {Point} from "../../draw/tips";
import {human} from "../../model/format";
import type {Snapshot, Table} from "../../model/report";
import {CategoriesLegend, categoryColours, categoryLabel, paintAxes} from "./allocation_colours";
import {upTo} from "./allocations";
import {TimeTools} from "./time_tools";

const height = 340;
const area = (width: number) => ({left: 62, right: width - 8, top: 8, bottom: height - 24});
const categories = [
  ["Parameter", "parameter"],
  ["Optimizer state", "optimizer_state"],
  ["Input", "input"],
  ["Temporary", "temporary"],
  ["Activation", "activation"],
  ["Gradient", "gradient"],
  ["Autograd", "autograd_detail"],
  ["Unknown", "unknown"],
] as const;

// What each band is, and when how much was held.
function bandsOf(source: Table) {
  const rows = source.rows();
  const bands = categories.filter(([column]) => rows.some((row) => source.amount(row, column) > 0));
  const times = Float64Array.from(rows, (row) => source.amount(row, "time"));
  const sums = Float64Array.from(rows, (row) =>
    bands.reduce((sum, [column]) => sum + Math.max(0, source.amount(row, column)), 0),
  );
  return {rows, bands, times, sums, most: sums.reduce((a, b) => Math.max(a, b), 1) * 1.04};
}

export function CategoryTimeline({snapshot, source}: {readonly snapshot: Snapshot; readonly source: Table}) {
  const plot = usePlot();
  const {rows, bands, times, sums, most} = useMemo(() => bandsOf(source), [source]);
  const view = useMemo(() => new TimeView(Math.max(1, times.at(-1) ?? 0), 1000), [times]);
  const [, redraw] = useState({});
  const shownRows = useRef<readonly number[]>([]);
  const cursor = useRef(-1);

  function paint(context: CanvasRenderingContext2D, width: number) {
    const box = area(width);
    paintAxes(context, {...box, most, view});
    const wide = Math.max(1, Math.floor(box.right - box.left));
    const scale = (box.bottom - box.top) / most;
    const colours = bands.map(([, id]) => colour(categoryColours.get(id) ?? "unknown"));
    const found: number[] = [];
    const sumAt = (i: number) => sums[i] ?? 0;
    let at = Math.max(0, upTo(times, view.begin) - 1);
    for (let x = 0; x < wide; ++x) {
      const until = view.begin + ((x + 1) / wide) * view.span;
      let best = at;
      while ((times[at + 1] ?? Infinity) < until) {
        ++at;
        if (sumAt(at) > sumAt(best)) best = at;
      }
      const row = rows[best] ?? -1;
      found.push(row);
      let y = box.bottom;
      bands.forEach(([column], band) => {
        const size = Math.max(0, source.amount(row, column)) * scale;
        context.fillStyle = colours[band] ?? "gray";
        context.fillRect(box.left + x, y - size, 1.3, size);
        y -= size;
      });
    }
    shownRows.current = found;
  }
  const show = (x: number, point: Point, speak: boolean) => {
    cursor.current = x;
    const row = shownRows.current[x] ?? -1;
    const lines = bands.map(
      ([column, id]) => [categoryColours.get(id), categoryLabel(snapshot, id), source.cell(row, column)] as const,
    );
    plot.tips.show(point, `At ${human(source.number(row, "time"), "ns")}`, lines.reverse(), speak);
  };
  const leave = () => plot.tips.hide();

  return (
    <>
      <CategoriesLegend snapshot={snapshot} categories={new Set(bands.map(([, id]) => id))} />
      <TimeTools plot={plot} view={view} area={area} changed={() => redraw({})} />
      <CanvasPlot
        plot={plot}
        name="Memory by category"
        kind={view.isWhole ? "" : " zoomed"}
        height={height}
        paint={paint}
        reading={{
          point: (px, _, pointer, event) => {
            const x = Math.floor(px - area(plot.width).left);
            if (event.buttons === 0 && x >= 0 && x < shownRows.current.length) show(x, pointer, false);
            else leave();
          },
          move: (move) => {
            const last = shownRows.current.length - 1;
            const from = cursor.current < 0 ? Math.floor(last / 2) : cursor.current;
            const x =
              move === "first"
                ? 0
                : move === "last"
                  ? last
                  : Math.max(0, Math.min(last, from + 8 * (move[0] || -move[1])));
            const box = plot.box();
            show(x, {x: box.left + area(box.width).left + x, y: box.top + 40}, true);
          },
          leave,
        }}
      />
    </>
  );
}
