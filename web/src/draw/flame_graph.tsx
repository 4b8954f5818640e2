// A flame graph: a box per frame, as wide as its weight, below the frame that calls it. One SVG path per kind.
//
// The reader switches between weights. A click or Enter makes a frame fill the width; the frames around it stay above it, and a path of
// names leads back.

import {useMemo, useRef, useState} from "preact/hooks";
import {human, plural} from "../model/format";
import type {Cell} from "../model/report";
import {front} from "../model/text";
import {fillOf} from "./axes";
import {type Frame, FrameTree, type FrameWeight} from "./frame_tree";
import {Cursor, type Move, Picture, PlotBox, usePlot} from "./plot_box";
import {fitted} from "./text_width";
import type {Point, TipLine} from "./tips";

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
  readonly kinds: Readonly<Record<string, string>>; // their colours
  readonly weights: readonly FlameWeight[];
  readonly inks?: Readonly<Record<string, string>>; // colours of their texts where these are not on-strong
}
type Box = ReturnType<FrameTree["boxes"]>[number];

const rowHeight = 18;
const least = 0.5; // pixels: what is narrower is not drawn

const weightless: FlameWeight = {label: "", total: () => 0, lines: () => []};

export function FlameGraph({name, frames, kinds, weights, inks = {}}: FlameGraph) {
  const plot = usePlot();
  const tree = useMemo(() => new FrameTree(frames), [frames]);
  const lowerNames = useMemo(() => frames.map((frame) => frame.name.toLowerCase()), [frames]);
  const [weightAt, setWeight] = useState(0);
  const [zoomed, setZoom] = useState(0);
  const [search, setSearch] = useState("");
  const at = useRef(-1);
  const weight = weights[weightAt] ?? weightless;
  const parentOf = (frame: number) => frames[frame]?.parent ?? 0;
  // A frame without the chosen weight cannot fill the width.
  let zoom = zoomed;
  while (!(weight.total(zoom) > 0) && zoom !== 0) zoom = parentOf(zoom);
  const isFound = (frame: number) => search !== "" && frame !== 0 && (lowerNames[frame]?.includes(search) ?? false);
  const boxes = useMemo(
    () => (plot.width === 0 ? [] : tree.boxes(zoom, weight, plot.width, least)),
    [tree, zoom, weight, plot.width],
  );

  function boxesFrom(top: number): readonly Box[] {
    return top === zoom ? boxes : tree.boxes(top, weight, plot.width, least);
  }
  function show(frame: number, point: Point | null, speak: boolean, now = zoom) {
    at.current = frame;
    const drawn = boxesFrom(now);
    // A frame that is too narrow to be drawn is shown at the one around it.
    let shown = frame;
    while (shown !== 0 && !drawn.some((box) => box.frame === shown)) shown = parentOf(shown);
    const box = drawn.find((one) => one.frame === shown) ?? drawn[0];
    if (box === undefined) return;
    plot.cursor.value = {x: box.x, y: box.level * rowHeight + 0.5, width: Math.max(box.width - 1, 2)};
    if (!point) {
      const y = plot.box().top + box.level * rowHeight;
      if (y < 20 || y > innerHeight - 60) scrollBy({top: y - innerHeight / 2});
    }
    const place = plot.box();
    const lines: TipLine[] = [
      ...weight.lines(frame),
      ["", "share of all", shareOf(weight.total(frame), weight.total(0))],
    ];
    if (now !== 0 && !box.isAround)
      lines.push(["", "share of the zoomed frame", shareOf(weight.total(frame), weight.total(now))]);
    plot.tips.show(
      point ?? {x: place.left + box.x, y: place.top + (box.level + 1) * rowHeight},
      frames[frame]?.name ?? "",
      lines,
      speak,
    );
  }
  function leave() {
    at.current = -1;
    plot.tips.hide();
    plot.cursor.value = null;
  }
  function zoomTo(frame: number) {
    leave();
    setZoom(frame);
  }
  function boxAt(x: number, y: number): Box | undefined {
    const level = Math.floor(y / rowHeight);
    return boxes.find((box) => box.level === level && x >= box.x && x < box.x + Math.max(box.width, 2));
  }
  function nextOf(move: Move): number {
    const now = at.current;
    if (move === "last") return tree.heaviestInside(now < 0 ? zoom : now, weight);
    if (move === "first" || now < 0) return zoom;
    if (move[1] < 0) return frames[now]?.parent ?? now;
    if (move[1] > 0) return tree.inside(now, weight)[0] ?? now;
    const around = frames[now]?.parent ?? null;
    const beside = around === null ? [now] : tree.inside(around, weight);
    return beside[Math.max(0, Math.min(beside.length - 1, beside.indexOf(now) + move[0]))] ?? now;
  }

  return (
    <>
      <div class="tools">
        {weights.length > 1
          ? weights.map((one, i) => (
              <button
                key={one.label}
                type="button"
                aria-pressed={i === weightAt}
                onClick={() => {
                  leave();
                  setZoom(zoom);
                  setWeight(i);
                }}
              >
                {one.label}
              </button>
            ))
          : null}
        <input
          type="search"
          placeholder="Search frames"
          aria-label="Search frames by name"
          onInput={(event) => {
            leave();
            setSearch(event.currentTarget.value.trim().toLowerCase());
          }}
        />
        <Found tree={tree} zoom={zoom} weight={weight} isFound={search === "" ? null : isFound} />
      </div>
      <Way path={tree.pathTo(zoom)} frames={frames} zoomTo={zoomTo} />
      <PlotBox
        plot={plot}
        name={name}
        kind="flames"
        label={`${name}. Arrow keys walk through the frames, End goes to the heaviest inside, Enter zooms in, Escape zooms out.`}
        data={{"data-frames": frames.length, ...(plot.width === 0 ? {} : {"data-zoom": zoom})}}
        reading={{
          point: (x, y, pointer) => {
            const found = boxAt(x, y);
            if (found) show(found.frame, pointer, false);
            else leave();
          },
          move: (move) => show(nextOf(move), null, true),
          leave,
          click: (x, y) => {
            const found = boxAt(x, y);
            if (found) zoomTo(found.frame);
          },
          key: (event) => {
            if (event.key === "Escape") zoomTo(0);
            if (event.key !== "Enter" || at.current < 0) return;
            event.preventDefault();
            const frame = at.current;
            setZoom(frame);
            show(frame, null, true, frame);
          },
        }}
      >
        {plot.width === 0 ? null : (
          <Picture width={plot.width} height={(Math.max(...boxes.map((box) => box.level)) + 1) * rowHeight + 2}>
            <Boxes boxes={boxes} frames={frames} kinds={kinds} inks={inks} isFound={isFound} />
            <Cursor at={plot.cursor} fixed={{height: rowHeight}} />
          </Picture>
        )}
      </PlotBox>
    </>
  );
}

