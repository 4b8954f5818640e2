// Parts of a whole as one bar, and as a table with a row per part and how far single ranks or devices lie apart.
//
// `source` is a table of parts as job_breakdown; byId: words and colours of its parts; of: {whole: "device time", ones: "devices"}.

import {el, hideCursor, showCursor, svg, swatch} from "../../draw/dom";
import {drawn} from "../../draw/redraw";
import {type Point, byKeyboard, hideTip, placeAfter, showTip} from "../../draw/tooltip";
import {words} from "../../model/format";
import {type CellValue, type Table} from "../../model/report";
import type {Part} from "../../model/vocabulary";
import {type Column, dataTable, plain} from "./data_table";
import {rangeMark} from "./range_table";

export interface ShareWords {
  readonly whole: string;
  readonly ones: string;
}

export function shareBar(
  source: Table,
  rows: readonly number[],
  name: string,
  byId: ReadonlyMap<CellValue, Part>,
  of: ShareWords,
): HTMLElement {
  const height = 34;
  const total = rows.reduce((sum, row) => sum + (source.number(row, "share_pct") || 0), 0) || 1;
  const plot = el("div", {class: "plot", "data-plot": name});
  let at = -1;
  let places: {row: number; x: number; size: number}[] = [];
  const colourOf = (row: number) => (byId.get(source.get(row, "part")) || {colour: "unknown"}).colour;
  const labelOf = (row: number) => (byId.get(source.get(row, "part")) || {label: words(source.get(row, "part"))}).label;

  function draw(width: number) {
    let x = 0;
    places = rows.map((row) => {
      const size = (width * (source.number(row, "share_pct") || 0)) / total;
      x += size;
      return {row, x: x - size, size};
    });
    plot.replaceChildren(
      svg(
        "svg",
        {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"},
        places.map((place) => {
          const box = svg("rect", {
            x: place.x.toFixed(2),
            y: 2,
            width: Math.max(0, place.size - (place.size > 3 ? 1 : 0)).toFixed(2),
            height: height - 4,
          });
          box.style.fill = `var(--${colourOf(place.row)})`;
          return box;
        }),
        svg("rect", {class: "cursor", visibility: "hidden", y: 1, height: height - 2}),
      ),
    );
  }
  function show(i: number, point: Point | null, speak: boolean) {
    at = i;
    const place = places[i];
    showCursor(plot, {x: place.x, width: Math.max(2, place.size)});
    const box = plot.getBoundingClientRect();
    showTip(
      point || {x: box.left + place.x, y: box.bottom - 10},
      labelOf(place.row),
      [
        ["", `share of ${of.whole}`, source.cell(place.row, "share_pct")],
        ["", `on all ${of.ones}`, source.cell(place.row, "duration_ns")],
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
    const x = event.clientX - plot.getBoundingClientRect().left;
    const i = places.findIndex((place) => x >= place.x && x < place.x + place.size);
    if (i >= 0) show(i, {x: event.clientX, y: event.clientY}, false);
    else leave();
  });
  plot.addEventListener("pointerleave", leave);
  byKeyboard(
    plot,
    name,
    (move) => {
      show(placeAfter(at, move, rows.length - 1), null, true);
    },
    leave,
  );
  return drawn(plot, draw);
}

export function shareTable(
  source: Table,
  rows: readonly number[],
  byId: ReadonlyMap<CellValue, Part>,
  of: ShareWords,
): HTMLElement {
  const most = Math.max(...rows.map((row) => source.number(row, "max_pct") || 0));
  const hasSpread = rows.some((row) => source.get(row, "min_pct") !== source.get(row, "max_pct"));
  const columns: Column[] = [
    {
      label: "part",
      doc: source.columns.get("part")?.doc,
      kind: "word",
      node: (row: number) => {
        const part = byId.get(source.get(row, "part"));
        return el(
          "span",
          {class: "label"},
          swatch(part ? part.colour : "unknown"),
          part ? part.label : words(source.get(row, "part")),
        );
      },
    },
    plain(source, "share_pct", "share"),
    plain(source, "duration_ns", hasSpread ? `all ${of.ones}` : "time"),
  ];
  if (hasSpread)
    columns.push(
      plain(source, "median_pct", "median"),
      {
        label: `min to max over ${of.ones}`,
        doc: `a line from the least share of a single one of the ${of.ones} to the greatest, a tick at the median`,
        kind: "mark",
        node: (row: number) =>
          rangeMark(
            {
              min: source.number(row, "min_pct"),
              max: source.number(row, "max_pct"),
              median: source.number(row, "median_pct"),
              p25: null,
              p75: null,
            },
            most,
          ),
      },
      plain(source, "min_pct", "min"),
      plain(source, "min_rank", "on rank"),
      plain(source, "max_pct", "max"),
      plain(source, "max_rank", "on rank"),
    );
  return dataTable(columns, rows);
}
