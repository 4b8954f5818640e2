// The segments at the end, one behind the other in lines of equal length: used blocks in the colour of what allocated them, unused ones
// empty. A segment that does not fit a line goes on in the next.

import {colour} from "../../draw/dom";
import {plots} from "../../draw/redraw";
import {type Point, type TipLine, byKeyboard, hideTip, showTip} from "../../draw/tooltip";
import type {Table} from "../../model/report";
import {canvasPlot, categoryColours, categoryLabel} from "./allocation_colours";

interface Block {
  readonly row: number;
  readonly segment: number; // its row
  readonly from: number;
  readonly bytes: number;
}

export function segmentMap(
  name: string,
  segments: Table,
  blocks: Table,
  segmentRows: readonly number[],
  blockRows: readonly number[],
): HTMLElement {
  const lineHeight = 15;
  const gap = 3;
  const whole = segmentRows.reduce((sum, row) => sum + segments.amount(row, "bytes"), 0);
  const lines = Math.max(1, Math.min(26, Math.ceil(segmentRows.length / 3)));
  const perLine = whole / lines;
  // Where each segment begins in the row of all.
  const places = new Map<string, {at: number; row: number}>();
  let at = 0;
  for (const row of segmentRows) {
    places.set(String(segments.get(row, "address")), {at, row});
    at += segments.amount(row, "bytes");
  }
  const boxes = blockRows
    .flatMap((row): Block[] => {
      const place = places.get(String(blocks.get(row, "segment")));
      return place === undefined
        ? []
        : [
            {
              row,
              segment: place.row,
              from: place.at + blocks.amount(row, "offset"),
              bytes: blocks.amount(row, "bytes"),
            },
          ];
    })
    .sort((a, b) => a.from - b.from);
  // The pieces of a stretch of bytes by line: [line, x, width] as parts of a line.
  const pieces = (from: number, bytes: number) => {
    const found: [line: number, x: number, width: number][] = [];
    for (let rest = bytes, begin = from; rest > 0; ) {
      const line = Math.min(lines - 1, Math.floor(begin / perLine));
      const take = line === lines - 1 ? rest : Math.min(rest, (line + 1) * perLine - begin);
      found.push([line, begin / perLine - line, take / perLine]);
      begin += take;
      rest -= take;
      if (!(take > 0)) break;
    }
    return found;
  };
  let shownBox: Block | null = null;
  function paint(context: CanvasRenderingContext2D, width: number) {
    const unused = colour("ground");
    const edge = colour("muted");
    const colours = new Map(Array.from(categoryColours, ([id, one]) => [id, colour(one)]));
    context.fillStyle = colour("raised");
    for (let line = 0; line < lines; ++line) context.fillRect(0, line * (lineHeight + gap), width, lineHeight);
    for (const box of boxes) {
      const state = blocks.get(box.row, "state");
      context.fillStyle =
        state === "inactive"
          ? unused
          : (colours.get(blocks.text(box.row, "category")) ?? colours.get("unknown") ?? edge);
      context.globalAlpha = state === "pending_free" ? 0.5 : 1;
      for (const [line, x, part] of pieces(box.from, box.bytes)) {
        const wide = part * width;
        context.fillRect(x * width, line * (lineHeight + gap), wide > 2 ? wide - 0.5 : wide, lineHeight);
      }
    }
    context.globalAlpha = 1;
    context.strokeStyle = edge;
    for (const {at: from, row} of places.values()) {
      const outline = pieces(from, segments.amount(row, "bytes"));
      for (const [line, x, part] of outline)
        context.strokeRect(
          x * width + 0.5,
          line * (lineHeight + gap) + 0.5,
          Math.max(part * width - 1, 0),
          lineHeight - 1,
        );
    }
    if (!shownBox) return;
    context.strokeStyle = colour("focus");
    context.lineWidth = 2;
    for (const [line, x, part] of pieces(shownBox.from, shownBox.bytes))
      context.strokeRect(x * width, line * (lineHeight + gap), Math.max(part * width, 2), lineHeight);
    context.lineWidth = 1;
  }
  const plot = canvasPlot(name, () => lines * (lineHeight + gap), paint);
  const redraw = () => {
    for (const one of plots) if (one.node === plot) one.draw();
  };
  function show(box: Block, point: Point, speak: boolean) {
    if (shownBox !== box) {
      shownBox = box;
      redraw();
    }
    const state = blocks.get(box.row, "state");
    const category = blocks.text(box.row, "category");
    const title = state === "inactive" ? "Unused" : blocks.text(box.row, "place") || "(no stack)";
    const use: TipLine[] =
      state === "inactive"
        ? []
        : [
            [
              categoryColours.get(category),
              categoryLabel(category),
              {value: state === "pending_free" ? "still used by a stream" : "", unit: "", type: "string", id: ""},
            ],
          ];
    const requested: TipLine[] =
      state === "inactive" ? [] : [["", "requested", blocks.cell(box.row, "requested_bytes")]];
    showTip(
      point,
      title,
      [
        ...use,
        ["", "block", blocks.cell(box.row, "bytes")],
        ...requested,
        ["", "segment", segments.cell(box.segment, "bytes")],
        ["", "unused in it", segments.cell(box.segment, "free_bytes")],
      ],
      speak,
    );
  }
  function leave() {
    hideTip();
    if (!shownBox) return;
    shownBox = null;
    redraw();
  }
  plot.addEventListener("pointermove", (event) => {
    const place = plot.getBoundingClientRect();
    const line = Math.floor((event.clientY - place.top) / (lineHeight + gap));
    const byte = (line + (event.clientX - place.left) / place.width) * perLine;
    const box = boxes.find((one) => byte >= one.from && byte < one.from + one.bytes);
    if (box) show(box, {x: event.clientX, y: event.clientY}, false);
    else leave();
  });
  plot.addEventListener("pointerleave", leave);
  byKeyboard(
    plot,
    name,
    (key) => {
      const now = shownBox === null ? -1 : boxes.indexOf(shownBox);
      const next =
        key === "first"
          ? 0
          : key === "last"
            ? boxes.length - 1
            : Math.max(0, Math.min(boxes.length - 1, now + key[0] + key[1]));
      if (next < 0) return;
      const place = plot.getBoundingClientRect();
      const [[line, x]] = pieces(boxes[next].from, boxes[next].bytes);
      show(boxes[next], {x: place.left + x * place.width, y: place.top + (line + 1) * (lineHeight + gap)}, true);
    },
    leave,
  );
  return plot;
}
