// A metric over the rows of a timeline: all ranks' lines in a row of its own, and each rank's in its row where that is high enough. Plain data in.

import {human} from "../model/format";
import {type Metric, type MetricLine, within} from "../model/timeline_metrics";
import {visible} from "../model/text";
import {type MetricMarks, rulerHeight, type TimelinePicture, type TimelineRow, xOf} from "./timeline_picture";

type Paint = (name: string) => string;

const leastRow = 14;
// More lines than these are a block of ink: then every so many-th rank, and all that are marked.
const mostLines = 256;

// From 0, unless all values are far from it: a line says when something changes, not how long it is.
export function metricRange({least, most}: Pick<Metric, "least" | "most">): readonly [low: number, high: number] {
  if (!(most > least)) return [Math.min(0, least), Math.max(most, least + 1)];
  const low = least > 0 && least > most / 2 ? least - (most - least) * 0.15 : Math.min(0, least);
  return [low, most + (most - low) * 0.05];
}

export function metricText(value: number, unit: string): string {
  if (unit === "ratio") return `${Number((100 * value).toPrecision(3))}%`;
  if (unit === "Hz" || unit === "hz") return `${Number((value / 1e6).toPrecision(4))} MHz`;
  if (unit === "bytes" || unit === "bytes/s" || unit === "ns") return human(value, unit);
  return `${Number(value.toPrecision(3))}${unit === "" ? "" : ` ${visible(unit)}`}`;
}

function traceLine(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  line: MetricLine,
  row: TimelineRow,
  low: number,
  high: number,
): void {
  const {first, last} = within(line, picture.window);
  const [top, room] = [row.top - picture.scroll + rulerHeight + 2, row.height - 5];
  context.beginPath();
  for (let i = first; i < last; ++i) {
    const x = xOf(picture, line.times[i] ?? 0);
    const y = top + room * (1 - ((line.values[i] ?? 0) - low) / (high - low));
    if (i === first) context.moveTo(x, y);
    else context.lineTo(x, y);
  }
  context.stroke();
}

function drawRow(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  row: TimelineRow,
  {metric, marked}: MetricMarks,
  paint: Paint,
): void {
  const [low, high] = metricRange(metric);
  const y = row.top - picture.scroll + rulerHeight;
  context.fillStyle = paint("raised");
  context.fillRect(picture.gutter, y, picture.width - picture.gutter, row.height);
  const lines = [...metric.lines.values()];
  const every = Math.ceil(lines.length / mostLines);
  const quiet = lines.filter((line, i) => i % every === 0 && !marked.has(line.rank));
  context.lineWidth = 1;
  context.strokeStyle = paint("muted");
  context.globalAlpha = quiet.length > 32 ? 0.3 : 0.75;
  for (const line of quiet) traceLine(context, picture, line, row, low, high);
  context.globalAlpha = 1;
  context.strokeStyle = paint("chosen");
  context.lineWidth = 2;
  for (const line of lines) if (marked.has(line.rank)) traceLine(context, picture, line, row, low, high);
  context.lineWidth = 1;
  context.font = "10px system-ui, sans-serif";
  for (const [value, at] of [
    [high, y + 10],
    [low, y + row.height - 3],
  ] as const) {
    const text = metricText(value, metric.unit);
    context.fillStyle = paint("raised");
    context.fillRect(picture.gutter + 3, at - 9, context.measureText(text).width + 4, 12);
    context.fillStyle = paint("muted");
    context.fillText(text, picture.gutter + 5, at);
  }
}

export function drawMetric(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  marks: MetricMarks,
  paint: Paint,
): void {
  const [low, high] = metricRange(marks.metric);
  context.lineJoin = "round";
  for (const row of picture.rows) {
    if (row.head === "metric") drawRow(context, picture, row, marks, paint);
    const line =
      row.track === null && row.head === undefined && row.height >= leastRow
        ? marks.metric.lines.get(row.rank)
        : undefined;
    if (line === undefined) continue;
    context.strokeStyle = paint("ground");
    context.lineWidth = 4;
    traceLine(context, picture, line, row, low, high);
    context.strokeStyle = paint("text");
    context.lineWidth = 1.5;
    traceLine(context, picture, line, row, low, high);
  }
  context.lineWidth = 1;
}
