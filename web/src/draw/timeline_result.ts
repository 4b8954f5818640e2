// A result of SQL as a row over those of ranks: a bar for each of its rows, coloured by name. Plain data in.

import {visible} from "../model/text";
import {colourOfName} from "./name_colours";
import {laneHeight, type ResultMarks, rulerHeight, type TimelinePicture, xOf} from "./timeline_picture";

type Paint = (name: string) => string;

const glyph = 6.1; // the mean width of one

export function drawResult(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  {track, chosen}: ResultMarks,
  paint: Paint,
): void {
  const row = picture.rows.find((one) => one.head === "result");
  if (row === undefined) return;
  const {from, to} = picture.window;
  const top = row.top - picture.scroll + rulerHeight;
  context.fillStyle = paint("raised");
  context.fillRect(picture.gutter, top, picture.width - picture.gutter, row.height);
  context.font = "11px system-ui, sans-serif";
  const right = track.spans.map(() => -Infinity); // of the last bar by lane
  for (const span of track.spans) {
    if (span.start > to) break;
    if (span.start + span.duration < from) continue;
    const x = xOf(picture, span.start);
    // An instant is seen, too.
    const width = Math.max(2, xOf(picture, span.start + span.duration) - x);
    // Thousands of bars on one pixel are one.
    if (x + width < (right[span.lane] ?? -Infinity) + 0.5) continue;
    right[span.lane] = x + width;
    const y = top + span.lane * laneHeight;
    context.fillStyle = paint(colourOfName(span.name));
    context.fillRect(x, y + 1, width > 4 ? width - 1 : width, laneHeight - 2);
    const begin = Math.max(picture.gutter, x) + 3;
    const letters = Math.floor((Math.min(x + width, picture.width) - begin - 3) / glyph);
    if (letters < 3 || span.name === "") continue;
    const text = span.name.length > letters ? `${span.name.slice(0, letters - 1)}\u2026` : span.name;
    context.fillStyle = paint("on-strong");
    context.fillText(visible(text), begin, y + laneHeight - 4);
  }
  if (chosen === null) return;
  context.strokeStyle = paint("chosen");
  context.lineWidth = 2;
  const x = xOf(picture, chosen.start);
  const width = Math.max(3, xOf(picture, chosen.start + chosen.duration) - x);
  context.strokeRect(x - 1, top + chosen.lane * laneHeight, width + 2, laneHeight);
  context.lineWidth = 1;
}
