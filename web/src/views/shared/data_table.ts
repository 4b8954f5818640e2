// Tables of cells: bounded, sortable by their headings, and saying where the rest is.

import {choosableText, markChosenTexts, takesTab} from "../../draw/choosable";
import {type Child, el, fill, front, shown} from "../../draw/dom";
import {grouped, words} from "../../model/format";
import {sorted} from "../../model/order";
import {numbersOf} from "../../model/ranks";
import {type Cell, Table, table} from "../../model/report";
import {chosenRanks} from "../../model/selection";

const mostRows = 100;

// A column has cell(row) or node(row).
export interface Column {
  readonly label: string;
  readonly kind?: string;
  readonly doc?: string | null;
  readonly unknown?: string;
  readonly cell?: (row: number) => Cell;
  readonly node?: (row: number) => Child;
  readonly text?: (row: number) => string;
}

// kind "name" and "text" may break into lines, "word" may not; `unknown` is the text of
// null. Of `rows` the first `most` are shown, in the order of the column that the reader chose.
export function dataTable(columns: readonly Column[], rows: readonly number[], most = rows.length): HTMLElement {
  const head = el("tr");
  const body = el("tbody");
  const show = (order: readonly number[]) => {
    body.replaceChildren(...rowsOf(order));
    takesTab(body);
    if (chosenRanks.size) markChosenTexts(body);
  };
  const rowsOf = (order: readonly number[]) => order.slice(0, most).map((row) => el("tr", {}, columns.map((column) => {
    const isNumber = !["name", "text", "word"].includes(column.kind ?? "");
    const place = el("td", {class: isNumber ? "number" : column.kind});
    if (column.node) return fill(place, {}, [column.node(row)]);
    if (!column.cell) return place;
    const cell = column.cell(row);
    if (!isNumber && cell.value !== null) {
      if (String(cell.value).length > 60) place.title = front(cell.value, 1000);
      return choosableCell(shown(place, cell, column.text ? column.text(row) : front(cell.value, 300)), cell);
    }
    return choosableCell(shown(place, cell, cell.value === null ? column.unknown : undefined), cell);
  })));
  for (const column of columns) {
    const classes = [column.kind ? "" : "number", column.label.length > 16 && !column.kind ? "long" : ""];
    const heading = el("th", {class: classes.filter(Boolean).join(" ") || null, scope: "col", title: column.doc || null});
    const cellOf = column.cell;
    if (cellOf && rows.length > 1) {
      heading.append(el("button", {type: "button", onclick: () => {
        const down = heading.getAttribute("aria-sort") !== "descending";
        for (const other of head.children) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        show(sorted(rows, (row) => cellOf(row).value, down));
      }}, column.label));
    } else {
      heading.append(column.label);
    }
    head.append(heading);
  }
  show(rows);
  return el("div", {class: "scroll"}, el("table", {class: "data"}, el("thead", {}, head), body));
}

// A cell that names ranks chooses them; one that says whose row it is marks the row.
function choosableCell(place: HTMLElement, cell: Cell): HTMLElement {
  const column = cell.id.slice(cell.id.lastIndexOf("/") + 1);
  const isOwner = column === "rank" || (column === "ranks" && cell.type === "string");
  const ranks = isOwner || column.endsWith("_rank") ? numbersOf(cell.value) : [];
  return ranks.length ? choosableText(place, ranks, isOwner) : place;
}

// The data behind a plot, folded; built when first opened.
export function details(source: string, columns: readonly Column[], rows: readonly number[], title = "Data"): HTMLElement {
  const node = el("details", {}, el("summary", {}, title));
  node.addEventListener("toggle", () => {
    if (!node.open || node.children.length > 1) return;
    node.append(dataTable(columns, rows, mostRows));
    const rest = mostRows < rows.length ? `The first ${grouped(mostRows)} of ${grouped(rows.length)} rows. ` : "";
    node.append(el("p", {class: "note"}, rest, "The whole table: ", el("code", {}, table(source).command)));
  });
  return node;
}

// A column of a table as it is.
export interface CellColumn extends Column {
  readonly cell: (row: number) => Cell;
}

export function plain(source: Table, name: string, label?: string, kind?: string, unit?: string): CellColumn {
  const spec = source.columns.get(name);
  return {label: label || words(name), kind, doc: spec ? spec.doc : null, cell: (row) => source.cell(row, name, unit)};
}