interface Boxes {
  readonly boxes: readonly Box[];
  readonly frames: readonly FlameFrame[];
  readonly kinds: Readonly<Record<string, string>>;
  readonly inks: Readonly<Record<string, string>>;
  readonly isFound: (frame: number) => boolean;
}
function Boxes({boxes, frames, kinds, inks, isFound}: Boxes) {
  const shapes = new Map<string, string>();
  const texts: {x: number; y: number; ink: string | null; text: string}[] = [];
  for (const box of boxes) {
    const style = box.isAround ? "around" : isFound(box.frame) ? "found" : (frames[box.frame]?.kind ?? "none");
    const y = box.level * rowHeight + 1;
    const wide = Math.max(box.width - (box.width > 3 ? 1 : 0), least);
    shapes.set(
      style,
      `${shapes.get(style) ?? ""}M${box.x.toFixed(2)} ${y}h${wide.toFixed(2)}v${rowHeight - 1}h${(-wide).toFixed(2)}z`,
    );
    const text = fitted(front(frames[box.frame]?.label ?? "", 200), wide - 8);
    if (text)
      texts.push({
        x: box.x + 4,
        y: y + 12.5,
        ink: box.isAround ? null : style === "found" ? "on-found" : (inks[style] ?? "on-strong"),
        text,
      });
  }
  return (
    <>
      {Array.from(shapes, ([style, d]) => (
        <path
          key={style}
          d={d}
          class={style}
          data-kind={style}
          style={kinds[style] ? fillOf(kinds[style]) : undefined}
        />
      ))}
      {texts.map(({x, y, ink, text}, i) => (
        <text key={i} x={x.toFixed(1)} y={y} style={ink === null ? undefined : fillOf(ink)}>
          {text}
        </text>
      ))}
    </>
  );
}

// From the outermost frame to the one that fills the width; of a long path its ends.
function Way({
  path,
  frames,
  zoomTo,
}: {
  readonly path: readonly number[];
  readonly frames: readonly FlameFrame[];
  readonly zoomTo: (frame: number) => void;
}) {
  const zoom = path.at(-1) ?? 0;
  const shown = path.length <= 5 ? path : [path[0] ?? 0, null, ...path.slice(-3)];
  const label = (frame: number) => front(frames[frame]?.label ?? "", 60);
  return (
    <div class="tools way">
      {shown.flatMap((frame, i) => [
        i > 0 ? "\u203a" : null,
        frame === null ? (
          "\u2026"
        ) : frame === zoom ? (
          <span class="now">{label(frame)}</span>
        ) : (
          <button type="button" onClick={() => zoomTo(frame)}>
            {label(frame)}
          </button>
        ),
      ])}
      {zoom === 0 ? (
        "click a box to zoom"
      ) : (
        <button type="button" class="reset" onClick={() => zoomTo(0)}>
          Zoom out
        </button>
      )}
    </div>
  );
}

// What a search finds inside the zoomed frame.
function Found({
  tree,
  zoom,
  weight,
  isFound,
}: {
  readonly tree: FrameTree;
  readonly zoom: number;
  readonly weight: FlameWeight;
  readonly isFound: ((frame: number) => boolean) | null;
}) {
  const {count, sum} = isFound === null ? {count: 0, sum: 0} : tree.sumOf(zoom, weight, isFound);
  const share = human(shareOf(sum, weight.total(zoom)).value, "%");
  const text =
    count === 0
      ? "no frame found"
      : `${plural(count, "frame")}: ${share} of ${weight.label}${zoom === 0 ? "" : " here"}`;
  return (
    <span role="status" class="result">
      {isFound === null ? "" : text}
    </span>
  );
}

// What no table has: a share of the weight on which the reader looks.
export function shareOf(part: number, all: number): Cell {
  return {value: all > 0 ? (100 * part) / all : null, unit: "%", type: "double", id: ""};
}
