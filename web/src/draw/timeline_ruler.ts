// Time above the rows, and where steps begin and end.

import {humanDuration} from "../model/format";
import {timeTicks} from "./time_ticks";
import {drawFindingTicks} from "./timeline_findings";
import {rulerHeight, type TimelinePicture, xOf} from "./timeline_picture";

export function drawSteps(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  paint: (name: string) => string,
): void {
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

export function drawRuler(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  paint: (name: string) => string,
): void {
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
