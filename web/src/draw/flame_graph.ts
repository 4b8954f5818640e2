// A flame graph: a box per frame, as wide as its share of a weight, and below it the frames that it calls. One SVG path per kind.
//
// frames: those of a FrameTree, with {name, label, kind}; kinds: {kind: colour}; inks: {kind: colour of its text} where it is not on-strong.
// weights: {label, total(frame) -> number, lines(frame) -> of the tooltip}; the reader switches between them.
// A click or Enter makes a frame fill the width; the frames around it stay above it, and a path of names leads back.

import {human, plural} from "../model/format";
import type {Cell} from "../model/report";
import {type Child, el, fill, front, hideCursor, showCursor, svg} from "./dom";
import {type Frame, FrameTree, type FrameWeight} from "./frame_tree";
import {drawn, onPaper, paperWidth} from "./redraw";
import {fitted} from "./text_width";
import {type Point, type TipLine, byKeyboard, hideTip, showTip} from "./tooltip";

export interface FlameFrame extends Frame {
  readonly name: string;
  readonly label: string;
  readonly kind: string | null;
}
export interface FlameWeight extends FrameWeight {
  readonly label: string;
  readonly lines: (frame: number) => readonly TipLine[];
}
interface FlameGraph {
  readonly name: string;
  readonly frames: readonly FlameFrame[];
  readonly kinds: Readonly<Record<string, string>>;
  readonly weights: readonly FlameWeight[];
  readonly inks?: Readonly<Record<string, string>>;
}

