// A memory timeline of torch.profiler: bands by category over time, of each column of pixels the time at which most is held.

import {colour} from "../../draw/dom";
import {plots} from "../../draw/redraw";
import {TimeView} from "../../draw/time_view";
import {type Point, byKeyboard, hideTip, showTip} from "../../draw/tooltip";
import {human} from "../../model/format";
import {type Table} from "../../model/report";
import {canvasPlot, categoriesLegend, categoryColours, categoryLabel, paintAxes, timeTools} from "./allocation_colours";
import {Allocations} from "./allocation_timeline";

export function categoryTimeline(source: Table) {
  const bands = [
    ["Parameter", "parameter"],
    ["Optimizer state", "optimizer_state"],
    ["Input", "input"],
    ["Temporary", "temporary"],
    ["Activation", "activation"],
    ["Gradient", "gradient"],
    ["Autograd", "autograd_detail"],
    ["Unknown", "unknown"],
  ].filter(([column]) => source.rows().some((row) => source.amount(row, column) > 0));
  const rows = source.rows();
  const times = Float64Array.from(rows, (row) => source.amount(row, "time"));
  const sums = Float64Array.from(rows, (row) =>
    bands.reduce((sum, [column]) => sum + Math.max(0, source.amount(row, column)), 0),
  );
  const most = sums.reduce((a, b) => Math.max(a, b), 1) * 1.04;
  const view = new TimeView(Math.max(1, times[times.length - 1]), 1000);
  const height = 340;
  const area = (width: number) => ({left: 62, right: width - 8, top: 8, bottom: height - 24});
  let shownRows: number[] = [];
  function paint(context: CanvasRenderingContext2D, width: number) {
    const box = area(width);
    paintAxes(context, {...box, most, view});
    const wide = Math.max(1, Math.floor(box.right - box.left));
    const scale = (box.bottom - box.top) / most;
    const colours = bands.map(([, id]) => colour(categoryColours.get(id) ?? "unknown"));
    shownRows = [];
    let at = Math.max(0, Allocations.upTo(times, view.begin) - 1);
    for (let x = 0; x < wide; ++x) {
      const until = view.begin + ((x + 1) / wide) * view.span;
      let best = at;
      for (; at + 1 < times.length && times[at + 1] < until; ) {
        ++at;
        if (sums[at] > sums[best]) best = at;
      }
      shownRows.push(rows[best]);
      let y = box.bottom;
      bands.forEach(([column], band) => {
        const size = Math.max(0, source.amount(rows[best], column)) * scale;
        context.fillStyle = colours[band];
        context.fillRect(box.left + x, y - size, 1.3, size);
        y -= size;
      });
    }
  }
  const plot = canvasPlot("Memory by category", height, paint);
  const redraw = () => {
    for (const one of plots) if (one.node === plot) one.draw();
  };
  let cursor = -1;
  const show = (x: number, point: Point, speak: boolean) => {
    cursor = x;
    const row = shownRows[x];
    showTip(
      point,
      `At ${human(source.number(row, "time"), "ns")}`,
      bands
        .slice()
        .reverse()
        .map(([column, id]) => [categoryColours.get(id), categoryLabel(id), source.cell(row, column)]),
      speak,
    );
  };
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const x = Math.floor(event.clientX - box.left - area(box.width).left);
    if (event.buttons === 0 && x >= 0 && x < shownRows.length) show(x, {x: event.clientX, y: event.clientY}, false);
    else hideTip();
  });
  plot.addEventListener("pointerleave", hideTip);
  byKeyboard(
    plot,
    "Memory by category",
    (key) => {
      const last = shownRows.length - 1;
      const x =
        key === "first"
          ? 0
          : key === "last"
            ? last
            : Math.max(0, Math.min(last, (cursor < 0 ? Math.floor(last / 2) : cursor) + 8 * (key[0] || -key[1])));
      const box = plot.getBoundingClientRect();
      show(x, {x: box.left + area(box.width).left + x, y: box.top + 40}, true);
    },
    hideTip,
  );
  return [categoriesLegend(new Set(bands.map(([, id]) => id))), timeTools(plot, view, area, redraw), plot];
}
