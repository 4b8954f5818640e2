// The tables of a page. Nothing here or elsewhere in the page computes a number that is shown: what is shown is a cell, and a cell knows
// where it comes from. The exceptions are what depends on the reader: shares of a flame graph, and means over the ranks of a place in the
// layout.

import type {
  Cell,
  CellValue,
  DiffData,
  RawColumn,
  RawTable,
  ReportData,
  ServingData,
  SnapshotData,
  TablesData,
} from "./data";
import {inNamesOf, type Sides, sidesOfPaths} from "./diff_names";
import {RequestChoice} from "./request_choice";
import {Vocabulary} from "./vocabulary";

export type {
  Cell,
  CellValue,
  DiffData,
  NotEvaluated,
  ReportData,
  SentenceList,
  ServingData,
  SnapshotData,
} from "./data";

type Row = number;

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
  readonly options: readonly string[];

  constructor(
    readonly name: string,
    raw: RawTable | null,
    private readonly toCommand: (table: Table) => string,
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
    return this.toCommand(this);
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
      doc: found ? found.doc || null : null,
    };
  }
  rows(): Row[] {
    return Array.from({length: this.count}, (_, row) => row);
  }
  where(column: string, value: CellValue): Row[] {
    return this.rows().filter((row) => this.get(row, column) === value);
  }
}

// The tables of one page, and the words for what is in them.
class Tables<Data extends TablesData> {
  readonly words: Vocabulary;
  private readonly known = new Map<string, Table>();

  constructor(
    readonly data: Data,
    private readonly toCommand: (table: Table) => string,
  ) {
    this.words = new Vocabulary(data);
  }
  has(name: string): boolean {
    return Object.hasOwn(this.data.tables, name);
  }
  // One without rows where the page has none.
  table(name: string): Table {
    let found = this.known.get(name);
    if (found === undefined) {
      found = new Table(name, this.has(name) ? (this.data.tables[name] ?? null) : null, this.toCommand);
      this.known.set(name, found);
    }
    return found;
  }
}

// Of a job, of two jobs, of a memory snapshot or what grew between two.
export class Report extends Tables<ReportData> {
  constructor(data: ReportData) {
    const {traces = "TRACES"} = data.job;
    super(data, ({name, options}) =>
      [
        "rankscope table",
        name,
        traces === "TRACES" ? "PATH" : traces,
        ...options.map((option) => `--set ${option}`),
      ].join(" "),
    );
  }
  // A finding's command, with the job's path where that is known.
  commandOf(text: string): string {
    return text.replace(/\bTRACES\b/, () => this.data.job.traces ?? "TRACES");
  }
  get job(): ReportData["job"] {
    return this.data.job;
  }
  get sentences(): ReportData["sentences"] {
    return this.data.sentences;
  }
}
export class Diff extends Tables<DiffData> {
  // Its sentences name the sides, as its tables do.
  constructor(
    data: DiffData,
    readonly sides: Sides = sidesOfPaths(data.base, data.test),
  ) {
    super(inNamesOf(data, sides), ({name}) => `rankscope diff BASE TEST --table ${name}`);
  }
}
export class Snapshot extends Tables<SnapshotData> {
  constructor(data: SnapshotData) {
    super(data, ({name}) => `rankscope memory SNAPSHOT --table ${name}`);
  }
}

// Where what a page of serving does not have comes from: the server, of which a page of one file has none.
export interface ServingRows {
  // Of one request; null where there is none.
  readonly request: (number: number) => Promise<RawTable | null>;
  // Steps of the engine that ended between these moments, by their ends.
  readonly steps: (from: number, to: number) => Promise<RawTable>;
}
export class Serving extends Tables<ServingData> {
  readonly choice = new RequestChoice();

  constructor(
    data: ServingData,
    readonly rows: ServingRows | null = null,
  ) {
    super(data, ({name}) => `rankscope serving PATH --table ${name}`);
  }
  // Rows that came later, as a table of the page.
  tableOf(name: string, raw: RawTable): Table {
    return new Table(name, raw, (table) => `rankscope serving PATH --table ${table.name}`);
  }
}
