// What the program did when it allocated, in colours; the same in all plots of the page.

import {ticks} from "../../draw/axes";
import {colour, el, front} from "../../draw/dom";
import {type LegendEntry, legend} from "../../draw/legend";
import {drawn} from "../../draw/redraw";
import {type TimeView} from "../../draw/time_view";
import {hideTip} from "../../draw/tooltip";
import {human, words} from "../../model/format";
import {type CellValue, type Table, snapshot} from "../../model/report";

export const categoryColours: ReadonlyMap<string, string> = new Map([
  ["forward", "series-1"],
  ["backward", "series-2"],
  ["recompute", "series-5"],
  ["optimizer", "series-3"],
  ["module", "series-6"],
  ["data", "series-4"],
  ["communication", "idle_launch"],
  ["unknown", "idle_gap"],
  // Of a memory timeline.
  ["parameter", "series-6"],
  ["optimizer_state", "series-3"],
  ["input", "series-4"],
  ["temporary", "series-5"],
  ["activation", "series-1"],
  ["gradient", "series-2"],
  ["autograd_detail", "idle_launch"],
]);

export function categoryLabel(category: CellValue): string {
  return category === "unknown" && !snapshot.is_timeline ? "no telling stack" : words(category);
}

export function categoriesLegend(categories: ReadonlySet<CellValue>, more: readonly LegendEntry[] = []): HTMLElement {
  const present = Array.from(categoryColours).filter(([one]) => categories.has(one));
  return legend([...present.map(([one, itsColour]): LegendEntry => [itsColour, categoryLabel(one)]), ...more]);
}

// What is drawn empty.
export function withUnused(list: HTMLElement): HTMLElement {
  list.append(el("li", {}, el("span", {class: "swatch unused", "aria-hidden": "true"}), "unused"));
  return list;
}

// "forward (model.py:54) <- main (train.py:10)" as a list of frames.
export function frameList(stack: CellValue): HTMLElement {
  return el(
    "ol",
    {},
    String(stack)
      .split(" <- ")
      .map((frame) => el("li", {}, front(frame, 400))),
  );
}

// A place that opens to the frames around it.
export function stackCell(source: Table, row: number) {
  const place = source.get(row, "place");
  const stack = source.get(row, "stack");
  const label = place === null ? "(no stack)" : front(place, 200);
  return stack === null
    ? el("span", {}, label)
    : el("details", {class: "stack"}, el("summary", {}, label), frameList(stack));
}

// A canvas as wide as its place, sharp on any screen; `paint(context, width)` draws it in CSS pixels.
export function canvasPlot(
  name: string,
  height: number | ((width: number) => number),
  paint: (context: CanvasRenderingContext2D, width: number) => void,
): HTMLElement {
  const canvas = el("canvas", {"aria-hidden": "true"});
  const plot = el("div", {class: "plot canvas", "data-plot": name}, canvas);
  drawn(plot, (width) => {
    const high = typeof height === "function" ? height(width) : height;
    const scale = Math.min(devicePixelRatio || 1, 2);
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(high * scale);
    canvas.style.height = `${high}px`;
    const context = canvas.getContext("2d");
    if (context === null) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, high);
    paint(context, width);
  });
  return plot;
}

// Lines and labels of a scale of bytes at the left, and the times below.
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}
interface Axes extends Box {
  readonly most: number; // at the top
  readonly view: TimeView;
}
export function paintAxes(context: CanvasRenderingContext2D, {left, top, right, bottom, most, view}: Axes): void {
  context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  context.fillStyle = colour("muted");
  context.strokeStyle = colour("grid");
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const value of ticks(most, 5)) {
    const y = Math.round(bottom - (value / most) * (bottom - top)) + 0.5;
    if (y < top - 1) continue;
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.stroke();
    context.fillText(human(value, "bytes"), left - 6, y);
  }
  context.textBaseline = "top";
  context.textAlign = "center";
  for (const [time, label] of view.ticks(Math.max(2, Math.floor((right - left) / 90)))) {
    const x = left + ((time - view.begin) / view.span) * (right - left);
    if (x < left + 14 || x > right - 14) continue;
    context.fillText(label, x, bottom + 6);
  }
}

// Zooming and panning of a plot over time: buttons, Ctrl and the wheel, and dragging. `changed` redraws.
export function timeTools(
  plot: HTMLElement,
  view: TimeView,
  area: (width: number) => Box,
  changed: () => void,
): HTMLElement {
  const whole = el(
    "button",
    {
      type: "button",
      onclick: () => {
        view.all();
        update();
      },
    },
    "Whole recording",
  );
  const zoom = (factor: number, time = (view.begin + view.end) / 2) => {
    view.zoom(factor, time);
    update();
  };
  const update = () => {
    whole.disabled = view.isWhole;
    plot.classList.toggle("zoomed", !view.isWhole);
    hideTip();
    changed();
  };
  const timeAt = (event: MouseEvent) => {
    const box = plot.getBoundingClientRect();
    const {left, right} = area(box.width);
    return view.begin + Math.max(0, Math.min(1, (event.clientX - box.left - left) / (right - left))) * view.span;
  };
  plot.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * 0.002), timeAt(event));
    },
    {passive: false},
  );
  let held: {x: number; begin: number} | null = null;
  plot.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && !view.isWhole) held = {x: event.clientX, begin: view.begin};
  });
  addEventListener("pointermove", (event) => {
    if (!held || event.buttons === 0) {
      held = null;
      return;
    }
    const {left, right} = area(plot.getBoundingClientRect().width);
    view.moveTo(held.begin - ((event.clientX - held.x) / (right - left)) * view.span);
    update();
  });
  addEventListener("pointerup", () => {
    held = null;
  });
  whole.disabled = true;
  return el(
    "div",
    {class: "tools"},
    el("button", {type: "button", "aria-label": "Zoom in", onclick: () => zoom(2)}, "+"),
    el("button", {type: "button", "aria-label": "Zoom out", onclick: () => zoom(0.5)}, "\u2212"),
    whole,
    "Ctrl and the wheel zoom, dragging moves",
  );
}
