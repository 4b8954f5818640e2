// A roofline: what ops achieve (FLOP/s) over how much they compute per byte (FLOP/byte), both logarithmic, below the device's roofs.

import {grouped, human} from "../model/format";
import {type LogPoint, LogPlot, type LogScales} from "./log_plot";

interface RooflinePlot {
  readonly name: string;
  readonly points: readonly LogPoint[];
  readonly memory: number | null; // bytes/s
  readonly peaks: readonly number[]; // FLOP/s, one per roof, the highest first
}

export function RooflinePlot({name, points, memory, peaks}: RooflinePlot) {
  const ridges = memory ? peaks.map((peak) => peak / memory) : [];
  const xs = [...points.map((point) => point.x), ...ridges];
  const ys = [...points.map((point) => point.y), ...peaks];
  const across = {
    low: Math.min(...xs) / 2,
    high: Math.max(...xs) * 3,
    label: "FLOP per byte moved",
    tick: (value: number) => grouped(Number(value.toPrecision(3))),
  };
  const up = {low: Math.min(...ys) / 2, high: Math.max(...ys) * 2, tick: (value: number) => human(value, "FLOP/s")};

  const slope = ({x, y}: LogScales, bandwidth: number) => {
    // The slope ends at the highest roof.
    const top = peaks.length ? Math.max(...peaks) : up.high;
    const from = Math.max(across.low, up.low / bandwidth);
    const angle = (Math.atan2(y(from * bandwidth) - y(top), x(top / bandwidth) - x(from)) * 180) / Math.PI;
    // Points crowd at its foot.
    const beside = Math.sqrt((from * top) / bandwidth);
    const [labelX, labelY] = [x(beside).toFixed(1), y(beside * bandwidth)];
    return (
      <>
        <line
          class="roof"
          data-roof="memory"
          x1={x(from)}
          y1={y(from * bandwidth)}
          x2={x(top / bandwidth)}
          y2={y(top)}
        />
        <text
          x={labelX}
          y={(labelY - 6).toFixed(1)}
          text-anchor="middle"
          transform={`rotate(${(-angle).toFixed(2)} ${labelX} ${labelY.toFixed(1)})`}
        >
          {human(bandwidth, "bytes/s")}
        </text>
      </>
    );
  };
  const roof = ({x, y, left, right}: LogScales, peak: number, above: number | undefined) => {
    // Below its line where the roof above is near.
    const isNear = above !== undefined && y(peak) - y(above) < 15;
    return (
      <g key={peak}>
        <line
          class="roof"
          data-roof={peak}
          x1={memory ? x(peak / memory) : left}
          x2={right}
          y1={y(peak)}
          y2={y(peak)}
        />
        <text x={right - 2} y={(y(peak) + (isNear ? 12 : -4)).toFixed(1)} text-anchor="end">
          {human(peak, "FLOP/s")}
        </text>
      </g>
    );
  };
  const roofs = (scales: LogScales) => (
    <>
      {memory ? slope(scales, memory) : null}
      {peaks.map((peak, i) => roof(scales, peak, peaks[i - 1]))}
    </>
  );
  return <LogPlot name={name} kind="roofline" points={points} lines={roofs} across={across} up={up} />;
}
