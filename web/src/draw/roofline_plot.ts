// A roofline: what ops achieve (FLOP/s) over how much they compute per byte (FLOP/byte), both logarithmic, below the device's roofs.
//
// points: {x, y, size, colour, mark, title, lines}, the largest first; `size` is drawn as an area, marked ones have an outline.
// memory: bytes/s or null; peaks: FLOP/s, one per roof, the highest first.

import {grouped, human} from "../model/format";
import {type Child, svg} from "./dom";
import {type LogPoint, type LogScales, logPlot} from "./log_plot";

interface Roofline {
  readonly name: string;
  readonly points: readonly LogPoint[];
  readonly memory: number | null;
  readonly peaks: readonly number[];
}

export function rooflinePlot({name, points, memory, peaks}: Roofline): HTMLElement {
  const ridges = memory ? peaks.map((peak) => peak / memory) : [];
  const xs = [...points.map((point) => point.x), ...ridges];
  const lowX = Math.min(...xs) / 2;
  const highX = Math.max(...xs) * 3;
  const ys = [...points.map((point) => point.y), ...peaks];
  const lowY = Math.min(...ys) / 2;
  const highY = Math.max(...ys) * 2;

  function roofs({x, y, left, right}: LogScales): Child[] {
    // The slope ends at the highest roof.
    const top = peaks.length ? Math.max(...peaks) : highY;
    const found: Child[] = [];
    if (memory) {
      const from = Math.max(lowX, lowY / memory);
      found.push(
        svg("line", {
          class: "roof",
          "data-roof": "memory",
          x1: x(from),
          y1: y(from * memory),
          x2: x(top / memory),
          y2: y(top),
        }),
      );
      const angle = (Math.atan2(y(from * memory) - y(top), x(top / memory) - x(from)) * 180) / Math.PI;
      // Points crowd at its foot.
      const beside = Math.sqrt((from * top) / memory);
      const [labelX, labelY] = [x(beside), y(beside * memory)];
      found.push(
        svg(
          "text",
          {
            x: labelX.toFixed(1),
            y: (labelY - 6).toFixed(1),
            "text-anchor": "middle",
            transform: `rotate(${(-angle).toFixed(2)} ${labelX.toFixed(1)} ${labelY.toFixed(1)})`,
          },
          human(memory, "bytes/s"),
        ),
      );
    }
    peaks.forEach((peak, i) => {
      // Below its line where the roof above is near.
      const isNear = i > 0 && y(peak) - y(peaks[i - 1]) < 15;
      found.push(
        svg("line", {
          class: "roof",
          "data-roof": peak,
          x1: memory ? x(peak / memory) : left,
          x2: right,
          y1: y(peak),
          y2: y(peak),
        }),
      );
      found.push(
        svg(
          "text",
          {x: right - 2, y: (y(peak) + (isNear ? 12 : -4)).toFixed(1), "text-anchor": "end"},
          human(peak, "FLOP/s"),
        ),
      );
    });
    return found;
  }
  return logPlot({
    name,
    kind: "roofline",
    points,
    lines: roofs,
    across: {
      low: lowX,
      high: highX,
      label: "FLOP per byte moved",
      tick: (value: number) => grouped(Number(value.toPrecision(3))),
    },
    up: {low: lowY, high: highY, tick: (value: number) => human(value, "FLOP/s")},
  });
}
