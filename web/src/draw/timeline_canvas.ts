// The canvas of the timeline: rows of ranks from tiles, rows of events below those that are open, a ruler, marks. Plain data in; what is
// where on the screen comes back.

import {humanDuration} from "../model/format";
import type {Tile} from "../model/timeline";
import {visible} from "../model/text";
import {colour} from "./colour";
import {timeTicks} from "./time_ticks";
import {drawFindings, drawFindingTicks} from "./timeline_findings";
import {drawMarks, drawNoteFlags, drawNoteSpans} from "./timeline_flags";
import {drawLinks} from "./timeline_links";
import {paintName} from "./timeline_paint";
import {drawMetric} from "./timeline_metrics";
import {drawDifferences, drawStepChanges} from "./timeline_other";
import {drawResult} from "./timeline_result";
import {type ArrowEnd, laneHeight, rulerHeight, type TimelinePicture, type TimelineRow, xOf} from "./timeline_picture";
import {inkOf, lateBins, stackHeight, stackPicture, thinPicture, type TileInks} from "./timeline_tiles";

interface Paints {
  readonly theme: string;
  readonly inks: TileInks;
  readonly of: ReadonlyMap<string, string>;
}

let paints: Paints | null = null;
const pictures = new WeakMap<
  Tile,
  {
    theme: string;
    thin: HTMLCanvasElement | null;
    stack: HTMLCanvasElement | null;
    late: ReadonlyMap<number, readonly number[]>;
  }
>();

const names = [
  "ground",
  "raised",
  "text",
  "muted",
  "line",
  "grid",
  "accent",
  "chosen",
  "focus",
  "compute",
  "exposed_communication",
  "waiting",
  "communication_unknown",
  "exposed_copy",
  "still-host",
  "still-device",
  "unknown",
  "high",
  "medium",
  "low",
  "frame-python",
  "frame-op",
  "frame-annotation",
  "frame-call",
  "frame-none",
  "frame-module",
  "series-1",
  "series-2",
  "series-6",
  "frame-found",
  "on-found",
  "on-strong",
  "accent-band",
  "middle",
  "faster-1",
  "slower-1",
  "high-3",
];

function paintsNow(): Paints {
  const theme = document.documentElement.dataset["theme"] ?? "";
  if (paints?.theme === theme) return paints;
  const of = new Map(names.map((name) => [name, colour(name)]));
  const ink = (name: string) => inkOf(of.get(name) ?? "");
  paints = {
    theme,
    of,
    inks: {
      parts: ["compute", "exposed_communication", "waiting", "communication_unknown", "exposed_copy", "still-host"].map(
        ink,
      ),
      rest: ["ground", "still-device", "unknown", "ground"].map(ink),
    },
  };
  return paints;
}

// Pictures are made when they are first seen, for so long in one frame; what is coarser stands in for the others until then.
const makingMs = 6;

class Making {
  private readonly begin = performance.now();
  isBehind = false;
  of(tile: Tile, isTall: boolean, now: Paints): HTMLCanvasElement | null {
    let known = pictures.get(tile);
    if (known === undefined || known.theme !== now.theme) {
      known = {theme: now.theme, thin: null, stack: null, late: lateBins(tile)};
      pictures.set(tile, known);
    }
    const made = isTall ? known.stack : known.thin;
    if (made !== null) return made;
    if (performance.now() - this.begin > makingMs) {
      this.isBehind = true;
      return null;
    }
    return isTall ? (known.stack = stackPicture(tile, now.inks)) : (known.thin = thinPicture(tile, now.inks));
  }
}

