// Tables of cells: bounded, sortable by their headings, and saying where the rest is.

import {choosableText, markChosenTexts, takesTab} from "../../draw/choosable";
import {type Child, el, fill, front, shown} from "../../draw/dom";
import {grouped, human, words as wordsOf} from "../../model/format";
import {sorted} from "../../model/order";
import {numbersOf} from "../../model/ranks";
import {type Cell, cellDoc, type Table, table} from "../../model/report";
import {chosenRanks} from "../../model/selection";
import {tableTools} from "./table_tools";

const mostRows = 100;
// Fewer rows than these are seen at a glance.
const leastForTools = 4;

// A column has cell(row) or node(row); a row is one of a table, or what a picture is made of.
export interface Column<Row = number> {
  readonly label: string;
  readonly kind?: string;
  readonly doc?: string | null;
  readonly unknown?: string;
  readonly cell?: (row: Row) => Cell;
  readonly node?: (row: Row) => Child;
  readonly text?: (row: Row) => string;
  readonly about?: (row: Row) => string | null; // what the cell names is
}

// What a cell says, as it is shown and as it is.
function textOf<Row>(column: Column<Row>, row: Row): string {
  const cell = column.cell?.(row);
  if (cell === undefined || cell.value === null) return "";
  return `${column.text?.(row) ?? ""} ${String(cell.value)} ${human(cell.value, cell.unit)}`.toLowerCase();
}

// What a column is: as the schema of the table says it from which its cells are.
function docOf<Row>(column: Column<Row>, row: Row | undefined): string | null {
  if (column.doc) return column.doc;
  if (column.cell === undefined || row === undefined) return null;
  return cellDoc(column.cell(row));
}

// kind "name" and "text" may break into lines, "word" may not; `unknown` is the text of
// null. Of `rows` the first `most` are shown, in the order of the column that the reader chose, of those and in those columns that the
// reader asks for.
export function dataTable<Row = number>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  most = rows.length,
): HTMLElement {
  const head = el("tr");
  const body = el("tbody");
  const hidden = new Set<number>();
  let order = rows;
  let found = rows;
  let words: readonly string[] = [];
  // A single row cannot be sorted: without the buttons for that the keyboard would have no way to what is beyond the edge.
  const place = el("div", {class: "scroll", tabindex: rows.length > 1 ? null : "0"});
  const show = () => {
    found =
      words.length === 0
        ? order
        : order.filter((row) => {
            const text = columns.map((column) => textOf(column, row)).join(" ");
            return words.every((word) => text.includes(word));
          });
    body.replaceChildren(...rowsOf(found));
    takesTab(body);
    if (chosenRanks.size) markChosenTexts(body);
    tools?.tell(Math.min(most, found.length), found.length, rows.length);
  };
  const isShown = (_: Column<Row>, i: number) => !hidden.has(i);
  const content = () => {
    const withCells = columns.filter((column, i) => isShown(column, i) && column.cell !== undefined);
    const [first] = found;
    const heading = (column: Column<Row>) => {
      const unit = first === undefined ? "" : (column.cell?.(first).unit ?? "");
      return unit === "" || unit === "name" ? column.label : `${column.label} (${unit})`;
    };
    return {
      headings: withCells.map(heading),
      rows: found.map((row) => withCells.map((column) => column.cell?.(row).value ?? null)),
    };
  };
  // After the table of which its first cell is, else after the section around it.
  const name = () =>
    body.querySelector<HTMLElement>("[data-cell]")?.dataset["cell"]?.split("/")[0] ??
    place.closest("section")?.id ??
    "";
  const hide = (column: number, isHidden: boolean) => {
    if (isHidden) hidden.add(column);
    else hidden.delete(column);
    head.children[column]?.toggleAttribute("hidden", isHidden);
    show();
  };
  const tools =
    rows.length < leastForTools
      ? null
      : tableTools(
          columns.map((column) => column.label),
          (asked) => {
            words = asked;
            show();
          },
          hide,
          content,
          name,
        );
  const rowsOf = (wanted: readonly Row[]) =>
    wanted.slice(0, most).map((row) =>
      el(
        "tr",
        {},
        columns.filter(isShown).map((column) => {
          const isNumber = !["name", "text", "word"].includes(column.kind ?? "");
          const place = el("td", {class: isNumber ? "number" : column.kind});
          if (column.node) return fill(place, {}, [column.node(row)]);
          if (!column.cell) return place;
          const cell = column.cell(row);
          if (!isNumber && cell.value !== null) {
            const about = column.about?.(row) ?? null;
            if (about !== null) place.title = about;
            else if (String(cell.value).length > 60) place.title = front(cell.value, 1000);
            return choosableCell(shown(place, cell, column.text ? column.text(row) : front(cell.value, 300)), cell);
          }
          return choosableCell(shown(place, cell, cell.value === null ? column.unknown : undefined), cell);
        }),
      ),
    );
  for (const column of columns) {
    const classes = [column.kind ? "" : "number", column.label.length > 16 && !column.kind ? "long" : ""];
    const heading = el("th", {
      class: classes.filter(Boolean).join(" ") || null,
      scope: "col",
      title: docOf(column, rows[0]),
    });
    const cellOf = column.cell;
    if (cellOf && rows.length > 1) {
      heading.append(
        el(
          "button",
          {
            type: "button",
            onclick: () => {
              const down = heading.getAttribute("aria-sort") !== "descending";
              for (const other of head.children) other.removeAttribute("aria-sort");
              heading.setAttribute("aria-sort", down ? "descending" : "ascending");
              order = sorted(rows, (row) => cellOf(row).value, down);
              show();
            },
          },
          column.label,
        ),
      );
    } else {
      heading.append(column.label);
    }
    head.append(heading);
  }
  show();
  place.append(el("table", {class: "data"}, el("thead", {}, head), body));
  if (tools) place.append(tools.node);
  return place;
}

// A cell that names ranks chooses them; one that says whose row it is marks the row.
function choosableCell(place: HTMLElement, cell: Cell): HTMLElement {
  const column = cell.id.slice(cell.id.lastIndexOf("/") + 1);
  const isOwner = column === "rank" || (column === "ranks" && cell.type === "string");
  const ranks = isOwner || column.endsWith("_rank") ? numbersOf(cell.value) : [];
  return ranks.length ? choosableText(place, ranks, isOwner) : place;
}

// The data behind a plot, folded; built when first opened.
export function details<Row = number>(
  source: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  title = "Data",
): HTMLElement {
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
  return {
    label: label || wordsOf(name),
    kind,
    doc: spec ? spec.doc : null,
    cell: (row) => source.cell(row, name, unit),
  };
}
