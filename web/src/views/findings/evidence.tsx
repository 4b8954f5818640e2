// The evidence of a finding, drawn: rows of tables as bars where they compare one number, else as a small table; events by their number.

import {useLayoutEffect, useRef} from "preact/hooks";
import {chooseAttributes, isMarked, takesTab} from "../../draw/choosable";
import {useDrawing} from "../../draw/drawing";
import {grouped, human, words} from "../../model/format";
import {distinct} from "../../model/order";
import {numbersOf} from "../../model/ranks";
import {type CellValue, names, type Report} from "../../model/report";
import {front} from "../../model/text";

const mostEvidenceRows = 8;

// Made of JSON that came in a cell: anything may be in it.
export type Entry = Readonly<Record<string, unknown>>;
type EvidenceRow = Readonly<Record<string, CellValue | undefined>>;

// The unit of a table's column: as the page knows it, else by its name.
function unitOfColumn(report: Report, source: string, column: string): string {
  const found = report.table(source).columns.get(column);
  if (found) return found.unit;
  if (names.has(column)) return "name";
  const ending = /_(ns|pct|bytes|flops|bytes_per_s|flops_per_s)$/.exec(column);
  const units: Readonly<Record<string, string>> = {
    ns: "ns",
    pct: "%",
    bytes: "bytes",
    flops: "FLOP",
    bytes_per_s: "bytes/s",
    flops_per_s: "FLOP/s",
  };
  return units[ending?.[1] ?? ""] ?? "";
}

const keyColumns = [
  "rank",
  "stage",
  "step",
  "name",
  "op",
  "groups",
  "module",
  "part",
  "class",
  "key",
  "host",
  "device",
];
function columnLabel(column: string) {
  return words(column.replace(/_(ns|pct|bytes|bytes_per_s|flops_per_s)$/, ""));
}

function valueText(report: Report, source: string, column: string, value: CellValue | undefined): string {
  if (value === null || value === undefined) return "\u2013";
  return typeof value === "number"
    ? human(value, unitOfColumn(report, source, column) || (names.has(column) ? "name" : ""))
    : front(value, 60);
}

interface Evidence {
  readonly report: Report;
  readonly source: string;
  readonly rows: readonly EvidenceRow[];
}

// Of a column that names a rank.
function ranksOf(column: string, value: CellValue | undefined): readonly number[] {
  return column === "rank" || column.endsWith("_rank") ? numbersOf(value) : [];
}

interface EvidenceBars extends Evidence {
  readonly by: string;
  readonly measure: string;
  // Where the cause sits.
  readonly ranks: ReadonlySet<number>;
}
function EvidenceBars({report, source, rows, by, measure, ranks}: EvidenceBars) {
  const {choice} = useDrawing();
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => takesTab(ref.current), [rows]);
  const most = Math.max(...rows.map((row) => Math.abs(Number(row[measure])) || 0));
  const text = (row: EvidenceRow, column: string) => valueText(report, source, column, row[column]);
  const heading = `${columnLabel(measure)} by ${columnLabel(by)}`;
  const widthOf = (row: EvidenceRow) => (most > 0 ? Math.max(0.5, (100 * Math.abs(Number(row[measure]))) / most) : 0);
  return (
    <div
      class="evidence-bars"
      role="group"
      aria-label={`${heading}: ${rows.map((row) => `${text(row, by)} ${text(row, measure)}`).join(", ")}`}
      ref={ref}
    >
      <div class="evidence-head">
        {heading}
        <code>{source}</code>
      </div>
      {rows.map((row, i) => {
        const named = ranksOf(by, row[by]);
        const isCause = by === "rank" && ranks.has(Number(row[by]));
        const marked = isMarked(choice, named);
        const isRow = by === "rank";
        return (
          <div
            key={i}
            class={["evidence-row", isCause ? "cause" : "", isRow && marked ? "chosen" : ""].filter(Boolean).join(" ")}
          >
            <span
              class={!isRow && marked ? "evidence-key chosen" : "evidence-key"}
              {...(named.length ? chooseAttributes(named) : {})}
              data-row={named.length && isRow ? "" : undefined}
            >
              {names.has(by) ? `${columnLabel(by)} ${row[by]}` : front(row[by] ?? "?", 40)}
            </span>
            <span class="evidence-track">
              <span class="evidence-bar" style={{"--part": `${widthOf(row)}%`}} />
            </span>
            <span class="evidence-value">{text(row, measure)}</span>
          </div>
        );
      })}
    </div>
  );
}

