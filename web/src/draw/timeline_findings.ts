// Findings in the timeline: ticks on the ruler where each is in time; of the one that is chosen its ranks, steps and events. Plain data in.

import {type FindingMarks, rulerHeight, type TimelinePicture, xOf} from "./timeline_picture";

type Paint = (name: string) => string;

const tickHeight = 4;

function paintOf(severity: string): string {
  return severity === "high" || severity === "medium" ? severity : "low";
}

// Which finding a place on the ruler is of: the chosen one before others, then the shortest.
export function findingAt(
  picture: Pick<TimelinePicture, "window" | "gutter" | "width" | "findings">,
  x: number,
): string | null {
  const slack = 4;
  let best: {key: string; length: number} | null = null;
  for (const {key, stretches} of picture.findings.all) {
    for (const {from, to} of stretches) {
      if (x < xOf(picture, from) - slack || x > xOf(picture, to) + slack) continue;
      const length = key === picture.findings.chosen?.key ? -1 : to - from;
      if (best === null || length < best.length) best = {key, length};
    }
  }
  return best?.key ?? null;
}

// On the ruler's lower edge, so that a finding is seen wherever its ranks are.
export function drawFindingTicks(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  findings: FindingMarks,
  paint: Paint,
): void {
  for (const {key, severity, stretches} of [...findings.all].reverse()) {
    for (const {from, to} of stretches) {
      const [left, right] = [Math.max(picture.gutter, xOf(picture, from)), Math.min(picture.width, xOf(picture, to))];
      if (right < picture.gutter || left > picture.width) continue;
      const isChosen = key === findings.chosen?.key;
      context.fillStyle = paint(isChosen ? "chosen" : paintOf(severity));
      context.fillRect(left, rulerHeight - tickHeight, Math.max(2, right - left), tickHeight - 1);
    }
  }
}

export function drawFindings(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  {chosen}: FindingMarks,
  paint: Paint,
): void {
  if (chosen === null) return;
  const stretches = chosen.stretches.length > 0 ? chosen.stretches : [picture.window];
  const rows = chosen.rows ?? [{top: picture.scroll, height: picture.height}];
  // That all of it is meant needs no mark.
  if (chosen.rows !== null || chosen.stretches.length > 0) {
    context.strokeStyle = paint("chosen");
    context.fillStyle = paint("chosen");
    for (const {from, to} of stretches) {
      const [left, right] = [
        Math.max(picture.gutter - 2, xOf(picture, from)),
        Math.min(picture.width + 2, xOf(picture, to)),
      ];
      if (right < picture.gutter || left > picture.width) continue;
      for (const {top, height} of rows) {
        const y = top - picture.scroll + rulerHeight;
        if (y > picture.height || y + height < rulerHeight) continue;
        context.globalAlpha = height < 6 ? 0.45 : 0.12;
        context.fillRect(left, y, Math.max(2, right - left), Math.max(1, height - 1));
        context.globalAlpha = 1;
        if (height >= 6) context.strokeRect(left + 0.5, y + 0.5, Math.max(2, right - left) - 1, height - 2);
      }
    }
  }
  for (const {rank, start, duration} of chosen.events) {
    const row = picture.links.rowOf.get(rank);
    if (row === undefined) continue;
    const x = xOf(picture, start);
    if (x < picture.gutter || x > picture.width) continue;
    const y = row.top - picture.scroll + rulerHeight;
    const height = Math.max(12, row.height);
    context.fillStyle = paint("ground");
    context.fillRect(x - 2, y - 3, 12, 11);
    context.fillStyle = paint(paintOf(chosen.severity));
    context.fillRect(x - 1, y - 2, 2, height);
    context.beginPath();
    context.moveTo(x + 1, y - 2);
    context.lineTo(x + 9, y + 2);
    context.lineTo(x + 1, y + 6);
    context.fill();
    context.fillRect(x, y + height - 2, Math.max(2, xOf(picture, start + duration) - x), 2);
  }
}
