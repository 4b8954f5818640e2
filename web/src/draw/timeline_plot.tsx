// A timeline: a row per rank, one lane per kind in it, boxes over time; boxes of one key belong together. One SVG path per colour.
//
// Times are those of the plot, from 0 to `length`. `wait` is the front part of a box, drawn light; null = not known, drawn between light and
// strong. With `centred` a text stands in the middle of its box, if the longest of all would fit. `axis` names the rows, `of` what belongs
// together. The pointer or the arrow keys show a box and join it with the others of its key; wheel, drag, + and - zoom and pan.

import {type Signal, useSignal} from "@preact/signals";
import type {ComponentChildren} from "preact";
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import {type OfRanks, ranksOf} from "../model/choice";
import type {CellValue} from "../model/report";
import {everyNth, fillOf} from "./axes";
import {ChosenFrame} from "./choosable";
import {useDrawing} from "./drawing";
import {type Move, Picture, PlotBox, usePlot} from "./plot_box";
import {fitted, textWidth} from "./text_width";
import {TimeView} from "./time_view";
import type {Point, TipLine} from "./tips";

export interface TimelineItem {
  readonly row: number;
  readonly lane: number;
  readonly start: number;
  readonly end: number;
  readonly wait: number | null;
  readonly key: CellValue;
  readonly colour: string | undefined;
  readonly isLast: boolean;
  readonly text: string;
  readonly title: string;
  readonly lines: () => readonly TipLine[];
}
export interface TimelineData {
  readonly rows: readonly (OfRanks & {readonly label: string})[];
  readonly lanes: number;
  readonly length: number;
  readonly items: readonly TimelineItem[];
}
interface TimelinePlot {
  readonly name: string;
  readonly data: TimelineData;
  readonly axis?: string;
  readonly of?: string;
  readonly centred?: boolean;
  // Between the tools and the plot.
  readonly children?: ComponentChildren;
}
const margin = {left: 46, right: 8, top: 20, bottom: 6};

// The items by row, lane and time, and by key.
class Placed {
  readonly lanes: readonly (readonly (readonly TimelineItem[])[])[];
  private readonly byKey = new Map<CellValue, TimelineItem[]>();

  constructor(readonly data: TimelineData) {
    const lanes = data.rows.map(() => Array.from({length: data.lanes}, (): TimelineItem[] => []));
    for (const item of data.items) {
      lanes[item.row]?.[item.lane]?.push(item);
      const group = this.byKey.get(item.key);
      if (group) group.push(item);
      else this.byKey.set(item.key, [item]);
    }
    for (const row of lanes) for (const lane of row) lane.sort((a, b) => a.start - b.start);
    this.lanes = lanes;
  }
  laneOf(item: TimelineItem): readonly TimelineItem[] {
    return this.lanes[item.row]?.[item.lane] ?? [];
  }
  groupOf(item: TimelineItem): readonly TimelineItem[] {
    return this.byKey.get(item.key) ?? [];
  }
  // Where the keyboard goes from an item, or begins.
  next(from: TimelineItem | null, move: Move): TimelineItem | undefined {
    const lane = from ? this.laneOf(from) : (this.lanes.flat().find((one) => one.length > 0) ?? []);
    if (move === "last") return lane.at(-1);
    if (from === null || move === "first") return lane[0];
    const list = move[0] ? lane : this.groupOf(from);
    return list[Math.max(0, Math.min(list.length - 1, list.indexOf(from) + (move[0] || move[1])))];
  }
}

// Where things stand in pixels.
class Scales {
  readonly laneHeight: number;
  readonly gap: number;
  readonly rowHeight: number;
  readonly wide: number;
  readonly height: number;
  readonly high: number; // of a box

  constructor(
    data: TimelineData,
    readonly view: TimeView,
    readonly width: number,
  ) {
    const rows = data.rows.length;
    this.laneHeight = Math.max(5, Math.min(data.lanes === 1 ? 24 : 17, Math.floor(560 / (rows * data.lanes))));
    this.gap = this.laneHeight > 8 ? 6 : 3;
    this.rowHeight = data.lanes * this.laneHeight + this.gap;
    this.wide = width - margin.left - margin.right;
    this.height = margin.top + rows * this.rowHeight + margin.bottom;
    this.high = this.laneHeight - (this.laneHeight > 8 ? 2 : 1);
  }
  top(item: TimelineItem): number {
    return margin.top + item.row * this.rowHeight + this.gap / 2 + item.lane * this.laneHeight;
  }
  x(time: number): number {
    return margin.left + ((time - this.view.begin) / this.view.span) * this.wide;
  }
  timeAt(px: number): number {
    return this.view.begin + ((px - margin.left) / this.wide) * this.view.span;
  }
  clamp(px: number): number {
    return Math.max(margin.left, Math.min(margin.left + this.wide, px));
  }
  isSeen(item: TimelineItem): boolean {
    return item.end >= this.view.begin && item.start <= this.view.end;
  }
}

