// The canvas of the timeline: what is drawn, and over what. Plain data in.

import {drawArrows} from "./timeline_arrows";
import {drawFindings} from "./timeline_findings";
import {drawMarks, drawNoteFlags, drawNoteSpans} from "./timeline_flags";
import {drawLabels} from "./timeline_labels";
import {drawLinks} from "./timeline_links";
import {drawMetric} from "./timeline_metrics";
import {drawDifferences, drawStepChanges} from "./timeline_other";
import {rulerHeight, type TimelinePicture, type TimelineRow, xOf} from "./timeline_picture";
import {drawRanks, Making} from "./timeline_ranks";
import {drawResult} from "./timeline_result";
import {drawRuler, drawSteps} from "./timeline_ruler";
import {drawTrack} from "./timeline_spans";
import {type Paints, paintsNow} from "./timeline_theme";

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
  drawArea(context, picture, paint);
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

function drawArea(context: CanvasRenderingContext2D, picture: TimelinePicture, paint: (name: string) => string): void {
  if (picture.area === null) return;
  const {from, to, top, bottom} = picture.area;
  const [left, right] = [xOf(picture, from), xOf(picture, to)];
  const y = top - picture.scroll + rulerHeight;
  context.fillStyle = paint("accent-band");
  context.fillRect(left, y, Math.max(1, right - left), bottom - top);
  context.strokeStyle = paint("accent");
  context.strokeRect(left + 0.5, y + 0.5, Math.max(1, right - left), bottom - top);
}