function EvidenceTable({report, source, rows, columns}: Evidence & {readonly columns: readonly string[]}) {
  const {choice} = useDrawing();
  const ref = useRef<HTMLTableSectionElement>(null);
  useLayoutEffect(() => takesTab(ref.current), [rows]);
  const isNumber = (column: string) => typeof rows[0]?.[column] === "number";
  const cell = (row: EvidenceRow, column: string) => {
    const named = ranksOf(column, row[column]);
    const marked = column !== "rank" && isMarked(choice, named) ? " chosen" : "";
    return (
      <td
        key={column}
        class={`${typeof row[column] === "number" ? "number" : "text"}${marked}`}
        {...(named.length ? chooseAttributes(named) : {})}
        data-row={named.length && column === "rank" ? "" : undefined}
      >
        {valueText(report, source, column, row[column])}
      </td>
    );
  };
  return (
    <div class="scroll">
      <table class="data">
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                class={isNumber(column) ? "number" : undefined}
                title={report.table(source).columns.get(column)?.doc}
              >
                {columnLabel(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={ref}>
          {rows.map((row, i) => (
            <tr
              key={i}
              class={columns.includes("rank") && isMarked(choice, ranksOf("rank", row["rank"])) ? "chosen" : undefined}
            >
              {columns.map((column) => cell(row, column))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function evidenceOfTable(report: Report, source: string, rows: readonly EvidenceRow[], ranks: ReadonlySet<number>) {
  if (rows.length === 0) return null;
  const columns = distinct(rows.flatMap((row) => Object.keys(row)));
  const key = keyColumns.find((column) => columns.includes(column));
  const measures = columns.filter(
    (column) =>
      column !== key &&
      !names.has(column) &&
      rows.every((row) => typeof row[column] === "number" || row[column] === null || row[column] === undefined),
  );
  const shownRows = rows.slice(0, mostEvidenceRows);
  const [measure] = measures;
  const isBars =
    key !== undefined && measure !== undefined && measures.length === 1 && columns.length === 2 && rows.length > 1;
  const picture = isBars ? (
    <EvidenceBars report={report} source={source} rows={shownRows} by={key} measure={measure} ranks={ranks} />
  ) : (
    <EvidenceTable report={report} source={source} rows={shownRows} columns={columns} />
  );
  return (
    <div class="evidence">
      {isBars ? null : (
        <div class="evidence-head">
          <code>{source}</code>
        </div>
      )}
      {picture}
      {rows.length > shownRows.length ? (
        <p class="from">{`${shownRows.length} of ${grouped(rows.length)} rows`}</p>
      ) : null}
    </div>
  );
}

// Entries are {table, rows} or {rank, capture, event}, as a cell of the findings has them; ranks: those where the cause sits.
export function evidenceOf(report: Report, entries: readonly Entry[], ranks: ReadonlySet<number>) {
  return entries.map(({table: source, rows}) => {
    if (typeof source !== "string" || source === "") return null;
    return evidenceOfTable(
      report,
      source,
      Array.isArray(rows) ? rows.filter((row): row is EvidenceRow => row !== null && typeof row === "object") : [],
      ranks,
    );
  });
}

const mostEvents = 6;
export function eventsOf(entries: readonly Entry[]) {
  const events = entries.filter((entry) => entry.event !== undefined);
  if (events.length === 0) return null;
  const names = events
    .slice(0, mostEvents)
    .map((one) => `${one.event} of rank ${one.rank}${one.capture ? `, recording ${one.capture}` : ""}`);
  return (
    <p class="muted">
      {`${events.length === 1 ? "Event" : "Events"} ${names.join("; ")}${events.length > mostEvents ? `; ${events.length - mostEvents} more` : ""}: `}
      <code>SELECT * FROM events WHERE event = …</code>
    </p>
  );
}
