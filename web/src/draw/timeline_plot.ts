// A timeline: a row per rank, one lane per kind in it, boxes over time; boxes of one key belong together. One SVG path per colour.
//
// data: {rows: [{label, rank or ranks}], lanes: how many each row has, length, items: [{row, lane, start, end, wait, key, colour, isLast, text, title, lines()}]}.
// Times are those of the plot, from 0 to `length`. `wait` is the front part of a box, drawn light; null = not known, drawn between light and strong.
// With `centred` a text stands in the middle of its box, if the longest of all would fit. `axis` names the rows, `of` what belongs together.
// The pointer or the arrow keys show a box and join it with the others of its key; wheel, drag, + and - zoom and pan.

import type {CellValue} from "../model/report";
import {type OfRanks, hasChosen, ranksOf} from "../model/selection";
import {everyNth} from "./axes";
import {choosable, chosenFrame} from "./choosable";
import {type Child, el, fill, svg} from "./dom";
import {drawn, onPaper, paperWidth} from "./redraw";
import {fitted, textWidth} from "./text_width";
import {TimeView} from "./time_view";
import {type Point, type TipLine, byKeyboard, hideTip, showTip} from "./tooltip";

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
}
interface Geometry {
  readonly laneHeight: number;
  readonly gap: number;
  readonly rowHeight: number;
  readonly wide: number;
  readonly width: number;
}