function boxPath(from: number, to: number, top: number, height: number): string {
  const width = Math.max(to - from, 0.7).toFixed(1);
  return `M${from.toFixed(1)} ${top}h${width}v${height}h-${width}z`;
}

export function TimelinePlot({
  name,
  data,
  axis = "rank",
  of = "the members of a collective",
  centred = false,
  children,
}: TimelinePlot) {
  const plot = usePlot();
  const placed = useMemo(() => new Placed(data), [data]);
  const view = useMemo(() => new TimeView(data.length, 500), [data.length]);
  const [, setSeen] = useState({});
  const shown = useSignal<TimelineItem | null>(null);
  const drag = useRef<{x: number; begin: number; moved: boolean} | null>(null);
  const scales = new Scales(data, view, plot.width);

  function changeView(how: () => void) {
    plot.tips.hide();
    how();
    setSeen({});
  }
  function show(item: TimelineItem, point: Point | null, speak: boolean) {
    if (!point) {
      if (view.reveal(item.start, Math.min(item.end, item.start + view.span))) setSeen({});
      const y = plot.box().top + scales.top(item);
      if (y < 20 || y > innerHeight - 60) scrollBy({top: y - innerHeight / 2});
    }
    shown.value = item;
    const place = plot.box();
    plot.tips.show(
      point ?? {x: place.left + scales.clamp(scales.x(item.end)), y: place.top + scales.top(item) + scales.laneHeight},
      item.title,
      item.lines(),
      speak,
    );
  }
  function leave() {
    if (drag.current !== null) return;
    plot.tips.hide();
    shown.value = null;
  }
  function itemAt(px: number, y: number): TimelineItem | null {
    const py = y - margin.top;
    const row = Math.floor(py / scales.rowHeight);
    if (row < 0 || px < margin.left) return null;
    const lane = Math.max(
      0,
      Math.min(data.lanes - 1, Math.floor((py - row * scales.rowHeight - scales.gap / 2) / scales.laneHeight)),
    );
    let found: TimelineItem | null = null;
    let nearest = 4; // pixels
    for (const item of placed.lanes[row]?.[lane] ?? []) {
      const away = Math.max(0, scales.x(item.start) - px, px - scales.x(item.end));
      if (away > nearest) continue;
      nearest = away;
      found = item;
    }
    return found;
  }
  // What is read by keyboard comes into the middle.
  const zoomBy = (factor: number) =>
    changeView(() => {
      const middle = shown.value?.start ?? (view.begin + view.end) / 2;
      view.zoom(factor, middle);
      view.moveTo(middle - view.span / 2);
    });
  const showAll = () => changeView(() => view.all());

  // A new view or new data leave nothing to be read.
  useEffect(() => {
    shown.value = null;
    plot.tips.hide();
  }, [data]);
  // Of a wheel only such a listener can keep the page where it is. Without the focus the wheel scrolls the page.
  useEffect(() => {
    const node = plot.ref.current;
    if (node === null) return;
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== node) return;
      event.preventDefault();
      const px = scales.clamp(event.clientX - plot.box().left);
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      const isPan = Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY);
      changeView(() =>
        isPan
          ? view.moveTo(view.begin + (sideways / scales.wide) * view.span)
          : view.zoom(Math.exp(-event.deltaY / 300), scales.timeAt(px)),
      );
    };
    const grab = (event: PointerEvent) => {
      if (event.button !== 0) return;
      drag.current = {x: event.clientX, begin: view.begin, moved: false};
      node.setPointerCapture(event.pointerId);
    };
    const release = () => {
      drag.current = null;
    };
    node.addEventListener("wheel", turn, {passive: false});
    node.addEventListener("pointerdown", grab);
    node.addEventListener("pointerup", release);
    node.addEventListener("pointercancel", release);
    node.addEventListener("dblclick", showAll);
    return () => {
      node.removeEventListener("wheel", turn);
      node.removeEventListener("pointerdown", grab);
      node.removeEventListener("pointerup", release);
      node.removeEventListener("pointercancel", release);
      node.removeEventListener("dblclick", showAll);
    };
  });

  const tool = (label: string, title: string, onClick: () => void) => (
    <button type="button" title={title} aria-label={title} onClick={onClick}>
      {label}
    </button>
  );
  return (
    <>
      <div class="tools">
        {tool("+", "Zoom in", () => zoomBy(2))}
        {tool("\u2212", "Zoom out", () => zoomBy(0.5))}
        {tool("whole step", "Show the whole step", showAll)}
        drag to pan, Ctrl and wheel to zoom
      </div>
      {children}
      <PlotBox
        plot={plot}
        name={name}
        kind={view.isWhole ? "timeline" : "timeline zoomed"}
        label={`${name}. Left and right walk along a ${axis}, up and down through ${of}; plus and minus zoom, 0 shows all.`}
        data={{
          "data-items": data.items.length,
          ...(plot.width === 0 ? {} : {"data-view": `${Math.round(view.begin)} ${Math.round(view.end)}`}),
        }}
        reading={{
          point: (x, y, pointer) => {
            const {current} = drag;
            if (current) {
              const away = pointer.x - current.x;
              current.moved ||= Math.abs(away) > 3;
              if (current.moved && !view.isWhole)
                changeView(() => view.moveTo(current.begin - (away / scales.wide) * view.span));
              return;
            }
            const found = itemAt(x, y);
            if (found) show(found, pointer, false);
            else leave();
          },
          move: (move) => {
            const next = placed.next(shown.value, move);
            if (next) show(next, null, true);
          },
          leave,
          under: (_, y) => ranksOf(data.rows[Math.floor((y - margin.top) / scales.rowHeight)] ?? {}),
          here: () => ranksOf((shown.value && data.rows[shown.value.row]) ?? {}),
          key: (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey) return;
            if (event.key === "+" || event.key === "=") zoomBy(2);
            if (event.key === "-") zoomBy(0.5);
            if (event.key === "0") showAll();
          },
        }}
      >
        {plot.width === 0 ? null : (
          <Picture width={plot.width} height={scales.height}>
            <Frame data={data} scales={scales} axis={axis} />
            <Boxes placed={placed} scales={scales} centred={centred} />
            <ChosenRows data={data} scales={scales} />
            <Joined shown={shown} placed={placed} scales={scales} />
          </Picture>
        )}
      </PlotBox>
    </>
  );
}

