// The embedded tables (src/report/html_data.h has their form). Nothing here or elsewhere in the page computes a number that is
// shown: what is shown is a cell, and a cell knows where it comes from. The exceptions are what depends on the reader: shares of a flame
// graph, and means over the ranks of a place in the layout.

import {takeWords} from "./vocabulary";

export type CellValue = string | number | boolean | null;

interface RawColumn {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly doc: string;
  readonly cells?: readonly CellValue[];
  readonly dictionary?: readonly CellValue[]; // with `index` in place of `cells`
  readonly index?: readonly number[];
}

interface RawTable {
  readonly rows: number;
  readonly kept?: readonly number[];
  readonly options?: string;
  readonly columns: readonly RawColumn[];
}

export interface NotEvaluated {
  readonly id: string;
  readonly reason: string;
}

interface Job {
  readonly ranks: number;
  readonly world_size: number | null;
  readonly devices: readonly string[];
  readonly not_evaluated?: readonly NotEvaluated[];
}

export interface Headline {
  readonly part: string;
  readonly section: string;
  readonly text: string;
}

// What every kind of data has: its tables and the words for their parts.
export interface TablesData {
  readonly parts: readonly {readonly id: string; readonly label: string; readonly idle: boolean}[];
  readonly path_parts: readonly {readonly id: string; readonly label: string; readonly like: string}[];
  readonly host_parts: readonly {readonly id: string; readonly label: string; readonly like: string}[];
  readonly metrics: readonly {readonly id: string; readonly label: string}[];
  readonly tables: Readonly<Record<string, RawTable>>;
}

// What the text report says, too: of findings a sentence each, of the others as many as there is to say.
export type SentenceList =
  | "layout"
  | "layout_warnings"
  | "pipeline"
  | "step_marks"
  | "host_lead"
  | "unknown_kernels"
  | "blame"
  | "unknown_gaps"
  | "experts";
export type Sentences = Readonly<Record<"findings" | "refusal", string>> &
  Readonly<Record<SentenceList, readonly string[]>>;

// Of a job (src/report/html_data.cc), of two jobs (diff_html.cc), of a memory snapshot (memory_html.cc).
export interface ReportData extends TablesData {
  readonly job: Job;
  readonly headlines: readonly Headline[];
  readonly sentences: Sentences;
}
export interface DiffData extends TablesData {
  readonly compares: true;
  readonly headline: string;
  readonly base: string;
  readonly test: string;
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
}
export interface SnapshotData extends TablesData {
  readonly is_timeline: boolean;
  readonly path: string;
  readonly later: string;
  readonly settings: string;
  readonly devices: readonly {readonly headline: string; readonly reasons: readonly string[]}[];
}

// What is shown of a cell: its value, unit, type and place in the report's tables.
export interface Cell {
  readonly value: CellValue;
  readonly unit: string;
  readonly type: string;
  readonly id: string;
}

type Row = number;

let current: ReportData | DiffData | SnapshotData;
export let report: ReportData;
export let diff: DiffData;
export let snapshot: SnapshotData;

// Who loaded a report says so: the page from its own file, the app from the server.
function setTables(data: ReportData | DiffData | SnapshotData): void {
  current = data;
  tables.clear();
  takeWords(data);
}
export function setReport(data: ReportData): void {
  report = data;
  setTables(data);
}
export function setDiff(data: DiffData): void {
  diff = data;
  setTables(data);
}
export function setSnapshot(data: SnapshotData): void {
  snapshot = data;
  setTables(data);
}

// Numbers that name something and count nothing: no digits are grouped.
export const names = new Set([
  "address",
  "stream",
  "pool",
  "rank",
  "step",
  "device",
  "capture",
  "group",
  "process",
  "thread",
  "min_rank",
  "max_rank",
  "fastest_rank",
  "slowest_rank",
]);

export class Table {
  readonly total: number; // rows of the table, some of which may not be in the page
  readonly count: number;
  readonly columns: ReadonlyMap<string, RawColumn>;
  private readonly kept: readonly number[] | undefined;
  private readonly options: readonly string[];

  constructor(
    readonly name: string,
    raw: RawTable | null,
  ) {
    this.total = raw ? raw.rows : 0;
    this.kept = raw?.kept;
    this.options = raw?.options ? raw.options.split(" ") : [];
    this.columns = new Map((raw ? raw.columns : []).map((column) => [column.name, column]));
    const first = raw?.columns[0];
    this.count = (first?.index ?? first?.cells ?? []).length;
  }
  get empty(): boolean {
    return this.count === 0;
  }
  // The command that makes this very table.
  get command(): string {
    if ("devices" in current) return `rankscope memory SNAPSHOT --table ${this.name}`;
    if ("compares" in current) return `rankscope diff BASE TEST --table ${this.name}`;
    return ["rankscope table", this.name, "PATH", ...this.options.map((option) => `--set ${option}`)].join(" ");
  }
  has(column: string): boolean {
    return this.columns.has(column);
  }
  // A cell's value; null when it or its column is unknown.
  get(row: Row, column: string): CellValue {
    const found = this.columns.get(column);
    if (!found || row < 0 || row >= this.count) return null;
    const value = found.index ? found.dictionary?.[found.index[row] ?? -1] : found.cells?.[row];
    return value ?? null;
  }
  // A number to place marks by; null when unknown. Integers beyond 2^53 come as text.
  number(row: Row, column: string): number | null {
    const value = this.get(row, column);
    return value === null || value === "" ? null : Number(value);
  }
  // A number of a column that is known wherever it is asked for; 0 where it is not.
  amount(row: Row, column: string): number {
    return this.number(row, column) ?? 0;
  }
  // A name; "" where there is none.
  text(row: Row, column: string): string {
    return String(this.get(row, column) ?? "");
  }
  cell(row: Row, column: string, unit?: string): Cell {
    const found = this.columns.get(column);
    const at = this.kept ? this.kept[row] : row;
    return {
      value: this.get(row, column),
      unit: unit || (names.has(column) ? "name" : found ? found.unit : ""),
      type: found ? found.type : "",
      id: `${this.name}/${at}/${column}`,
    };
  }
  rows(): Row[] {
    return Array.from({length: this.count}, (_, row) => row);
  }
  where(column: string, value: CellValue): Row[] {
    return this.rows().filter((row) => this.get(row, column) === value);
  }
}

// What the column of a cell is, as its schema says; null for cells that are of no table.
export function cellDoc(cell: Cell): string | null {
  const [name, , column] = cell.id.split("/");
  return name && column ? table(name).columns.get(column)?.doc || null : null;
}

const tables = new Map<string, Table>();
export function table(name: string): Table {
  let found = tables.get(name);
  if (found === undefined) {
    found = new Table(name, Object.hasOwn(current.tables, name) ? (current.tables[name] ?? null) : null);
    tables.set(name, found);
  }
  return found;
}
