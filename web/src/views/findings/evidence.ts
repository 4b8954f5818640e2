// The evidence of a finding, drawn: rows of tables as bars where they compare one number, else as a small table; events by their number.

import {choosableText, takesTab} from "../../draw/choosable";
import {el, front} from "../../draw/dom";
import {grouped, human, words} from "../../model/format";
import {distinct} from "../../model/order";
import {numbersOf} from "../../model/ranks";
import {type CellValue, names, table} from "../../model/report";

const mostEvidenceRows = 8;

// Made of JSON that came in a cell: anything may be in it.
export type Entry = Readonly<Record<string, unknown>>;
type EvidenceRow = Readonly<Record<string, CellValue | undefined>>;

// The unit of a table's column: as the page knows it, else by its name.
function unitOfColumn(source: string, column: string): string {
  const found = table(source).columns.get(column);
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

function valueText(source: string, column: string, value: CellValue | undefined): string {
  if (value === null || value === undefined) return "\u2013";
  return typeof value === "number"
    ? human(value, unitOfColumn(source, column) || (names.has(column) ? "name" : ""))
    : front(value, 60);
}

function evidenceBars(
  source: string,
  rows: readonly EvidenceRow[],
  key: string,
  measure: string,
  chosen: ReadonlySet<number>,
) {
  const most = Math.max(...rows.map((row) => Math.abs(Number(row[measure])) || 0));
  return takesTab(
    el(
      "div",
      {
        class: "evidence-bars",
        role: "group",
        "aria-label": `${columnLabel(measure)} by ${columnLabel(key)}: ${rows.map((row) => `${valueText(source, key, row[key])} ${valueText(source, measure, row[measure])}`).join(", ")}`,
      },
      el("div", {class: "evidence-head"}, `${columnLabel(measure)} by ${columnLabel(key)}`, el("code", {}, source)),
      rows.map((row) => {
        const isCause = key === "rank" && chosen.has(Number(row[key]));
        const bar = el("span", {class: "evidence-bar"});
        bar.style.setProperty(
          "--part",
          `${most > 0 ? Math.max(0.5, (100 * Math.abs(Number(row[measure]))) / most) : 0}%`,
        );
        return el(
          "div",
          {class: isCause ? "evidence-row cause" : "evidence-row"},
          withRanks(
            el(
              "span",
              {class: "evidence-key"},
              names.has(key) ? `${columnLabel(key)} ${row[key]}` : front(row[key] ?? "?", 40),
            ),
            key,
            row[key],
          ),
          el("span", {class: "evidence-track"}, bar),
          el("span", {class: "evidence-value"}, valueText(source, measure, row[measure])),
        );
      }),
    ),
  );
}

// Of a column that names a rank.
function withRanks(node: HTMLElement, column: string, value: CellValue | undefined): HTMLElement {
  const ranks = column === "rank" || column.endsWith("_rank") ? numbersOf(value) : [];
  return ranks.length ? choosableText(node, ranks, column === "rank") : node;
}

function evidenceTable(source: string, rows: readonly EvidenceRow[], columns: readonly string[]) {
  return el(
    "div",
    {class: "scroll"},
    el(
      "table",
      {class: "data"},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          columns.map((column) =>
            el(
              "th",
              {
                scope: "col",
                class: typeof rows[0][column] === "number" ? "number" : null,
                title: table(source).columns.get(column)?.doc ?? null,
              },
              columnLabel(column),
            ),
          ),
        ),
      ),
      takesTab(
        el(
          "tbody",
          {},
          rows.map((row) =>
            el(
              "tr",
              {},
              columns.map((column) =>
                withRanks(
                  el(
                    "td",
                    {class: typeof row[column] === "number" ? "number" : "text"},
                    valueText(source, column, row[column]),
                  ),
                  column,
                  row[column],
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function evidenceOfTable(source: string, rows: readonly EvidenceRow[], ranks: ReadonlySet<number>) {
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
  const picture = isBars
    ? evidenceBars(source, shownRows, key, measure, ranks)
    : evidenceTable(source, shownRows, columns);
  return el(
    "div",
    {class: "evidence"},
    isBars ? null : el("div", {class: "evidence-head"}, el("code", {}, source)),
    picture,
    rows.length > shownRows.length
      ? el("p", {class: "from"}, `${shownRows.length} of ${grouped(rows.length)} rows`)
      : null,
  );
}

// Entries are {table, rows} or {rank, capture, event}, as a cell of the findings has them; ranks: those where the cause sits.
export function evidenceOf(entries: readonly Entry[], ranks: ReadonlySet<number>) {
  return entries.map(({table: source, rows}) => {
    if (typeof source !== "string" || source === "") return null;
    return evidenceOfTable(
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
  return el(
    "p",
    {class: "muted"},
    `${events.length === 1 ? "Event" : "Events"} ${names.join("; ")}${events.length > mostEvents ? `; ${events.length - mostEvents} more` : ""}: `,
    el("code", {}, "SELECT * FROM events WHERE event = …"),
  );
}
