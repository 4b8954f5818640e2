// The data of a page as it comes: the embedded tables (src/report/html/html_data.h has their form) and what stands beside them.

export type CellValue = string | number | boolean | null;

export interface RawColumn {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly doc: string;
  readonly cells?: readonly CellValue[];
  readonly dictionary?: readonly CellValue[]; // with `index` in place of `cells`
  readonly index?: readonly number[];
}

export interface RawTable {
  readonly rows: number;
  readonly kept?: readonly number[];
  readonly options?: string;
  readonly columns: readonly RawColumn[];
}

export interface NotEvaluated {
  readonly id: string;
  readonly reason: string;
}

export interface Job {
  readonly ranks: number;
  readonly world_size: number | null;
  readonly devices: readonly string[];
  readonly traces?: string; // the job's path as a shell takes it; "TRACES" of a server's run
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
  | "recording"
  | "recording_others"
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

// Of a job (src/report/html/html_data.cc), of two jobs (diff_html.cc), of a memory snapshot (memory_html.cc).
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

// Of a serving program (src/report/serving/serving_html.cc).
export interface ServingData extends TablesData {
  readonly subject: "serving";
  readonly path: string;
  readonly headline: string;
  readonly stages_of: string; // "600 requests"
  readonly focus: string; // "at 8.33 a second", of one level of several
  readonly level_sentences: readonly string[];
  readonly lines: readonly {readonly name: string; readonly text: string}[];
  readonly gains: readonly string[]; // of each finding
}

// What is shown of a cell: its value, unit, type, place in the report's tables, and what its column is.
export interface Cell {
  readonly value: CellValue;
  readonly unit: string;
  readonly type: string;
  readonly id: string;
  readonly doc?: string | null;
}