export function timelinePlot({
  name,
  data,
  axis = "rank",
  of = "the members of a collective",
  centred = false,
}: TimelinePlot): {tools: Child[]; plot: HTMLElement & {change: (other: TimelineData) => void}} {
  const margin = {left: 46, right: 8, top: 20, bottom: 6};
  const plot = el("div", {class: "plot timeline", "data-plot": name});
  const picture = svg("svg", {"aria-hidden": "true"});
  const over = svg("g");
  const marked = svg("g");
  plot.append(picture);
  let view = new TimeView(data.length, 500);
  let lanes: number[][][] = [];
  let byKey = new Map<CellValue, number[]>();
  let longest = 0;
  let at = -1;
  let geometry: Geometry; // once it is drawn
  let drag: {x: number; begin: number; moved: boolean} | null = null;

  function take(other: TimelineData) {
    data = other;
    plot.dataset.items = String(data.items.length);
    lanes = data.rows.map(() => Array.from({length: data.lanes}, (): number[] => []));
    byKey = new Map();
    longest = centred
      ? textWidth(data.items.reduce((most: string, item) => (item.text.length > most.length ? item.text : most), ""))
      : 0;
    data.items.forEach((item, i) => {
      lanes[item.row][item.lane].push(i);
      const group = byKey.get(item.key);
      if (group) group.push(i);
      else byKey.set(item.key, [i]);
    });
    for (const row of lanes) for (const lane of row) lane.sort((a, b) => data.items[a].start - data.items[b].start);
    if (view.whole !== data.length) view = new TimeView(data.length, 500);
  }

  const laneTop = (item: TimelineItem) =>
    margin.top + item.row * geometry.rowHeight + geometry.gap / 2 + item.lane * geometry.laneHeight;
  const x = (time: number) => margin.left + ((time - view.begin) / view.span) * geometry.wide;
  const timeAt = (px: number) => view.begin + ((px - margin.left) / geometry.wide) * view.span;
  const clamp = (px: number) => Math.max(margin.left, Math.min(margin.left + geometry.wide, px));
  const box = (from: number, to: number, top: number, height: number) => {
    const width = Math.max(to - from, 0.7).toFixed(1);
    return `M${from.toFixed(1)} ${top}h${width}v${height}h-${width}z`;
  };

  // Boxes of the lane that can be seen.
  function boxesOf(lane: readonly number[], high: number, shapes: Map<string, string>, texts: SVGElement[]) {
    let lastMark = -Infinity;
    for (const i of lane) {
      const item = data.items[i];
      if (item.end < view.begin || item.start > view.end) continue;
      const top = laneTop(item);
      const from = clamp(x(item.start));
      // A gap tells a box from the next.
      const to = clamp(x(item.end)) - (x(item.end) - from > 4 ? 0.8 : 0);
      const middle = item.wait === null ? from : clamp(x(item.start + item.wait));
      const add = (key: string, d: string) => shapes.set(key, (shapes.get(key) || "") + d);
      if (item.wait === null) {
        add(`${item.colour} unknown`, box(from, to, top, high));
      } else {
        if (middle - from > 0.3) add(`${item.colour} wait`, box(from, middle, top, high));
        add(`${item.colour} transfer`, box(middle, to, top, high));
      }
      if (item.isLast && x(item.start) >= margin.left && from - lastMark >= 7) {
        lastMark = from;
        const size = Math.min(3.5, high * 0.45);
        add(
          "mark",
          `M${(from - size).toFixed(1)} ${(top - 1.5).toFixed(1)}h${(2 * size).toFixed(1)}l${-size} ${(size * 1.4).toFixed(1)}z`,
        );
      }
      if (high < 12) continue;
      if (centred) {
        if (longest > to - from - 2 || x(item.start) < margin.left || x(item.end) > geometry.width - margin.right + 1)
          continue;
        const node = svg(
          "text",
          {x: ((from + to) / 2).toFixed(1), y: (top + high / 2 + 4).toFixed(1), "text-anchor": "middle"},
          item.text,
        );
        node.style.fill = "var(--on-strong)";
        texts.push(node);
        continue;
      }
      const isWaiting = middle - from > to - middle;
      const [begin, room] = isWaiting ? [from, middle - from] : [middle, to - middle];
      const text = item.wait === null || (!isWaiting && item.colour === "series-5") ? "" : fitted(item.text, room - 8);
      if (!text) continue;
      const node = svg("text", {x: (begin + 4).toFixed(1), y: (top + high / 2 + 4).toFixed(1)}, text);
      node.style.fill = isWaiting ? "var(--text)" : "var(--on-strong)";
      texts.push(node);
    }
  }

  function draw(width: number) {
    const rows = data.rows.length;
    const laneHeight = Math.max(5, Math.min(data.lanes === 1 ? 24 : 17, Math.floor(560 / (rows * data.lanes))));
    const gap = laneHeight > 8 ? 6 : 3;
    geometry = {
      laneHeight,
      gap,
      rowHeight: data.lanes * laneHeight + gap,
      wide: width - margin.left - margin.right,
      width,
    };
    const height = margin.top + rows * geometry.rowHeight + margin.bottom;
    const high = laneHeight - (laneHeight > 8 ? 2 : 1);
    const shapes = new Map<string, string>();
    const texts: SVGElement[] = [];
    for (const row of lanes) for (const lane of row) boxesOf(lane, high, shapes, texts);
    const paths = Array.from(shapes)
      .sort(([a], [b]) => Number(a === "mark") - Number(b === "mark"))
      .map(([key, d]) => {
        const [colourName, part] = key.split(" ");
        if (key === "mark") return svg("path", {d, class: "arrival"});
        const path = svg("path", {d, class: part});
        path.style.fill = `var(--${colourName})`;
        return path;
      });
    const step = everyNth(rows, geometry.rowHeight, 12);
    const bottom = height - margin.bottom;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.replaceChildren();
    fill(picture, {}, [
      data.rows.map((_, i) =>
        i % 2
          ? null
          : svg("rect", {
              class: "band",
              x: 0,
              width,
              y: margin.top + i * geometry.rowHeight,
              height: geometry.rowHeight,
            }),
      ),
      view.ticks(Math.max(2, Math.floor(geometry.wide / 110))).map(([time, label]) => {
        const px = x(time);
        const isAtEnd = px > width - margin.right - 26;
        return [
          svg("line", {class: "grid", x1: px, x2: px, y1: margin.top, y2: bottom}),
          svg(
            "text",
            {x: px.toFixed(1), y: 12, "text-anchor": isAtEnd ? "end" : px < margin.left + 20 ? "start" : "middle"},
            label,
          ),
        ];
      }),
      svg("text", {x: margin.left - 8, y: 12, "text-anchor": "end"}, axis),
      data.rows.map(({label}, i) =>
        i % step
          ? null
          : svg(
              "text",
              {
                class: "strong",
                x: margin.left - 8,
                y: (margin.top + (i + 0.5) * geometry.rowHeight + 4).toFixed(1),
                "text-anchor": "end",
              },
              label,
            ),
      ),
      paths,
      texts,
      marked,
      over,
    ]);
    over.replaceChildren();
    if (at >= 0) join(at);
    drawChosen();
    plot.dataset.view = `${Math.round(view.begin)} ${Math.round(view.end)}`;
    plot.classList.toggle("zoomed", !view.isWhole);
  }
  // The boxes that belong together, and a line through their begins.
  function join(i: number) {
    const group = (byKey.get(data.items[i].key) ?? [])
      .map((one) => data.items[one])
      .sort((a, b) => a.row - b.row || a.lane - b.lane);
    const high = geometry.laneHeight - (geometry.laneHeight > 8 ? 2 : 1);
    // What begins outside of the shown time stands at the edge.
    const points = group
      .map(
        (item) =>
          `${Math.max(margin.left - 4, Math.min(geometry.width - 3, x(item.start))).toFixed(1)},${(laneTop(item) + high / 2).toFixed(1)}`,
      )
      .join(" ");
    const outlines = (those: readonly TimelineItem[]) =>
      those
        .filter((item) => item.end >= view.begin && item.start <= view.end)
        .map((item) => box(clamp(x(item.start)) - 1, clamp(x(item.end)) + 1, laneTop(item) - 1, high + 2))
        .join("");
    const last = group.find((item) => item.isLast);
    const marks =
      last && x(last.start) >= margin.left && x(last.start) <= geometry.width
        ? [
            svg("path", {
              class: "mark",
              d: `M${x(last.start).toFixed(1)} ${(laneTop(last) + high / 2 - 6).toFixed(1)}l6 6l-6 6l-6 -6z`,
            }),
          ]
        : [];
    over.replaceChildren(
      ...(group.length > 1 ? [svg("polyline", {class: "halo", points}), svg("polyline", {class: "join", points})] : []),
      svg("path", {class: "member", d: outlines(group)}),
      svg("path", {class: "cursor", d: outlines([data.items[i]])}),
      ...marks,
    );
  }

  function show(i: number, point: Point | null, speak: boolean) {
    at = i;
    const item = data.items[i];
    if (!point) {
      if (view.reveal(item.start, Math.min(item.end, item.start + view.span))) redraw();
      const y = plot.getBoundingClientRect().top + laneTop(item);
      if (y < 20 || y > innerHeight - 60) scrollBy({top: y - innerHeight / 2});
    }
    join(i);
    const place = plot.getBoundingClientRect();
    showTip(
      point || {x: place.left + clamp(x(item.end)), y: place.top + laneTop(item) + geometry.laneHeight},
      item.title,
      item.lines(),
      speak,
    );
  }
  function leave() {
    at = -1;
    hideTip();
    over.replaceChildren();
  }
  function drawChosen() {
    if (!geometry) return;
    marked.replaceChildren(
      ...data.rows.flatMap((row, i) =>
        hasChosen(row)
          ? [chosenFrame(row, 1, margin.top + i * geometry.rowHeight, margin.left + geometry.wide, geometry.rowHeight)]
          : [],
      ),
    );
  }
  const rowAt = (event: MouseEvent) =>
    data.rows[Math.floor((event.clientY - plot.getBoundingClientRect().top - margin.top) / geometry.rowHeight)];
  choosable(plot, {
    under: (event) => ranksOf(rowAt(event) ?? {}),
    here: () => (at < 0 ? [] : ranksOf(data.rows[data.items[at].row])),
    mark: drawChosen,
  });
  function redraw() {
    if (geometry) draw(onPaper ? paperWidth : plot.clientWidth);
  }
  function changeView(how: () => void) {
    hideTip();
    how();
    redraw();
  }

  function itemAt(event: PointerEvent) {
    const place = plot.getBoundingClientRect();
    const px = event.clientX - place.left;
    const py = event.clientY - place.top - margin.top;
    const row = Math.floor(py / geometry.rowHeight);
    if (row < 0 || row >= lanes.length || px < margin.left) return -1;
    const lane = Math.max(
      0,
      Math.min(data.lanes - 1, Math.floor((py - row * geometry.rowHeight - geometry.gap / 2) / geometry.laneHeight)),
    );
    let found = -1;
    let nearest = 4; // pixels
    for (const i of lanes[row][lane]) {
      const item = data.items[i];
      const away = Math.max(0, x(item.start) - px, px - x(item.end));
      if (away <= nearest) {
        nearest = away;
        found = i;
      }
    }
    return found;
  }
  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = {x: event.clientX, begin: view.begin, moved: false};
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    if (drag) {
      const {x: from, begin} = drag;
      const away = event.clientX - from;
      drag.moved = drag.moved || Math.abs(away) > 3;
      if (drag.moved && !view.isWhole) changeView(() => view.moveTo(begin - (away / geometry.wide) * view.span));
      return;
    }
    const found = itemAt(event);
    if (found >= 0) show(found, {x: event.clientX, y: event.clientY}, false);
    else leave();
  });
  for (const kind of ["pointerup", "pointercancel"] as const)
    plot.addEventListener(kind, () => {
      drag = null;
    });
  plot.addEventListener("pointerleave", () => {
    if (!drag) leave();
  });
  plot.addEventListener("dblclick", () => changeView(() => view.all()));
  // Without the focus the wheel scrolls the page.
  plot.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== plot) return;
      event.preventDefault();
      const px = event.clientX - plot.getBoundingClientRect().left;
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      changeView(() =>
        Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)
          ? view.moveTo(view.begin + (sideways / geometry.wide) * view.span)
          : view.zoom(Math.exp(-event.deltaY / 300), timeAt(clamp(px))),
      );
    },
    {passive: false},
  );

  byKeyboard(
    plot,
    name,
    (move) => {
      const item = data.items[at];
      const first = lanes.flat().find((lane) => lane.length) ?? [];
      const lane = item ? lanes[item.row][item.lane] : first;
      let next = lane[0];
      if (move === "last") {
        next = lane[lane.length - 1];
      } else if (item && move !== "first") {
        const group = byKey.get(item.key) ?? [];
        const list = move[0] ? lane : group;
        const step = move[0] || move[1];
        next = list[Math.max(0, Math.min(list.length - 1, list.indexOf(at) + step))];
      }
      show(next, null, true);
    },
    leave,
  );
  plot.setAttribute(
    "aria-label",
    `${name}. Left and right walk along a ${axis}, up and down through ${of}; plus and minus zoom, 0 shows all.`,
  );
  // What is read by keyboard comes into the middle.
  const zoomBy = (factor: number) =>
    changeView(() => {
      const middle = at >= 0 ? data.items[at].start : (view.begin + view.end) / 2;
      view.zoom(factor, middle);
      view.moveTo(middle - view.span / 2);
    });
  const zoomIn = () => zoomBy(2);
  const zoomOut = () => zoomBy(0.5);
  plot.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") zoomIn();
    if (event.key === "-") zoomOut();
    if (event.key === "0") changeView(() => view.all());
  });

  take(data);
  const change = (other: TimelineData) => {
    leave();
    take(other);
    redraw();
  };
  const button = (label: string, title: string, onclick: () => void) =>
    el("button", {type: "button", title, "aria-label": title, onclick}, label);
  const tools = [
    button("+", "Zoom in", zoomIn),
    button("\u2212", "Zoom out", zoomOut),
    button("whole step", "Show the whole step", () => changeView(() => view.all())),
    "drag to pan, Ctrl and wheel to zoom",
  ];
  return {tools, plot: Object.assign(drawn(plot, draw), {change})};
}