// True: not all that is here could be drawn yet; draw again.
export function drawTimeline(context: CanvasRenderingContext2D, picture: TimelinePicture): boolean {
  const now = paintsNow();
  const paint = (name: string) => now.of.get(name) ?? "#888";
  context.imageSmoothingEnabled = false;
  context.fillStyle = paint("ground");
  context.fillRect(0, 0, picture.width, picture.height);
  context.save();
  context.beginPath();
  context.rect(picture.gutter, rulerHeight, picture.width - picture.gutter, picture.height - rulerHeight);
  context.clip();
  const making = new Making();
  const under = picture.rows.filter((row) => row.isPinned !== true);
  drawRows(context, picture, under, making, now);
  drawOther(context, picture, making, now);
  drawSteps(context, picture, paint);
  drawFindings(context, picture, picture.findings, paint);
  if (picture.metric !== null) drawMetric(context, picture, picture.metric, paint);
  if (picture.result !== null) drawResult(context, picture, picture.result, paint);
  drawArrows(context, picture, paint);
  drawLinks(context, picture, picture.links, paint);
  drawNoteSpans(context, picture, paint);
  if (picture.pinnedHeight > 0) {
    context.fillStyle = paint("ground");
    context.fillRect(picture.gutter, rulerHeight, picture.width - picture.gutter, picture.pinnedHeight);
    const pinned = picture.rows.filter((row) => row.isPinned === true);
    drawRows(context, picture, pinned, making, now);
    context.fillStyle = paint("muted");
    context.fillRect(picture.gutter, rulerHeight + picture.pinnedHeight - 2, picture.width - picture.gutter, 1);
  }
  if (picture.area !== null) {
    const {from, to, top, bottom} = picture.area;
    const [left, right] = [xOf(picture, from), xOf(picture, to)];
    const y = top - picture.scroll + rulerHeight;
    context.fillStyle = paint("accent-band");
    context.fillRect(left, y, Math.max(1, right - left), bottom - top);
    context.strokeStyle = paint("accent");
    context.strokeRect(left + 0.5, y + 0.5, Math.max(1, right - left), bottom - top);
  }
  context.restore();
  drawLabels(context, picture, paint);
  drawRuler(context, picture, paint);
  drawNoteFlags(context, picture, paint);
  drawMarks(context, picture, paint);
  return making.isBehind;
}

function drawRows(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  rows: readonly TimelineRow[],
  making: Making,
  now: Paints,
): void {
  const own = rows.filter((row) => row.track === null && row.head === undefined);
  drawRanks(context, picture, own, making, now);
  for (const row of rows) if (row.track !== null) drawTrack(context, picture, row, now);
}

// The ranks beside these of another run, where its times are here.
function drawOther(context: CanvasRenderingContext2D, picture: TimelinePicture, making: Making, now: Paints): void {
  const {other} = picture;
  if (other === null) return;
  const window = {from: picture.window.from - other.shift, to: picture.window.to - other.shift};
  const rows = picture.rows.flatMap((row) => {
    const rank = row.head === "other" ? other.rankBeside(row.rank) : null;
    return rank === null ? [] : [{...row, rank}];
  });
  drawRanks(context, {...picture, window, tilesOf: other.tilesOf}, rows, making, now);
  const paint = (name: string) => now.of.get(name) ?? "#888";
  drawDifferences(context, picture, other, paint);
  drawStepChanges(context, picture, other, paint);
}

function drawRanks(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  own: readonly TimelineRow[],
  making: Making,
  now: Paints,
): void {
  const lates: [number, number, number][] = [];
  for (let at = 0; at < own.length; ) {
    const row = own[at];
    if (row === undefined) break;
    const tiles = picture.tilesOf(row.rank);
    const isThin = row.height < 4;
    // Thin rows of one block that follow each other, as a tile has them, are drawn at once.
    let count = 1;
    const first = tiles[0];
    const place = first === undefined ? -1 : placeIn(first, row.rank);
    if (isThin && first !== undefined) {
      while (
        own[at + count]?.height === row.height &&
        first.ranks[place + count] === own[at + count]?.rank &&
        own[at + count]?.top === row.top + count * row.height
      )
        ++count;
    }
    const y = row.top - picture.scroll + rulerHeight;
    const isTall = row.height >= stackHeight;
    const height = isThin ? row.height * count : row.height - 1;
    for (const tile of place < 0 ? [] : tiles) {
      const source = making.of(tile, isTall, now);
      if (source === null) continue;
      const length = 2 ** tile.shift;
      // Only the bins that are seen: scaling what is clipped away costs as much.
      const begin = Math.max(0, Math.floor((picture.window.from - tile.begin) / length));
      const end = Math.min(tile.bins, Math.ceil((picture.window.to - tile.begin) / length));
      if (begin >= end) continue;
      const [left, right] = [xOf(picture, tile.begin + begin * length), xOf(picture, tile.begin + end * length)];
      const each = isTall ? stackHeight : 1;
      context.drawImage(source, begin, place * each, end - begin, each * count, left, y, right - left, height);
      if (isThin) continue;
      for (const bin of pictures.get(tile)?.late.get(place) ?? []) {
        if (bin >= begin && bin < end) lates.push([xOf(picture, tile.begin + (bin + 0.5) * length), y, height]);
      }
    }
    at += count;
  }
  if (lates.length <= 4000) {
    // Every collective has a last member, so this is no alarm: a notch, which is seen in every colour that stands out from the ground.
    context.fillStyle = now.of.get("ground") ?? "#fff";
    for (const [x, y, height] of lates) context.fillRect(Math.round(x) - 1, y, 2, Math.min(5, height));
  }
}

