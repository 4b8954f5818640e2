// What links the ranks of a timeline: when each member came to a collective, and the critical path through all ranks. Plain data in.

import type {TimelineCollective, TimelinePath} from "../model/timeline";
import {humanDuration} from "../model/format";
import {visible} from "../model/text";
import {type Links, rulerHeight, type TimelinePicture, xOf} from "./timeline_picture";

type Paint = (name: string) => string;

// The middle of a rank's row in the picture.
function yOf(picture: TimelinePicture, links: Links, rank: number): number | null {
  const row = links.rowOf.get(rank);
  return row === undefined ? null : row.top + row.height / 2 - picture.scroll + rulerHeight;
}

// A line through the begins of all members, in the order of the rows; who came last is marked.
function drawCollective(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  links: Links,
  one: TimelineCollective,
  paint: Paint,
  isChosen: boolean,
): void {
  const places: {x: number; y: number; rank: number; start: number}[] = [];
  for (const [rank, start] of one.members) {
    const y = yOf(picture, links, rank);
    if (y !== null) places.push({x: xOf(picture, start), y, rank, start});
  }
  if (places.length === 0) return;
  places.sort((a, b) => a.y - b.y);
  const trace = () => {
    context.beginPath();
    places.forEach(({x, y}, i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    context.stroke();
  };
  context.lineJoin = "round";
  context.strokeStyle = paint("ground");
  context.lineWidth = isChosen ? 5 : 2.5;
  trace();
  context.strokeStyle = paint(isChosen ? "chosen" : "text");
  context.lineWidth = isChosen ? 2.5 : 1;
  trace();
  context.lineWidth = 1;
  const last = places.find(({rank}) => rank === one.last_rank);
  if (last === undefined) return;
  context.fillStyle = paint(isChosen ? "chosen" : "text");
  context.beginPath();
  context.moveTo(last.x, last.y);
  context.lineTo(last.x - 6, last.y - 5);
  context.lineTo(last.x - 6, last.y + 5);
  context.fill();
  if (!isChosen) return;
  const first = Math.min(...one.members.map(([, start]) => start));
  const text = `rank ${last.rank} is last, by ${humanDuration(last.start - first)}`;
  context.font = "11px system-ui, sans-serif";
  const width = context.measureText(text).width + 8;
  const x = last.x + 10 + width > picture.width ? last.x - 14 - width : last.x + 6;
  context.fillStyle = paint("raised");
  context.fillRect(x, last.y - 9, width, 17);
  context.fillStyle = paint("text");
  context.fillText(text, x + 4, last.y + 3);
}

function drawPath(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  links: Links,
  path: TimelinePath,
  paint: Paint,
): void {
  const line = new Path2D();
  let before: number | null = null;
  for (const piece of path.pieces) {
    const y = yOf(picture, links, piece.rank);
    if (y === null) {
      before = null; // of a rank that is not shown
      continue;
    }
    const [left, right] = [xOf(picture, piece.start_ns), xOf(picture, piece.start_ns + piece.duration_ns)];
    if (right < picture.gutter || left > picture.width) {
      before = y;
      continue;
    }
    if (before === null) line.moveTo(left, y);
    else if (before !== y) {
      line.moveTo(left, before);
      line.lineTo(left, y);
    }
    line.moveTo(Math.max(left, picture.gutter), y);
    line.lineTo(Math.min(right, picture.width), y);
    before = y;
  }
  context.lineCap = "round";
  context.strokeStyle = paint("ground");
  context.lineWidth = 6;
  context.stroke(line);
  context.strokeStyle = paint("text");
  context.lineWidth = 3;
  context.stroke(line);
  context.lineCap = "butt";
  context.lineWidth = 1;
}

// Flags on rows, or on the ruler's edge when they are of all ranks.
function drawNotes(context: CanvasRenderingContext2D, picture: TimelinePicture, links: Links, paint: Paint): void {
  for (const {text, rank, time_ns: time} of links.notes) {
    if (time === null) continue;
    const x = Math.round(xOf(picture, time));
    if (x < picture.gutter || x > picture.width) continue;
    const y = rank === null ? rulerHeight + 10 : yOf(picture, links, rank);
    if (y === null) continue;
    context.fillStyle = paint("chosen");
    context.fillRect(x, y - 9, 2, 18);
    context.font = "11px system-ui, sans-serif";
    const shown = visible(text.length > 28 ? `${text.slice(0, 27)}\u2026` : text);
    const width = context.measureText(shown).width + 8;
    context.fillStyle = paint("raised");
    context.fillRect(x + 2, y - 9, width, 15);
    context.strokeStyle = paint("chosen");
    context.strokeRect(x + 2.5, y - 8.5, width - 1, 14);
    context.fillStyle = paint("text");
    context.fillText(shown, x + 6, y + 2);
  }
}

export function drawLinks(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  links: Links,
  paint: Paint,
): void {
  for (const one of links.collectives) drawCollective(context, picture, links, one, paint, false);
  if (links.path !== null) drawPath(context, picture, links, links.path, paint);
  if (links.chosen !== null) drawCollective(context, picture, links, links.chosen, paint, true);
  drawNotes(context, picture, links, paint);
}
