// What a row of a table is made of, as an address of the timeline: "?of=name:aten::mm", "?ranks=3&open=3&step=12". No DOM.

import {numbersOf, rangesOf} from "./ranks";
import type {CellValue} from "./data";

// Which events: of exactly this name; with this text in it; of a pattern; work that an op, a module or a line of code launched; one of a file.
export const eventKinds = ["name", "text", "pattern", "op", "module", "line", "event"] as const;
export type EventKind = (typeof eventKinds)[number];
export interface Events {
  readonly kind: EventKind;
  readonly value: string;
}

const mostValue = 1000;

export function readEvents(text: string): Events | null {
  const at = text.indexOf(":");
  const kind = eventKinds.find((one) => one === text.slice(0, at));
  const value = text.slice(at + 1, at + 1 + mostValue);
  if (kind === undefined || value === "") return null;
  return kind === "event" && !/^\d{1,9}\/\d{1,9}\/\d{1,15}$/.test(value) ? null : {kind, value};
}
export function writeEvents(events: Events): string {
  return `${events.kind}:${events.value}`;
}

export interface Door {
  readonly of?: Events;
  readonly sql?: string; // whose result is drawn over the rows
  readonly ranks?: readonly number[];
  readonly step?: number | null;
}
export function queryOf({of, sql, ranks = [], step = null}: Door): string {
  const said = new URLSearchParams();
  if (sql !== undefined) said.set("sql", sql);
  if (of !== undefined) said.set("of", writeEvents(of));
  if (ranks.length > 0) {
    // Those that are compared stay in the picture; where events are asked for, all ranks that have them do.
    if (of === undefined) said.set("ranks", rangesOf(ranks));
    if (ranks.length <= 4) said.set("open", rangesOf(ranks));
  }
  if (step !== null) said.set("step", String(step));
  return `?${said.toString().replaceAll("%2C", ",").replaceAll("%3A", ":")}`;
}

// "all_reduce" is AllReduce in the names of NCCL's kernels, allreduce in gloo's.
function patternOf(op: string): string {
  return op.replace(/[^a-z0-9_]/gi, "").replaceAll("_", "_?");
}

type Values = ReadonlyMap<string, CellValue>;

// The module's calls: "Net_0/Block_3" is recorded as "nn.Module: Block_3", a name of that one instance.
function moduleOf(path: string | null): Events | null {
  return path === null || path.startsWith("(") ? null : {kind: "name", value: `nn.Module: ${path.split("/").at(-1)}`};
}

// Lateness of these causes is the device's, in what the op launched.
const deviceCauses: ReadonlySet<string> = new Set(["slower kernels", "more work", "transfer", "copies"]);

function eventsOf(table: string, values: Values): Events | null {
  const text = (column: string) => {
    const value = values.get(column);
    return typeof value === "string" && value !== "" ? value : null;
  };
  const of = (kind: EventKind, value: string | null): Events | null => (value === null ? null : {kind, value});
  switch (table) {
    case "kernels_by_name":
    case "kernel_steps":
    case "kernels_by_rank":
    case "ops_by_name":
      return of("name", text("name"));
    case "graph_ops":
    case "roofline":
      return of("op", text("op"));
    case "modules":
      return moduleOf(text("path"));
    case "critical_path_modules":
    case "diff_modules":
      return moduleOf(text("module"));
    // The path has the work that an op launched, and on hosts the op itself.
    case "critical_path_ops":
      return of(text("part") === "host" ? "name" : "op", text("op"));
    case "blame":
      return of(deviceCauses.has(text("cause") ?? "") ? "op" : "name", text("op"));
    case "lines":
      return of("line", text("line"));
    case "collective_timeline": {
      const op = text("op");
      return op === null ? null : of("pattern", patternOf(op));
    }
    case "over_ranks":
      return /^[HDP]to[HDP]$/.test(text("key") ?? "") ? of("text", `Memcpy ${text("key")}`) : null;
    case "diff_kernels":
      return of("name", text("test_name") ?? text("base_name"));
    case "diff_places":
      return of("name", text("kernel"));
    case "diff_ops":
    case "diff_host":
      return of("name", text("op") ?? text("name"));
    default:
      return null;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

// Longer ones do not fit into an address.
export const mostSql = 1800;

// Of collectives of one op, type and size, in groups that are alike: every rank's part, which names alone do not tell.
function sqlOf(table: string, values: Values): string | null {
  const [op, groups, dtype, bytes] = ["op", "groups", "dtype", "bytes"].map((column) => values.get(column));
  if (table !== "collective_sizes" || typeof op !== "string") return null;
  const where = [
    `c.op = ${quoted(op)}`,
    // What the row does not say is not asked for; null is what the table says of what is not known.
    ...(typeof dtype === "string" ? [`c.dtype = ${quoted(dtype)}`] : dtype === null ? ["c.dtype is null"] : []),
    ...(typeof bytes === "number" ? [`c.bytes = ${bytes}`] : bytes === null ? ["c.bytes is null"] : []),
    ...(typeof groups === "string"
      ? [
          `coalesce(c.description || ' (' || (c.members + c.missing) || ' ranks)', ${quoted(groups)}) = ${quoted(groups)}`,
        ]
      : []),
  ].join(" and ");
  const sql =
    'select c.op as name, m.rank, m.event, m.start_ns, m.duration_ns, m.wait_ns from collective_members m join collectives c on c."group" = m."group" ' +
    `and c.ordinal = m.ordinal where ${where} order by m.start_ns`;
  return sql.length > mostSql ? null : sql;
}

// A row of a result of SQL, by the names of its columns: one event, else what a rank did in a step.
export function doorOfResult(columns: readonly string[], row: readonly CellValue[]): Door | null {
  const number = (name: string) => {
    const value = row[columns.indexOf(name)];
    return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
  };
  const [rank, event, step] = [number("rank"), number("event"), number("step")];
  if (rank === null) return null;
  if (event === null) return {ranks: [rank], step};
  return {of: {kind: "event", value: `${rank}/${number("capture") ?? 0}/${event}`}, ranks: [rank]};
}

// Null: nothing in the row says where it happened.
export function doorOf(table: string, values: Values): Door | null {
  const number = (column: string) => {
    const value = values.get(column);
    return typeof value === "number" ? value : null;
  };
  const own = [
    ...numbersOf(values.get("rank")),
    ...(typeof values.get("ranks") === "string" ? numbersOf(values.get("ranks")) : []),
  ];
  // Where the row's largest value is.
  const slowest = ["slowest_rank", "most_rank", "max_rank"].flatMap((column) => numbersOf(values.get(column)));
  const ranks = [...new Set(own.length > 0 ? own : slowest)];
  const of = eventsOf(table, values);
  const step = number("step");
  const sql = sqlOf(table, values);
  if (sql !== null) return {sql, ranks, step};
  const isOfRanks = own.length > 0 || (table === "over_ranks" && slowest.length > 0);
  if (of === null && !isOfRanks && step === null) return null;
  return {...(of === null ? {} : {of}), ranks, step};
}
