// BASE and TEST as two bars on one scale, divided into the same parts in the same order and colours.
//
// `source` is diff_parts; rows: its rows in the order of the bars; partOf(row) -> {label, colour}.

import {type Table} from "../model/report";
import {el, hideCursor, showCursor, svg} from "./dom";
import {drawn} from "./redraw";
import {type Point, byKeyboard, hideTip, showTip} from "./tooltip";

export function sideBars(
  source: Table,
  rows: readonly number[],
  name: string,
  partOf: (row: number) => {readonly label: string; readonly colour: string},
): HTMLElement {
  const height = 30;
  const gap = 8;
  const labelWidth = 48;
  const sides = [
    ["base", "BASE"],
    ["test", "TEST"],
  ] as const;
  const plot = el("div", {class: "plot", "data-plot": name});
  let at = -1;
  let places: {row: number; x: number; y: number; size: number; line: number}[] = [];

  // A part that is less than nothing (the job's step ends before the mean window of its devices) has no width.
  const valueOf = (row: number, side: string) => Math.max(0, source.number(row, `${side}_ns`) || 0);

  function draw(width: number) {
    const most = Math.max(...sides.map(([side]) => rows.reduce((sum: number, row) => sum + valueOf(row, side), 0)), 1);
    const scale = (width - labelWidth) / most;
    places = [];
    const shapes = sides.flatMap(([side, label], line) => {
      const y = line * (height + gap);
      let x = labelWidth;
      const boxes = rows.map((row) => {
        const size = valueOf(row, side) * scale;
        places.push({row, x, y, size, line});
        const box = svg("rect", {x: x.toFixed(2), y, width: Math.max(0, size - (size > 3 ? 1 : 0)).toFixed(2), height});
        box.style.fill = `var(--${partOf(row).colour})`;
        x += size;
        return box;
      });
      const text = svg("text", {x: 0, y: y + height / 2 + 4}, label);
      text.style.fill = "var(--text)";
      return [text, boxes];
    });
    const whole = 2 * height + gap;
    plot.replaceChildren(
      svg(
        "svg",
        {viewBox: `0 0 ${width} ${whole}`, "aria-hidden": "true"},
        shapes,
        svg("rect", {class: "cursor", visibility: "hidden", height}),
      ),
    );
  }
  function show(i: number, point: Point | null, speak: boolean) {
    at = i;
    const place = places[i];
    showCursor(plot, {x: place.x, y: place.y, width: Math.max(2, place.size)});
    const box = plot.getBoundingClientRect();
    showTip(
      point || {x: box.left + place.x, y: box.top + place.y + height},
      partOf(place.row).label,
      [
        ["", "BASE", source.cell(place.row, "base_ns")],
        ["", "TEST", source.cell(place.row, "test_ns")],
        ["", "change", source.cell(place.row, "change_ns")],
        ["", "of BASE's step", source.cell(place.row, "of_step_pct")],
      ],
      speak,
    );
  }
  function leave() {
    at = -1;
    hideTip();
    hideCursor(plot);
  }
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const i = places.findIndex(
      (place) => x >= place.x && x < place.x + place.size && y >= place.y && y < place.y + height,
    );
    if (i >= 0) show(i, {x: event.clientX, y: event.clientY}, false);
    else leave();
  });
  plot.addEventListener("pointerleave", leave);
  byKeyboard(
    plot,
    name,
    (move) => {
      const count = rows.length;
      let next = at;
      if (move === "first" || at < 0) next = 0;
      else if (move === "last") next = places.length - 1;
      else if (move[1] !== 0) next = (at + count) % (2 * count);
      else next = at + move[0];
      show(Math.max(0, Math.min(places.length - 1, next)), null, true);
    },
    leave,
  );
  return drawn(plot, draw);
}
