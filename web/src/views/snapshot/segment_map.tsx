// The segments at the end, one behind the other in lines of equal length: used blocks in the colour of what allocated them, unused ones
// empty. A segment that does not fit a line goes on in the next.

import {useMemo, useRef, useState} from "preact/hooks";
import {CanvasPlot} from "../../draw/canvas_plot";
import {colour} from "../../draw/colour";
import {usePlot} from "../../draw/plot_box";
import type {Point, TipLine} from "../../draw/tips";
import type {Snapshot, Table} from "../../model/report";
import {categoryColours, categoryLabel} from "./allocation_colours";

interface Block {
  readonly row: number;
  readonly segment: number; // its row
  readonly from: number;
  readonly bytes: number;
}
interface SegmentMap {
  readonly snapshot: Snapshot;
  readonly name: string;
  readonly segments: Table;
  readonly blocks: Table;
  readonly segmentRows: readonly number[];
  readonly blockRows: readonly number[];
}
const lineHeight = 15;
const gap = 3;

// Where segments and blocks are in the row of all.
function placesOf({segments, blocks, segmentRows, blockRows}: SegmentMap) {
  const whole = segmentRows.reduce((sum, row) => sum + segments.amount(row, "bytes"), 0);
  const lines = Math.max(1, Math.min(26, Math.ceil(segmentRows.length / 3)));
  const perLine = whole / lines;
  const places = new Map<string, {at: number; row: number}>();
  let at = 0;
  for (const row of segmentRows) {
    places.set(String(segments.get(row, "address")), {at, row});
    at += segments.amount(row, "bytes");
  }
  const boxes = blockRows
    .flatMap((row): Block[] => {
      const place = places.get(String(blocks.get(row, "segment")));
      const from = (place?.at ?? 0) + blocks.amount(row, "offset");
      return place === undefined ? [] : [{row, segment: place.row, from, bytes: blocks.amount(row, "bytes")}];
    })
    .sort((a, b) => a.from - b.from);
  // The pieces of a stretch of bytes by line: [line, x, width] as parts of a line.
  const pieces = (begin: number, bytes: number) => {
    const found: [line: number, x: number, width: number][] = [];
    for (let rest = bytes, from = begin; rest > 0; ) {
      const line = Math.min(lines - 1, Math.floor(from / perLine));
      const take = line === lines - 1 ? rest : Math.min(rest, (line + 1) * perLine - from);
      found.push([line, from / perLine - line, take / perLine]);
      from += take;
      rest -= take;
      if (!(take > 0)) break;
    }
    return found;
  };
  return {lines, perLine, places, boxes, pieces};
}

export function SegmentMap(props: SegmentMap) {
  const {snapshot, name, segments, blocks} = props;
  const plot = usePlot();
  const {lines, perLine, places, boxes, pieces} = useMemo(() => placesOf(props), [segments, blocks]);
  const [, redraw] = useState({});
  const shown = useRef<Block | null>(null);
  const lineTop = (line: number) => line * (lineHeight + gap);

  function paint(context: CanvasRenderingContext2D, width: number) {
    const unused = colour("ground");
    const edge = colour("muted");
    const colours = new Map(Array.from(categoryColours, ([id, one]) => [id, colour(one)]));
    context.fillStyle = colour("raised");
    for (let line = 0; line < lines; ++line) context.fillRect(0, lineTop(line), width, lineHeight);
    for (const box of boxes) {
      const state = blocks.get(box.row, "state");
      context.fillStyle =
        state === "inactive"
          ? unused
          : (colours.get(blocks.text(box.row, "category")) ?? colours.get("unknown") ?? edge);
      context.globalAlpha = state === "pending_free" ? 0.5 : 1;
      for (const [line, x, part] of pieces(box.from, box.bytes)) {
        const wide = part * width;
        context.fillRect(x * width, lineTop(line), wide > 2 ? wide - 0.5 : wide, lineHeight);
      }
    }
    context.globalAlpha = 1;
    context.strokeStyle = edge;
    for (const {at, row} of places.values()) {
      for (const [line, x, part] of pieces(at, segments.amount(row, "bytes"))) {
        context.strokeRect(x * width + 0.5, lineTop(line) + 0.5, Math.max(part * width - 1, 0), lineHeight - 1);
      }
    }
    if (shown.current === null) return;
    context.strokeStyle = colour("focus");
    context.lineWidth = 2;
    for (const [line, x, part] of pieces(shown.current.from, shown.current.bytes)) {
      context.strokeRect(x * width, lineTop(line), Math.max(part * width, 2), lineHeight);
    }
    context.lineWidth = 1;
  }
  function show(box: Block, point: Point, speak: boolean) {
    if (shown.current !== box) {
      shown.current = box;
      redraw({});
    }
    const state = blocks.get(box.row, "state");
    const category = blocks.text(box.row, "category");
    const isUnused = state === "inactive";
    const use = {value: state === "pending_free" ? "still used by a stream" : "", unit: "", type: "string", id: ""};
    const used: TipLine[] = isUnused ? [] : [[categoryColours.get(category), categoryLabel(snapshot, category), use]];
    const requested: TipLine[] = isUnused ? [] : [["", "requested", blocks.cell(box.row, "requested_bytes")]];
    plot.tips.show(
      point,
      isUnused ? "Unused" : blocks.text(box.row, "place") || "(no stack)",
      [
        ...used,
        ["", "block", blocks.cell(box.row, "bytes")],
        ...requested,
        ["", "segment", segments.cell(box.segment, "bytes")],
        ["", "unused in it", segments.cell(box.segment, "free_bytes")],
      ],
      speak,
    );
  }
  function leave() {
    plot.tips.hide();
    if (shown.current === null) return;
    shown.current = null;
    redraw({});
  }

  return (
    <CanvasPlot
      plot={plot}
      name={name}
      height={lines * (lineHeight + gap)}
      paint={paint}
      reading={{
        point: (px, py, pointer) => {
          const byte = (Math.floor(py / (lineHeight + gap)) + px / plot.box().width) * perLine;
          const box = boxes.find((one) => byte >= one.from && byte < one.from + one.bytes);
          if (box) show(box, pointer, false);
          else leave();
        },
        move: (move) => {
          const now = shown.current === null ? -1 : boxes.indexOf(shown.current);
          const next =
            move === "first"
              ? 0
              : move === "last"
                ? boxes.length - 1
                : Math.max(0, Math.min(boxes.length - 1, now + move[0] + move[1]));
          const box = boxes[next];
          if (box === undefined) return;
          const place = plot.box();
          const [line, x] = pieces(box.from, box.bytes)[0] ?? [0, 0];
          show(box, {x: place.left + x * place.width, y: place.top + (line + 1) * (lineHeight + gap)}, true);
        },
        leave,
      }}
    />
  );
}