export function flameGraph({name, frames, kinds, weights, inks = {}}: FlameGraph): Child[] {
  const rowHeight = 18;
  const least = 0.5; // pixels: what is narrower is not drawn
  const plot = el("div", {class: "plot flames", "data-plot": name, "data-frames": frames.length});
  const tree = new FrameTree(frames);
  let weight = weights[0];
  let zoom = 0;
  let at = -1;
  let search = "";
  let boxes: ReturnType<FrameTree["boxes"]> = [];

  const lowerNames = frames.map((frame) => frame.name.toLowerCase());
  const isFound = (frame: number) => search !== "" && frame !== 0 && lowerNames[frame].includes(search);

  function draw(width: number) {
    boxes = tree.boxes(zoom, weight, width, least);
    const height = (Math.max(...boxes.map((box) => box.level)) + 1) * rowHeight + 2;
    const shapes = new Map<string, string>();
    const texts: SVGElement[] = [];
    for (const box of boxes) {
      const style = box.isAround ? "around" : isFound(box.frame) ? "found" : frames[box.frame].kind || "none";
      const y = box.level * rowHeight + 1;
      const wide = Math.max(box.width - (box.width > 3 ? 1 : 0), least);
      shapes.set(
        style,
        `${shapes.get(style) || ""}M${box.x.toFixed(2)} ${y}h${wide.toFixed(2)}v${rowHeight - 1}h${(-wide).toFixed(2)}z`,
      );
      const text = fitted(front(frames[box.frame].label, 200), wide - 8);
      if (!text) continue;
      const node = svg("text", {x: (box.x + 4).toFixed(1), y: y + 12.5}, text);
      if (!box.isAround)
        node.style.fill = style === "found" ? "var(--on-found)" : `var(--${inks[style] || "on-strong"})`;
      texts.push(node);
    }
    const paths = Array.from(shapes, ([style, d]) => {
      const path = svg("path", {d, class: style, "data-kind": style});
      if (kinds[style]) path.style.fill = `var(--${kinds[style]})`;
      return path;
    });
    plot.replaceChildren(
      svg(
        "svg",
        {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"},
        paths,
        texts,
        svg("rect", {class: "cursor", visibility: "hidden", height: rowHeight}),
      ),
    );
    plot.dataset.zoom = String(zoom);
  }

  function show(frame: number, point: Point | null, speak: boolean) {
    at = frame;
    // A frame that is too narrow to be drawn is shown at the one around it.
    let drawnFrame = frame;
    while (!boxes.some((box) => box.frame === drawnFrame)) drawnFrame = frames[drawnFrame].parent ?? 0;
    const box = boxes.find((one) => one.frame === drawnFrame) ?? boxes[0];
    showCursor(plot, {x: box.x, y: box.level * rowHeight + 0.5, width: Math.max(box.width - 1, 2)});
    if (!point) {
      const y = plot.getBoundingClientRect().top + box.level * rowHeight;
      if (y < 20 || y > innerHeight - 60) scrollBy({top: y - innerHeight / 2});
    }
    const place = plot.getBoundingClientRect();
    showTip(
      point || {x: place.left + box.x, y: place.top + (box.level + 1) * rowHeight},
      frames[frame].name,
      [
        ...weight.lines(frame),
        ["", "share of all", shareOf(weight.total(frame), weight.total(0))],
        ...(zoom !== 0 && !box.isAround
          ? [["", "share of the zoomed frame", shareOf(weight.total(frame), weight.total(zoom))] as const]
          : []),
      ],
      speak,
    );
  }
  function leave() {
    at = -1;
    hideTip();
    hideCursor(plot);
  }
  function zoomTo(frame: number) {
    zoom = frame;
    leave();
    update();
  }

  const way = el("div", {class: "tools way"});
  function showWay() {
    const path = tree.pathTo(zoom);
    // Of a long path its ends.
    const shownPath = path.length <= 5 ? path : [path[0], null, ...path.slice(-3)];
    way.replaceChildren();
    fill(
      way,
      {},
      shownPath
        .flatMap((frame, i) => [
          i > 0 ? "\u203a" : null,
          frame === null
            ? "\u2026"
            : frame === zoom
              ? el("span", {class: "now"}, front(frames[frame].label, 60))
              : el("button", {type: "button", onclick: () => zoomTo(frame)}, front(frames[frame].label, 60)),
        ])
        .filter((one) => one !== null),
    );
    way.append(
      zoom === 0
        ? "click a box to zoom"
        : el("button", {type: "button", class: "reset", onclick: () => zoomTo(0)}, "Zoom out"),
    );
  }

  // What a search finds inside the zoomed frame.
  const result = el("span", {role: "status", class: "result"});
  function showFound() {
    if (search === "") return result.replaceChildren();
    const {count, sum} = tree.sumOf(zoom, weight, isFound);
    const share = shareOf(sum, weight.total(zoom));
    return result.replaceChildren(
      count === 0
        ? "no frame found"
        : `${plural(count, "frame")}: ${human(share.value, "%")} of ${weight.label}${zoom === 0 ? "" : " here"}`,
    );
  }

  function update() {
    // A frame without the chosen weight cannot fill the width.
    while (!(weight.total(zoom) > 0) && zoom !== 0) zoom = frames[zoom].parent ?? 0;
    showWay();
    showFound();
    const width = onPaper ? paperWidth : plot.clientWidth;
    if (width > 0) draw(width);
  }

  plot.addEventListener("pointermove", (event) => {
    const found = boxAt(event);
    if (found) show(found.frame, {x: event.clientX, y: event.clientY}, false);
    else leave();
  });
  function boxAt(event: MouseEvent) {
    const place = plot.getBoundingClientRect();
    const x = event.clientX - place.left;
    const level = Math.floor((event.clientY - place.top) / rowHeight);
    return boxes.find((box) => box.level === level && x >= box.x && x < box.x + Math.max(box.width, 2));
  }
  plot.addEventListener("pointerleave", leave);
  plot.addEventListener("click", (event) => {
    const found = boxAt(event);
    if (found) zoomTo(found.frame);
  });
  byKeyboard(
    plot,
    name,
    (move) => {
      let next = at;
      if (move === "first" || (at < 0 && move !== "last")) {
        next = zoom;
      } else if (move === "last") {
        next = tree.heaviestInside(at < 0 ? zoom : at, weight);
      } else if (move[1] < 0) {
        next = frames[at].parent ?? at;
      } else if (move[1] > 0) {
        next = tree.inside(at, weight)[0] ?? at;
      } else {
        const around = frames[at].parent;
        const beside = around === null ? [at] : tree.inside(around, weight);
        next = beside[Math.max(0, Math.min(beside.length - 1, beside.indexOf(at) + move[0]))];
      }
      show(next, null, true);
    },
    leave,
  );
  plot.setAttribute(
    "aria-label",
    `${name}. Arrow keys walk through the frames, End goes to the heaviest inside, Enter zooms in, Escape zooms out.`,
  );
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Escape") zoomTo(0);
    if (event.key !== "Enter" || at < 0) return;
    event.preventDefault();
    const frame = at;
    zoomTo(frame);
    show(zoom, null, true);
  });

  const buttons = weights.map((one, i) =>
    el(
      "button",
      {
        type: "button",
        "aria-pressed": String(i === 0),
        onclick: () => {
          weight = one;
          buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === i)));
          leave();
          update();
        },
      },
      one.label,
    ),
  );
  const field = el("input", {
    type: "search",
    placeholder: "Search frames",
    "aria-label": "Search frames by name",
    oninput: () => {
      search = field.value.trim().toLowerCase();
      leave();
      update();
    },
  });
  showWay();
  return [el("div", {class: "tools"}, weights.length > 1 ? buttons : null, field, result), way, drawn(plot, draw)];
}

// What no table has: a share of the weight on which the reader looks.
export function shareOf(part: number, all: number): Cell {
  return {value: all > 0 ? (100 * part) / all : null, unit: "%", type: "double", id: ""};
}