function Frame({data, scales, axis}: {readonly data: TimelineData; readonly scales: Scales; readonly axis: string}) {
  const {rowHeight, width, wide, height, view} = scales;
  const step = everyNth(rowHeight, 12);
  return (
    <>
      {data.rows.map((_, i) =>
        i % 2 ? null : (
          <rect key={i} class="band" x={0} width={width} y={margin.top + i * rowHeight} height={rowHeight} />
        ),
      )}
      {view.ticks(Math.max(2, Math.floor(wide / 110))).map(([time, label]) => {
        const px = scales.x(time);
        const isAtEnd = px > width - margin.right - 26;
        return (
          <g key={time}>
            <line class="grid" x1={px} x2={px} y1={margin.top} y2={height - margin.bottom} />
            <text x={px.toFixed(1)} y={12} text-anchor={isAtEnd ? "end" : px < margin.left + 20 ? "start" : "middle"}>
              {label}
            </text>
          </g>
        );
      })}
      <text x={margin.left - 8} y={12} text-anchor="end">
        {axis}
      </text>
      {data.rows.map(({label}, i) =>
        i % step ? null : (
          <text
            key={i}
            class="strong"
            x={margin.left - 8}
            y={(margin.top + (i + 0.5) * rowHeight + 4).toFixed(1)}
            text-anchor="end"
          >
            {label}
          </text>
        ),
      )}
    </>
  );
}

interface BoxText {
  readonly x: number;
  readonly y: number;
  readonly ink: string;
  readonly text: string;
}

