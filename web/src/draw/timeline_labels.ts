// The names of the rows, left of them: which of them are marked, and where the keyboard is.

import {visible} from "../model/text";
import {laneHeight, rulerHeight, type TimelinePicture} from "./timeline_picture";

export function drawLabels(
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
