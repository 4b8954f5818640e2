// What people put on the time axis: numbered marks with the time between them, and notes as flags and spans. Plain data in.

import {humanDuration} from "../model/format";
import {type PictureNote, rulerHeight, type TimelinePicture, xOf} from "./timeline_picture";

type Paint = (name: string) => string;

const flag = {width: 8, height: 7};

// Which note a place on the ruler is of: the shortest whose flag or span is there.
export function noteAt(
  picture: Pick<TimelinePicture, "window" | "gutter" | "width" | "links">,
  x: number,
  y: number,
): PictureNote | null {
  if (y > flag.height + 3) return null;
  let best: PictureNote | null = null;
  for (const note of picture.links.notes) {
    if (note.time_ns === null) continue;
    const begin = xOf(picture, note.time_ns);
    const end = Math.max(begin + flag.width, note.end_ns === null ? 0 : xOf(picture, note.end_ns));
    if (x < begin - 3 || x > end + 3) continue;
    const length = (one: PictureNote) => (one.end_ns ?? one.time_ns ?? 0) - (one.time_ns ?? 0);
    if (best === null || length(note) < length(best)) best = note;
  }
  return best;
}

// On the ruler's upper edge.
export function drawNoteFlags(context: CanvasRenderingContext2D, picture: TimelinePicture, paint: Paint): void {
  context.fillStyle = paint("chosen");
  for (const {time_ns: time, end_ns: end} of picture.links.notes) {
    if (time === null) continue;
    const x = Math.round(xOf(picture, time));
    if (end !== null) {
      const [left, right] = [Math.max(picture.gutter, x), Math.min(picture.width, xOf(picture, end))];
      if (right > left) context.fillRect(left, 0, Math.max(2, right - left), 3);
    }
    if (x < picture.gutter || x > picture.width) continue;
    context.fillRect(x, 0, 2, flag.height + 3);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x + flag.width, flag.height / 2);
    context.lineTo(x, flag.height);
    context.fill();
  }
}

// The time of a note that has an end, over its rows.
export function drawNoteSpans(context: CanvasRenderingContext2D, picture: TimelinePicture, paint: Paint): void {
  for (const {rank, time_ns: time, end_ns: end} of picture.links.notes) {
    if (time === null || end === null) continue;
    const [left, right] = [Math.max(picture.gutter, xOf(picture, time)), Math.min(picture.width, xOf(picture, end))];
    if (right < left) continue;
    const row = rank === null ? null : picture.links.rowOf.get(rank);
    if (row === undefined) continue;
    const top = row === null ? rulerHeight : row.top - picture.scroll + rulerHeight;
    const height = row === null ? picture.height - rulerHeight : row.height;
    context.strokeStyle = paint("chosen");
    context.setLineDash([4, 3]);
    context.strokeRect(left + 0.5, top + 0.5, Math.max(1, right - left - 1), Math.max(1, height - 1));
    context.setLineDash([]);
  }
}

// A line through all rows; between neighbours how long that is, where there is room.
export function drawMarks(context: CanvasRenderingContext2D, picture: TimelinePicture, paint: Paint): void {
  context.font = "600 10px system-ui, sans-serif";
  const inside = (x: number) => x >= picture.gutter && x <= picture.width;
  picture.times.forEach((time, i) => {
    const x = Math.round(xOf(picture, time));
    const before = picture.times[i - 1];
    if (before !== undefined) {
      const [left, right] = [Math.max(picture.gutter, xOf(picture, before)), Math.min(picture.width, x)];
      const text = humanDuration(time - before);
      const width = context.measureText(text).width + 8;
      if (right - left > width + 24) {
        const middle = (left + right) / 2;
        context.fillStyle = paint("text");
        context.fillRect(left, rulerHeight + 7, right - left, 1);
        context.fillStyle = paint("raised");
        context.fillRect(middle - width / 2, rulerHeight + 1, width, 14);
        context.fillStyle = paint("text");
        context.fillText(text, middle - width / 2 + 4, rulerHeight + 11);
      }
    }
    if (!inside(x)) return;
    context.fillStyle = paint("text");
    context.fillRect(x, 0, 1, picture.height);
    const label = String(i + 1);
    const width = context.measureText(label).width + 6;
    context.fillRect(x, rulerHeight, width, 14);
    context.fillStyle = paint("ground");
    context.fillText(label, x + 3, rulerHeight + 11);
  });
}
