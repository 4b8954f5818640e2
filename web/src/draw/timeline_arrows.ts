// Arrows from one event to another.

import {type ArrowEnd, laneHeight, rulerHeight, type TimelinePicture, type TimelineRow, xOf} from "./timeline_picture";

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

export function drawArrows(
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
