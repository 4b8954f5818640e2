// What is known of SQL over a run without asking the server: what a word may become, what columns are, how a result is drawn. No DOM.

import type {TableDefinition} from "@made/api_types";

export interface Completion {
  readonly text: string;
  readonly about: string;
}

// What SQL over a run has as views: of a job not what is made of two runs, of snapshots or of dumps.
export const jobSubjects: readonly string[] = ["events", "job"];
export const servingSubjects: readonly string[] = ["serving"];
export function viewsOf(tables: readonly TableDefinition[], subjects = jobSubjects): TableDefinition[] {
  return tables.filter((table) => subjects.includes(table.subject));
}

const keywords = [
  "select",
  "from",
  "where",
  "group by",
  "order by",
  "limit",
  "having",
  "join",
  "left join",
  "using",
  "on",
  "as",
  "and",
  "or",
  "not",
  "null",
  "is null",
  "is not null",
  "in",
  "like",
  "ilike",
  "between",
  "case",
  "when",
  "then",
  "else",
  "end",
  "distinct",
  "count(*)",
  "sum(",
  "avg(",
  "min(",
  "max(",
  "median(",
  "quantile_cont(",
  "stddev(",
  "round(",
  "with",
  "union all",
  "desc",
  "asc",
  "over (partition by",
  "lag(",
  "explain",
];

// The word that ends at the caret: letters, digits, _ and dots.
export function wordAt(text: string, caret: number): string {
  return /[A-Za-z_][\w.]*$/.exec(text.slice(0, caret))?.[0] ?? "";
}

function mentioned(text: string, tables: readonly TableDefinition[]): TableDefinition[] {
  const words = new Set(text.toLowerCase().match(/[a-z_][\w.]*/g) ?? []);
  return tables.filter((table) => words.has(table.name.toLowerCase()));
}

// What the columns of a result are that are called as those of tables which the text mentions.
export function docsOf(text: string, tables: readonly TableDefinition[]): Map<string, string> {
  const docs = new Map<string, string>();
  for (const table of mentioned(text, tables)) {
    for (const column of table.columns)
      if (!docs.has(column.name) && column.doc !== "")
        docs.set(column.name, `${column.doc}${column.unit ? ` (${column.unit})` : ""}`);
  }
  return docs;
}

// Columns of tables that the text mentions, then tables, then keywords; what begins with the word before what only has it.
export function completions(text: string, caret: number, tables: readonly TableDefinition[], most = 12): Completion[] {
  const word = wordAt(text, caret);
  if (word === "") return [];
  const bare =
    word.includes(".") && !tables.some((table) => table.name.startsWith(word))
      ? word.slice(word.lastIndexOf(".") + 1)
      : word;
  const wanted = bare.toLowerCase();
  const all: Completion[] = [];
  const columns = new Map<string, Completion>();
  for (const table of mentioned(text, tables)) {
    for (const column of table.columns)
      if (!columns.has(column.name))
        columns.set(column.name, {text: column.name, about: `${column.doc}${column.unit ? ` (${column.unit})` : ""}`});
  }
  all.push(
    ...columns.values(),
    ...tables.map((table) => ({text: table.name, about: table.summary})),
    ...keywords.map((one) => ({text: one, about: ""})),
  );
  const starts = all.filter((one) => one.text.toLowerCase().startsWith(wanted) && one.text.toLowerCase() !== wanted);
  const has =
    wanted.length < 3
      ? []
      : all.filter((one) => !one.text.toLowerCase().startsWith(wanted) && one.text.toLowerCase().includes(wanted));
  return [...starts, ...has].slice(0, most);
}

// The text with the word at the caret replaced, and where the caret is then.
export function completed(
  text: string,
  caret: number,
  completion: Completion,
  tables: readonly TableDefinition[],
): {text: string; caret: number} {
  const word = wordAt(text, caret);
  const isColumn = word.includes(".") && !tables.some((table) => table.name.startsWith(word));
  const bare = isColumn ? word.slice(word.lastIndexOf(".") + 1) : word;
  const begin = caret - bare.length;
  return {text: text.slice(0, begin) + completion.text + text.slice(caret), caret: begin + completion.text.length};
}

export type Value = string | number | boolean | null;
export interface Result {
  readonly columns: readonly {readonly name: string; readonly type: string}[];
  readonly rows: readonly (readonly Value[])[];
}

// Units that names say: "dur_ns", "bytes", "busy_pct".
export function unitOf(name: string): string {
  if (/_ns$|^ns$/.test(name)) return "ns";
  if (/_pct$|_percent$/.test(name)) return "%";
  if (/^bytes$|_bytes$/.test(name)) return "bytes";
  return "";
}

const isNumber = (type: string): boolean => /int|double|float|decimal/i.test(type);

export type PlotKind = "line" | "bars" | "points";
export interface PlotChoice {
  readonly kind: PlotKind;
  readonly x: number; // columns
  readonly y: number;
}

// What a result is drawn as, unless its reader chooses: a text and a number are bars, two numbers a line if the first rises, else points.
export function plotOf(result: Result): PlotChoice | null {
  if (result.rows.length < 2) return null;
  const numbers = result.columns.flatMap((column, i) =>
    isNumber(column.type) && result.rows.some((row) => row[i] !== null) ? [i] : [],
  );
  const text = result.columns.findIndex((column) => column.type === "string");
  // What has a unit is what was measured; the others are counts and names of ranks.
  const measured = numbers.find((i) => unitOf(result.columns[i]?.name ?? "") !== "");
  if (text >= 0 && numbers.length > 0) return {kind: "bars", x: text, y: measured ?? numbers[0] ?? 0};
  const [x, y] = numbers;
  if (x === undefined || y === undefined) return null;
  let rises = true;
  for (let i = 1; i < result.rows.length && rises; ++i)
    rises = Number(result.rows[i]?.[x]) > Number(result.rows[i - 1]?.[x]);
  return {kind: rises ? "line" : "points", x, y};
}

// By a column, unknown last; -1 for downwards.
export function sortedRows(rows: Result["rows"], column: number, sign: 1 | -1): (readonly Value[])[] {
  return [...rows].sort((a, b) => {
    const [left, right] = [a[column] ?? null, b[column] ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return (
      sign *
      (typeof left === "number" && typeof right === "number"
        ? left - right
        : String(left).localeCompare(String(right), "en", {numeric: true}))
    );
  });
}
