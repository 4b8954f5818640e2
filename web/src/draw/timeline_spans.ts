// The events of a track: bars in lanes, with their names where there is room.

import {visible} from "../model/text";
import type {Spans, Track} from "../model/timeline";
import {paintName} from "./timeline_paint";
import {laneHeight, rulerHeight, type TimelinePicture, type TimelineRow} from "./timeline_picture";
import type {Paints} from "./timeline_theme";

// Labels are cut by the mean width of a glyph: measuring each would cost more than drawing it.
const glyph = 6.1;

interface Label {
  readonly text: string;
  readonly x: number;
  readonly room: number;
  readonly y: number;
  readonly ink: string;
}

// A row with its events, and how times become pixels in it.
interface Shelf {
  readonly context: CanvasRenderingContext2D;
  readonly picture: TimelinePicture;
  readonly spans: Spans;
  readonly scale: number;
  readonly y: number;
  readonly ink: (name: string, other: string) => string;
}

export function drawTrack(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  row: TimelineRow,
  now: Paints,
): void {
  const spans = picture.spansOf(row.rank);
  if (spans === null || row.track === null) return;
  const track = spans.tracks[row.track];
  if (track === undefined) return;
  const {from, to} = picture.window;
  const shelf: Shelf = {
    context,
    picture,
    spans,
    scale: (picture.width - picture.gutter) / (to - from),
    y: row.top - picture.scroll + rulerHeight,
    ink: (name, other) => now.of.get(name) ?? other,
  };
  const labels: Label[] = [];
  for (const [paint, list] of spansByPaint(picture, spans, row.track, track)) {
    context.fillStyle = shelf.ink(paint, "#888");
    for (const span of list) {
      const label = drawSpan(shelf, span, paint);
      if (label !== null) labels.push(label);
    }
  }
  drawChosen(shelf, row);
  drawNames(shelf, labels);
}

// One colour after the other: changing it is what costs.
function spansByPaint(picture: TimelinePicture, spans: Spans, at: number, track: Track): Map<string, number[]> {
  const {from, to} = picture.window;
  const isLit = picture.lit === null ? null : spans.names.map(picture.lit);
  const events = picture.litEvents?.rank === spans.rank ? picture.litEvents.events : null;
  const byPaint = new Map<string, number[]>();
  for (let i = spans.first[at] ?? 0; i < (spans.first[at + 1] ?? 0); ++i) {
    const start = spans.start[i] ?? 0;
    if (start > to) break;
    if (start + (spans.duration[i] ?? 0) < from) continue;
    const kind = picture.kinds[spans.kind[i] ?? 0] ?? "";
    const isFound = isLit?.[spans.name[i] ?? 0] === true || events?.has(spans.event[i] ?? -1) === true;
    const name = isFound ? "frame-found" : (picture.colourOf?.(spans, i, at) ?? paintName(kind, track));
    const list = byPaint.get(name);
    if (list) list.push(i);
    else byPaint.set(name, [i]);
  }
  return byPaint;
}

// In the colour that is set, which stays; its label, where it has room for one.
function drawSpan(shelf: Shelf, i: number, paint: string): Label | null {
  const {context, picture, spans, scale, ink} = shelf;
  const isCommunication = paint === "exposed_communication";
  const start = spans.start[i] ?? 0;
  const duration = spans.duration[i] ?? 0;
  const x = picture.gutter + (start - picture.window.from) * scale;
  const width = Math.max(1, duration * scale - (duration * scale > 4 ? 1 : 0));
  const y = shelf.y + (spans.lane[i] ?? 0) * laneHeight;
  const share = (spans.share[i] ?? 255) / 255;
  const isMerged = (spans.events[i] ?? 1) > 1;
  if (isMerged) context.globalAlpha = Math.max(0.35, share);
  if (isCommunication && !isMerged && share < 1 && width >= 2) {
    const waits = width * (1 - share);
    context.fillStyle = ink("waiting", "#fa8");
    context.fillRect(x, y, waits, laneHeight - 2);
    context.fillStyle = ink(paint, "#888");
    if (waits > 3) {
      // What is pale has an edge of the colour that it belongs to.
      context.fillRect(x, y, waits, 1);
      context.fillRect(x, y + laneHeight - 3, waits, 1);
      context.fillRect(x, y, 1, laneHeight - 2);
    }
    context.fillRect(x + width * (1 - share), y, Math.max(1, width * share), laneHeight - 2);
  } else {
    context.fillRect(x, y, width, laneHeight - 2);
  }
  context.globalAlpha = 1;
  if (((spans.flags[i] ?? 0) & 1) !== 0) {
    context.fillStyle = ink("ground", "#fff");
    context.fillRect(x - 2, y - 2, 4, laneHeight);
    context.fillStyle = ink("text", "#000");
    context.fillRect(x - 1, y - 2, 2, laneHeight);
    context.fillStyle = ink(paint, "#888");
  }
  if (width <= 30) return null;
  // The label begins where the event is seen first, which may be behind its waiting.
  const left = Math.max(picture.gutter, x);
  const isPale = isCommunication && !isMerged && x + width * (1 - share) > left + Math.min(30, width / 2);
  return {
    text: isMerged ? `${spans.events[i]} events` : (spans.names[spans.name[i] ?? 0] ?? ""),
    x: left + 3,
    room: Math.min(x + width, picture.width) - left - 6,
    y: y + laneHeight - 5,
    ink: paint === "frame-found" ? "on-found" : isPale ? "text" : "on-strong",
  };
}

function drawChosen({context, picture, scale, y, ink}: Shelf, row: TimelineRow): void {
  const {chosen} = picture;
  if (chosen === null || chosen.rank !== row.rank || chosen.track !== row.track) return;
  context.strokeStyle = ink("chosen", "magenta");
  context.lineWidth = 2;
  context.strokeRect(
    picture.gutter + (chosen.start - picture.window.from) * scale - 1,
    y + chosen.lane * laneHeight - 1,
    Math.max(3, chosen.duration * scale) + 2,
    laneHeight,
  );
  context.lineWidth = 1;
}

function drawNames({context, ink}: Shelf, labels: readonly Label[]): void {
  context.font = "11px system-ui, sans-serif";
  for (const label of labels) {
    const letters = Math.floor(label.room / glyph);
    if (letters < 3) continue;
    context.fillStyle = ink(label.ink, "#fff");
    const text = label.text.length > letters ? `${label.text.slice(0, letters - 1)}\u2026` : label.text;
    context.fillText(visible(text), label.x, label.y);
  }
}
