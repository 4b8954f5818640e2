// Bus bandwidth over the size of collectives, both logarithmic: a point per size, a line per fit, the peaks of links across.

import {human} from "../model/format";
import {type LogPoint, LogPlot, type LogScales} from "./log_plot";

// Transfer in ns = latency + bytes on the bus / rate (bytes/s), with `factor` bytes on the bus for each of the buffer, over the sizes from
// `low` to `high`.
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
  readonly peaks: readonly number[]; // bytes/s
}

function rateOf(fit: Fit, bytes: number): number {
  return ((bytes * fit.factor) / (Math.max(0, fit.latency) + ((bytes * fit.factor) / fit.rate) * 1e9)) * 1e9;
}

export function BandwidthPlot({name, points, fits, peaks}: BandwidthPlot) {
  const xs = points.map((point) => point.x);
  const ys = [...points.map((point) => point.y), ...peaks];
  const shortened = (unit: string) => (value: number) => human(value, unit).replace(/\.0+ /, " ");
  const across = {
    low: Math.min(...xs) / 2,
    high: Math.max(...xs) * 2,
    label: "bytes of a collective",
    tick: shortened("bytes"),
  };
  const up = {low: Math.min(...ys) / 2, high: Math.max(...ys) * 2, tick: shortened("bytes/s")};
  const curve = (fit: Fit, {x, y}: LogScales) =>
    Array.from({length: 49}, (_, i) => fit.low * (fit.high / fit.low) ** (i / 48))
      .map((bytes): [number, number] => [bytes, rateOf(fit, bytes)])
      .filter(([, rate]) => rate >= up.low && rate <= up.high)
      .map(([bytes, rate], i) => `${i ? "L" : "M"}${x(bytes).toFixed(1)} ${y(rate).toFixed(1)}`)
      .join("");
  const lines = (scales: LogScales) => (
    <>
      {fits.map((fit, i) => (
        <path key={i} class="curve" d={curve(fit, scales)} style={{stroke: `var(--${fit.colour})`}} />
      ))}
      {peaks.map((peak) => (
        <g key={peak}>
          <line
            class="roof"
            data-roof={peak}
            x1={scales.left}
            x2={scales.right}
            y1={scales.y(peak)}
            y2={scales.y(peak)}
          />
          <text x={scales.right - 2} y={(scales.y(peak) - 4).toFixed(1)} text-anchor="end">
            {`link ${human(peak, "bytes/s")}`}
          </text>
        </g>
      ))}
    </>
  );
  return <LogPlot name={name} kind="bandwidth" points={points} lines={lines} across={across} up={up} />;
}
