// Tables of cells: bounded, sortable by their headings, and saying where the rest is.

import type {ComponentChildren} from "preact";
import {useContext, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import {cellAttributes, cellText} from "../../draw/cells";
import {chooseAttributes, isMarked, takesTab} from "../../draw/choosable";
import {useDrawing} from "../../draw/drawing";
import {doorOf, queryOf} from "../../model/doors";
import {grouped, human, words as wordsOf} from "../../model/format";
import {sorted} from "../../model/order";
import {numbersOf} from "../../model/ranks";
import type {Cell, Table} from "../../model/report";
import {front} from "../../model/text";
import {PageContext} from "./page_state";
import {TableTools} from "./table_tools";

const mostRows = 100;
// Fewer rows than these are seen at a glance.
const leastForTools = 4;

// A column has cell(row) or node(row); a row is one of a table, or what a picture is made of.
export interface Column<Row = number> {
  readonly label: string;
  readonly kind?: string | undefined;
  readonly doc?: string | null | undefined;
  readonly unknown?: string;
  readonly cell?: (row: Row) => Cell;
  readonly node?: (row: Row) => ComponentChildren;
  readonly text?: ((row: Row) => string) | undefined;
  readonly about?: (row: Row) => string | null; // what the cell names is
}

// What a cell says, as it is shown and as it is.
function textOf<Row>(column: Column<Row>, row: Row): string {
  const cell = column.cell?.(row);
  if (cell === undefined || cell.value === null) return "";
  return `${column.text?.(row) ?? ""} ${String(cell.value)} ${human(cell.value, cell.unit)}`.toLowerCase();
}

// What a column is: as the schema of the table says it from which its cells are.
function docOf<Row>(column: Column<Row>, row: Row | undefined): string | undefined {
  return column.doc || (row === undefined ? undefined : column.cell?.(row).doc) || undefined;
}

// To the events that a row is made of, in the timeline; null where no row says where they are, or there is no timeline.
function doorColumn<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  toTimeline: ((query: string) => string) | null,
): Column<Row> | null {
  if (toTimeline === null) return null;
  const queryOfRow = (row: Row): string | null => {
    let table = "";
    const values = new Map<string, Cell["value"]>();
    for (const column of columns) {
      const cell = column.cell?.(row);
      if (cell === undefined) continue;
      const [name = "", , of = ""] = cell.id.split("/");
      table ||= name;
      if (name === table && !values.has(of)) values.set(of, cell.value);
    }
    const door = doorOf(table, values);
    return door === null ? null : queryOf(door);
  };
  if (!rows.slice(0, 3).some((row) => queryOfRow(row) !== null)) return null;
  return {
    label: "events",
    doc: "the events that the row is made of, in the timeline",
    kind: "word",
    node: (row) => {
      const query = queryOfRow(row);
      return query === null ? null : (
        <a class="door" href={toTimeline(query)} aria-label="Show its events in the timeline">
          show
        </a>
      );
    },
  };
}

interface DataTable<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  // Of the rows the first `most` are shown, in the order of the column that the reader chose, of those and in those columns that the
  // reader asks for.
  readonly most?: number;
}