// The shapes and texts of those boxes of a lane that can be seen.
function drawLane(
  lane: readonly TimelineItem[],
  scales: Scales,
  longest: number | null,
  shapes: Map<string, string>,
  texts: BoxText[],
): void {
  const {high} = scales;
  let lastMark = -Infinity;
  for (const item of lane) {
    if (!scales.isSeen(item)) continue;
    const top = scales.top(item);
    const [begin, end] = [scales.x(item.start), scales.x(item.end)];
    const from = scales.clamp(begin);
    // A gap tells a box from the next.
    const to = scales.clamp(end) - (end - from > 4 ? 0.8 : 0);
    const middle = item.wait === null ? from : scales.clamp(scales.x(item.start + item.wait));
    const add = (key: string, d: string) => shapes.set(key, (shapes.get(key) ?? "") + d);
    if (item.wait === null) {
      add(`${item.colour} unknown`, boxPath(from, to, top, high));
    } else {
      if (middle - from > 0.3) add(`${item.colour} wait`, boxPath(from, middle, top, high));
      add(`${item.colour} transfer`, boxPath(middle, to, top, high));
    }
    if (item.isLast && begin >= margin.left && from - lastMark >= 7) {
      lastMark = from;
      const size = Math.min(3.5, high * 0.45);
      add(
        "mark",
        `M${(from - size).toFixed(1)} ${(top - 1.5).toFixed(1)}h${(2 * size).toFixed(1)}l${-size} ${(size * 1.4).toFixed(1)}z`,
      );
    }
    if (high < 12) continue;
    const y = top + high / 2 + 4;
    if (longest !== null) {
      if (longest > to - from - 2 || begin < margin.left || end > scales.width - margin.right + 1) continue;
      texts.push({x: (from + to) / 2, y, ink: "on-strong", text: item.text});
      continue;
    }
    const isWaiting = middle - from > to - middle;
    const [left, room] = isWaiting ? [from, middle - from] : [middle, to - middle];
    const text = item.wait === null || (!isWaiting && item.colour === "series-5") ? "" : fitted(item.text, room - 8);
    if (text) texts.push({x: left + 4, y, ink: isWaiting ? "text" : "on-strong", text});
  }
}

function Boxes({
  placed,
  scales,
  centred,
}: {
  readonly placed: Placed;
  readonly scales: Scales;
  readonly centred: boolean;
}) {
  const shapes = new Map<string, string>();
  const texts: BoxText[] = [];
  const longest = useMemo(() => {
    const text = placed.data.items.reduce(
      (most: string, item) => (item.text.length > most.length ? item.text : most),
      "",
    );
    return centred ? textWidth(text) : null;
  }, [placed, centred]);
  for (const row of placed.lanes) for (const lane of row) drawLane(lane, scales, longest, shapes, texts);
  return (
    <>
      {Array.from(shapes)
        .sort(([a], [b]) => Number(a === "mark") - Number(b === "mark"))
        .map(([key, d]) => {
          const [colourName, part] = key.split(" ");
          return key === "mark" ? (
            <path key={key} d={d} class="arrival" />
          ) : (
            <path key={key} d={d} class={part} style={fillOf(colourName)} />
          );
        })}
      {texts.map(({x, y, ink, text}, i) => (
        <text
          key={i}
          x={x.toFixed(1)}
          y={y.toFixed(1)}
          text-anchor={centred ? "middle" : undefined}
          style={fillOf(ink)}
        >
          {text}
        </text>
      ))}
    </>
  );
}

function ChosenRows({data, scales}: {readonly data: TimelineData; readonly scales: Scales}) {
  const {choice} = useDrawing();
  return (
    <g>
      {data.rows.map((row, i) =>
        choice.has(row) ? (
          <ChosenFrame
            key={i}
            of={row}
            x={1}
            y={margin.top + i * scales.rowHeight}
            width={margin.left + scales.wide}
            height={scales.rowHeight}
          />
        ) : null,
      )}
    </g>
  );
}

// The boxes that belong together, and a line through their begins.
function Joined({
  shown,
  placed,
  scales,
}: {
  readonly shown: Signal<TimelineItem | null>;
  readonly placed: Placed;
  readonly scales: Scales;
}) {
  const item = shown.value;
  if (item === null) return <g />;
  const {high} = scales;
  const group = [...placed.groupOf(item)].sort((a, b) => a.row - b.row || a.lane - b.lane);
  // What begins outside of the shown time stands at the edge.
  const points = group
    .map(
      (one) =>
        `${Math.max(margin.left - 4, Math.min(scales.width - 3, scales.x(one.start))).toFixed(1)},${(scales.top(one) + high / 2).toFixed(1)}`,
    )
    .join(" ");
  const outlines = (those: readonly TimelineItem[]) =>
    those
      .filter((one) => scales.isSeen(one))
      .map((one) =>
        boxPath(
          scales.clamp(scales.x(one.start)) - 1,
          scales.clamp(scales.x(one.end)) + 1,
          scales.top(one) - 1,
          high + 2,
        ),
      )
      .join("");
  const last = group.find((one) => one.isLast);
  const lastX = last ? scales.x(last.start) : -1;
  return (
    <g>
      {group.length > 1 ? <polyline class="halo" points={points} /> : null}
      {group.length > 1 ? <polyline class="join" points={points} /> : null}
      <path class="member" d={outlines(group)} />
      <path class="cursor" d={outlines([item])} />
      {last && lastX >= margin.left && lastX <= scales.width ? (
        <path class="mark" d={`M${lastX.toFixed(1)} ${(scales.top(last) + high / 2 - 6).toFixed(1)}l6 6l-6 6l-6 -6z`} />
      ) : null}
    </g>
  );
}
