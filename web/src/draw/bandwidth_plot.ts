// Bus bandwidth over the size of collectives, both logarithmic: a point per size, a line per fit, the peaks of links across.
//
// points as for logPlot; fits: {colour, latency, rate, factor}: transfer in ns = latency + bytes on the bus / rate (bytes/s), with `factor` bytes
// on the bus for each of the buffer, over the sizes from `low` to `high`. peaks: bytes/s.

import {human} from "../model/format";
import {type Child, svg} from "./dom";
import {type LogPoint, type LogScales, logPlot} from "./log_plot";

interface Fit {
  readonly colour: string | undefined;
  readonly latency: number;
  readonly rate: number;
  readonly factor: number;
  readonly low: number;
  readonly high: number;
}
interface BandwidthPlot {
  readonly name: string;
  readonly points: readonly LogPoint[];
  readonly fits: readonly Fit[];
  readonly peaks: readonly number[];
}

export function bandwidthPlot({name, points, fits, peaks}: BandwidthPlot): HTMLElement {
  const xs = points.map((point) => point.x);
  const ys = [...points.map((point) => point.y), ...peaks];
  const across = {
    low: Math.min(...xs) / 2,
    high: Math.max(...xs) * 2,
    label: "bytes of a collective",
    tick: (value: number) => human(value, "bytes").replace(/\.0+ /, " "),
  };
  const up = {
    low: Math.min(...ys) / 2,
    high: Math.max(...ys) * 2,
    tick: (value: number) => human(value, "bytes/s").replace(/\.0+ /, " "),
  };

  const rateOf = (fit: Fit, bytes: number) =>
    ((bytes * fit.factor) / (Math.max(0, fit.latency) + ((bytes * fit.factor) / fit.rate) * 1e9)) * 1e9;
  function lines({x, y, left, right}: LogScales): Child[] {
    const curves = fits.map((fit) => {
      const places = Array.from({length: 49}, (_, i) => fit.low * (fit.high / fit.low) ** (i / 48))
        .map((bytes): [number, number] => [bytes, rateOf(fit, bytes)])
        .filter(([, rate]) => rate >= up.low && rate <= up.high);
      const curve = svg("path", {
        class: "curve",
        d: places.map(([bytes, rate], i) => `${i ? "L" : "M"}${x(bytes).toFixed(1)} ${y(rate).toFixed(1)}`).join(""),
      });
      curve.style.stroke = `var(--${fit.colour})`;
      return curve;
    });
    const roofs = peaks.map((peak) => [
      svg("line", {class: "roof", "data-roof": peak, x1: left, x2: right, y1: y(peak), y2: y(peak)}),
      svg("text", {x: right - 2, y: (y(peak) - 4).toFixed(1), "text-anchor": "end"}, `link ${human(peak, "bytes/s")}`),
    ]);
    return [...curves, ...roofs];
  }
  return logPlot({name, kind: "bandwidth", points, lines, across, up});
}