// kind "name" and "text" may break into lines, "word" may not; `unknown` is the text of null.
export function DataTable<Row = number>({columns: given, rows, most = rows.length}: DataTable<Row>) {
  const toTimeline = useContext(PageContext)?.toTimeline ?? null;
  const columns = useMemo(() => {
    const door = doorColumn(given, rows, toTimeline);
    return door === null ? given : [...given, door];
  }, [given, rows, toTimeline]);
  const place = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const [order, setOrder] = useState<{readonly column: number; readonly isDown: boolean} | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const [words, setWords] = useState<readonly string[]>([]);
  const ordered = useMemo(() => {
    const cellOf = order === null ? undefined : columns[order.column]?.cell;
    return cellOf ? sorted(rows, (row) => cellOf(row).value, order?.isDown ?? true) : rows;
  }, [rows, order]);
  const found = useMemo(() => {
    if (words.length === 0) return ordered;
    return ordered.filter((row) => {
      const text = columns.map((column) => textOf(column, row)).join(" ");
      return words.every((word) => text.includes(word));
    });
  }, [ordered, words]);
  useLayoutEffect(() => takesTab(body.current), [found, hidden]);

  const shownColumns = columns.filter((_, i) => !hidden.has(i));
  const content = () => {
    const withCells = shownColumns.filter((column) => column.cell !== undefined);
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
    body.current?.querySelector<HTMLElement>("[data-cell]")?.dataset["cell"]?.split("/")[0] ??
    place.current?.closest("section")?.id ??
    "";
  const hide = (column: number, isHidden: boolean) => {
    const next = new Set(hidden);
    if (isHidden) next.add(column);
    else next.delete(column);
    setHidden(next);
  };
  // A single row cannot be sorted: without the buttons for that the keyboard would have no way to what is beyond the edge.
  const canSort = rows.length > 1;
  return (
    <div class="scroll" tabIndex={canSort ? undefined : 0} ref={place}>
      <table class="data">
        <thead>
          <tr>
            {columns.map((column, i) => (
              <Heading
                key={i}
                column={column}
                doc={docOf(column, rows[0])}
                isHidden={hidden.has(i)}
                isDown={order?.column === i ? order.isDown : null}
                sort={canSort && column.cell ? (isDown) => setOrder({column: i, isDown}) : null}
              />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {found.slice(0, most).map((row, i) => (
            <TableRow key={i} columns={shownColumns} row={row} />
          ))}
        </tbody>
      </table>
      {rows.length < leastForTools ? null : (
        <TableTools
          labels={columns.map((column) => column.label)}
          hidden={hidden}
          filter={setWords}
          hide={hide}
          content={content}
          name={name}
          counts={{seen: Math.min(most, found.length), found: found.length, all: rows.length}}
        />
      )}
    </div>
  );
}

interface Heading<Row> {
  readonly column: Column<Row>;
  readonly doc: string | undefined;
  readonly isHidden: boolean;
  readonly isDown: boolean | null; // null: the rows are in another order
  readonly sort: ((isDown: boolean) => void) | null;
}
function Heading<Row>({column: {label, kind}, doc, isHidden, isDown, sort}: Heading<Row>) {
  const classes = [kind ? "" : "number", label.length > 16 && !kind ? "long" : ""].filter(Boolean).join(" ");
  return (
    <th
      class={classes || undefined}
      scope="col"
      title={doc ?? (label === "" ? "the number beside it as a bar" : undefined)}
      hidden={isHidden}
      aria-sort={isDown === null ? undefined : isDown ? "descending" : "ascending"}
    >
      {label === "" ? (
        <span class="unseen">as a bar</span>
      ) : sort === null ? (
        label
      ) : (
        <button type="button" onClick={() => sort(isDown !== true)}>
          {label}
        </button>
      )}
    </th>
  );
}

// A cell that names ranks chooses them; one that says whose row it is marks the row.
interface RanksOfCell {
  readonly ranks: readonly number[];
  readonly isOwner: boolean;
}
function ranksOfCell(cell: Cell | undefined): RanksOfCell | null {
  if (cell === undefined) return null;
  const column = cell.id.slice(cell.id.lastIndexOf("/") + 1);
  const isOwner = column === "rank" || (column === "ranks" && cell.type === "string");
  const ranks = isOwner || column.endsWith("_rank") ? numbersOf(cell.value) : [];
  return ranks.length > 0 ? {ranks, isOwner} : null;
}

function TableRow<Row>({columns, row}: {readonly columns: readonly Column<Row>[]; readonly row: Row}) {
  const {choice} = useDrawing();
  const cells = columns.map((column) => {
    const cell = column.node ? undefined : column.cell?.(row);
    return {column, cell, named: ranksOfCell(cell)};
  });
  const isChosen = cells.some(({named}) => named?.isOwner && isMarked(choice, named.ranks));
  return (
    <tr class={isChosen ? "chosen" : undefined}>
      {cells.map(({column, cell, named}, i) => {
        const isNumber = !["name", "text", "word"].includes(column.kind ?? "");
        const kind = isNumber ? "number" : column.kind;
        if (cell === undefined) {
          return (
            <td key={i} class={kind}>
              {column.node?.(row)}
            </td>
          );
        }
        const attributes = cellAttributes(cell);
        const marked = named && !named.isOwner && isMarked(choice, named.ranks) ? "chosen" : "";
        const isText = !isNumber && cell.value !== null;
        const about = !isText
          ? undefined
          : (column.about?.(row) ?? (String(cell.value).length > 60 ? front(cell.value, 1000) : attributes.title));
        const text = isText
          ? column.text
            ? column.text(row)
            : front(cell.value, 300)
          : cell.value === null
            ? (column.unknown ?? cellText(cell))
            : cellText(cell);
        return (
          <td
            key={i}
            {...attributes}
            class={[kind, attributes.class, marked].filter(Boolean).join(" ")}
            {...(named ? chooseAttributes(named.ranks) : {title: isText ? about : attributes.title})}
            data-row={named?.isOwner ? "" : undefined}
          >
            {text}
          </td>
        );
      })}
    </tr>
  );
}

interface Details<Row> extends DataTable<Row> {
  readonly source: Table;
  readonly title?: string;
}

// The data behind a plot, folded; built when first opened.
export function Details<Row = number>({source, columns, rows, title = "Data"}: Details<Row>) {
  const [isMade, setMade] = useState(false);
  return (
    <details onToggle={() => setMade(true)}>
      <summary>{title}</summary>
      {isMade ? (
        <>
          <DataTable columns={columns} rows={rows} most={mostRows} />
          <p class="note">
            {mostRows < rows.length ? `The first ${grouped(mostRows)} of ${grouped(rows.length)} rows. ` : ""}The whole
            table: <code>{source.command}</code>
          </p>
        </>
      ) : null}
    </details>
  );
}

// A column of a table as it is.
export interface CellColumn extends Column {
  readonly cell: (row: number) => Cell;
}

export function plain(source: Table, name: string, label?: string, kind?: string, unit?: string): CellColumn {
  return {
    label: label || wordsOf(name),
    kind,
    doc: source.columns.get(name)?.doc ?? null,
    cell: (row) => source.cell(row, name, unit),
  };
}