// The row of a rank in a tile; -1: it is not in it.
export function placeIn(tile: Tile, rank: number): number {
  let [low, high] = [0, tile.ranks.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = tile.ranks[middle] ?? 0;
    if (found === rank) return middle;
    if (found < rank) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

// Labels are cut by the mean width of a glyph: measuring each would cost more than drawing it.
const glyph = 6.1;

function drawTrack(context: CanvasRenderingContext2D, picture: TimelinePicture, row: TimelineRow, now: Paints): void {
  const spans = picture.spansOf(row.rank);
  if (spans === null || row.track === null) return;
  const track = spans.tracks[row.track];
  if (track === undefined) return;
  const {from, to} = picture.window;
  const [first, last] = [spans.first[row.track] ?? 0, spans.first[row.track + 1] ?? 0];
  const scale = (picture.width - picture.gutter) / (to - from);
  const y0 = row.top - picture.scroll + rulerHeight;
  const labels: [text: string, x: number, room: number, y: number, ink: string][] = [];
  const isLit = picture.lit === null ? null : spans.names.map(picture.lit);
  const events = picture.litEvents?.rank === row.rank ? picture.litEvents.events : null;
  // One colour after the other: changing it is what costs.
  const byPaint = new Map<string, number[]>();
  for (let i = first; i < last; ++i) {
    const start = spans.start[i] ?? 0;
    if (start > to) break;
    if (start + (spans.duration[i] ?? 0) < from) continue;
    const kind = picture.kinds[spans.kind[i] ?? 0] ?? "";
    const isFound = isLit?.[spans.name[i] ?? 0] === true || events?.has(spans.event[i] ?? -1) === true;
    const name = isFound ? "frame-found" : (picture.colourOf?.(spans, i, row.track) ?? paintName(kind, track));
    const list = byPaint.get(name);
    if (list) list.push(i);
    else byPaint.set(name, [i]);
  }
  for (const [name, list] of byPaint) {
    context.fillStyle = now.of.get(name) ?? "#888";
    const isCommunication = name === "exposed_communication";
    for (const i of list) {
      const start = spans.start[i] ?? 0;
      const duration = spans.duration[i] ?? 0;
      const x = picture.gutter + (start - from) * scale;
      const width = Math.max(1, duration * scale - (duration * scale > 4 ? 1 : 0));
      const y = y0 + (spans.lane[i] ?? 0) * laneHeight;
      const share = (spans.share[i] ?? 255) / 255;
      const isMerged = (spans.events[i] ?? 1) > 1;
      if (isMerged) context.globalAlpha = Math.max(0.35, share);
      if (isCommunication && !isMerged && share < 1 && width >= 2) {
        const waits = width * (1 - share);
        context.fillStyle = now.of.get("waiting") ?? "#fa8";
        context.fillRect(x, y, waits, laneHeight - 2);
        context.fillStyle = now.of.get(name) ?? "#888";
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
        context.fillStyle = now.of.get("ground") ?? "#fff";
        context.fillRect(x - 2, y - 2, 4, laneHeight);
        context.fillStyle = now.of.get("text") ?? "#000";
        context.fillRect(x - 1, y - 2, 2, laneHeight);
        context.fillStyle = now.of.get(name) ?? "#888";
      }
      if (width > 30) {
        // The label begins where the event is seen first, which may be behind its waiting.
        const paleEnd = x + width * (1 - share);
        const middle = Math.max(picture.gutter, x) + Math.min(30, width / 2);
        const text = isMerged ? `${spans.events[i]} events` : (spans.names[spans.name[i] ?? 0] ?? "");
        labels.push([
          text,
          Math.max(picture.gutter, x) + 3,
          Math.min(x + width, picture.width) - Math.max(picture.gutter, x) - 6,
          y + laneHeight - 5,
          name === "frame-found"
            ? "on-found"
            : isCommunication && !isMerged && paleEnd > middle
              ? "on-pale"
              : "on-strong",
        ]);
      }
    }
  }
  const {chosen} = picture;
  if (chosen !== null && chosen.rank === row.rank && chosen.track === row.track) {
    context.strokeStyle = now.of.get("chosen") ?? "magenta";
    context.lineWidth = 2;
    context.strokeRect(
      picture.gutter + (chosen.start - from) * scale - 1,
      y0 + chosen.lane * laneHeight - 1,
      Math.max(3, chosen.duration * scale) + 2,
      laneHeight,
    );
    context.lineWidth = 1;
  }
  context.font = "11px system-ui, sans-serif";
  for (const [text, x, room, y, ink] of labels) {
    const letters = Math.floor(room / glyph);
    if (letters < 3) continue;
    context.fillStyle = now.of.get(ink === "on-pale" ? "text" : ink) ?? "#fff";
    context.fillText(visible(text.length > letters ? `${text.slice(0, letters - 1)}\u2026` : text), x, y);
  }
}

function drawSteps(context: CanvasRenderingContext2D, picture: TimelinePicture, paint: (name: string) => string): void {
  context.strokeStyle = paint("text");
  context.globalAlpha = 0.5;
  context.setLineDash([3, 3]);
  context.beginPath();
  for (const {start, end} of picture.steps) {
    for (const time of [start, end]) {
      const x = Math.round(xOf(picture, time)) + 0.5;
      if (x < picture.gutter || x > picture.width) continue;
      context.moveTo(x, rulerHeight);
      context.lineTo(x, picture.height);
    }
  }
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

// Where an event is drawn, if it is; of one that is merged with others the middle of its row.
function placeOf(picture: TimelinePicture, {rank, event, start, track}: ArrowEnd): {left: number; y: number} | null {
  const spans = picture.spansOf(rank);
  if (spans === null) return null;
  const y = (row: TimelineRow) => row.top - picture.scroll + rulerHeight;
  for (const row of picture.rows) {
    if (row.rank !== rank || row.track === null || (track !== null && row.track !== track)) continue;
    for (let i = spans.first[row.track] ?? 0; i < (spans.first[row.track + 1] ?? 0); ++i) {
      if (spans.event[i] !== event || spans.events[i] !== 1) continue;
      return {left: xOf(picture, spans.start[i] ?? 0), y: y(row) + (spans.lane[i] ?? 0) * laneHeight + laneHeight / 2};
    }
    if (track !== null && start !== null) return {left: xOf(picture, start), y: y(row) + row.height / 2};
  }
  return null;
}

function drawArrows(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  paint: (name: string) => string,
): void {
  context.strokeStyle = paint("chosen");
  context.fillStyle = paint("chosen");
  context.lineWidth = 1.5;
  for (const {from, to} of picture.arrows) {
    const [begin, end] = [placeOf(picture, from), placeOf(picture, to)];
    if (begin === null || end === null) continue;
    context.beginPath();
    context.moveTo(begin.left, begin.y);
    context.bezierCurveTo(begin.left + 40, begin.y, end.left - 40, end.y, end.left, end.y);
    context.stroke();
    context.beginPath();
    context.moveTo(end.left, end.y);
    context.lineTo(end.left - 7, end.y - 4);
    context.lineTo(end.left - 7, end.y + 4);
    context.fill();
  }
  context.lineWidth = 1;
}

function drawLabels(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  paint: (name: string) => string,
): void {
  context.fillStyle = paint("ground");
  context.fillRect(0, rulerHeight, picture.gutter, picture.height - rulerHeight);
  context.save();
  context.beginPath();
  context.rect(0, rulerHeight, picture.gutter, picture.height - rulerHeight);
  context.clip();
  context.font = "11px system-ui, sans-serif";
  let free = 0;
  let isOverPinned = true;
  for (const row of picture.rows) {
    const y = row.top - picture.scroll + rulerHeight;
    if (row.isPinned === true && isOverPinned) {
      isOverPinned = false;
      free = 0;
      context.fillStyle = paint("ground");
      context.fillRect(0, rulerHeight, picture.gutter, picture.pinnedHeight);
      context.fillStyle = paint("muted");
      context.fillRect(0, rulerHeight + picture.pinnedHeight - 2, picture.gutter, 1);
    }
    if (picture.marked.has(row.rank) && row.track === null) {
      context.fillStyle = paint("chosen");
      context.fillRect(0, y, 3, Math.max(2, row.height));
    }
    // Thin rows: as many labels as there is room for.
    if (row.track === null && row.height < 12 && y < free) continue;
    const isGroup = row.head === "group" || (row.rank < 0 && row.head === undefined);
    if (isGroup) {
      context.fillStyle = paint("raised");
      context.fillRect(row.head === "group" ? 0 : 3, y, picture.gutter, row.height - 1);
    }
    context.font = isGroup ? "600 11px system-ui, sans-serif" : "11px system-ui, sans-serif";
    context.fillStyle = paint(row.track === null ? "text" : "muted");
    const letters = Math.floor((picture.gutter - (row.track === null ? 8 : 20)) / 5.8);
    const text = row.label.length > letters ? `${row.label.slice(0, letters - 1)}\u2026` : row.label;
    context.fillText(
      visible(text),
      row.track === null ? 6 : 18,
      y + Math.max(10, Math.min(row.height, laneHeight) - 4),
    );
    free = y + 13;
  }
  if (picture.cursor !== null) {
    const {top, height} = picture.cursor;
    context.strokeStyle = paint("focus");
    context.lineWidth = 2;
    context.strokeRect(1, top - picture.scroll + rulerHeight, picture.gutter - 3, Math.max(4, height - 1));
    context.lineWidth = 1;
  }
  context.restore();
  context.fillStyle = paint("line");
  context.fillRect(picture.gutter - 1, rulerHeight, 1, picture.height - rulerHeight);
}

function drawRuler(context: CanvasRenderingContext2D, picture: TimelinePicture, paint: (name: string) => string): void {
  context.fillStyle = paint("raised");
  context.fillRect(0, 0, picture.width, rulerHeight);
  context.fillStyle = paint("line");
  context.fillRect(0, rulerHeight - 1, picture.width, 1);
  const {from, to} = picture.window;
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = paint("muted");
  context.fillText(humanDuration(Math.round(to - from)), 6, 17);
  for (const [time, label] of timeTicks(from, to, Math.max(2, (picture.width - picture.gutter) / 120))) {
    const x = xOf(picture, time);
    if (x < picture.gutter) continue;
    context.fillStyle = paint("line");
    context.fillRect(Math.round(x), 0, 1, rulerHeight);
    context.fillStyle = paint("muted");
    context.fillText(label, x + 4, 11);
  }
  drawFindingTicks(context, picture, picture.findings, paint);
  context.fillStyle = paint("text");
  for (const {step, start, end} of picture.steps) {
    const [left, right] = [Math.max(picture.gutter, xOf(picture, start)), Math.min(picture.width, xOf(picture, end))];
    const label = `step ${step}`;
    if (right - left > label.length * 6) context.fillText(label, left + 4, 21);
  }
}
