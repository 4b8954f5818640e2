// What is known of one event, as people read it. No DOM.

import type {Rows} from "./api";

export interface FrameOfStack {
  readonly name: string;
  readonly cat: string;
  readonly event: number;
}

export interface Fact {
  readonly name: string;
  readonly value: string | number;
  readonly unit: string;
}
export interface Input {
  readonly type: string;
  readonly shape: string;
  readonly value: string;
}
export interface EventDetail {
  readonly isKnown: boolean;
  readonly launch: number | null;
  // Where work of a device comes from; "" where it is not known.
  readonly op: string;
  readonly module: string;
  readonly line: string;
  readonly facts: readonly Fact[];
  readonly inputs: readonly Input[];
  readonly args: readonly Fact[]; // what is left of the arguments
  readonly json: string; // as they were recorded
}

const unknown: EventDetail = {
  isKnown: false,
  launch: null,
  op: "",
  module: "",
  line: "",
  facts: [],
  inputs: [],
  args: [],
  json: "",
};

// Columns that are shown elsewhere, or say where the row is and not what it is.
const elsewhere = new Set(["name", "args", "op", "module", "line", "launch_event", "rank", "capture", "parent"]);
const inputKeys = new Set(["Input Dims", "Input type", "Concrete Inputs", "Input Strides", "Input Dims (raw)"]);

// Lists in arguments come as lists, or as texts that hold lists.
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "string" || !value.startsWith("[")) return [];
  try {
    const found: unknown = JSON.parse(value);
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}
function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

// "[2, 2048]" -> "2 x 2048"; of a list of tensors each; of a scalar nothing.
export function shapeText(value: unknown): string {
  const list = listOf(value);
  if (list.length === 0) return "";
  return list.every((one) => typeof one === "number")
    ? list.join(" \u00d7 ")
    : list.map(shapeText).filter(Boolean).join(", ");
}

function inputsOf(args: Readonly<Record<string, unknown>>): Input[] {
  const [shapes, types, values] = ["Input Dims", "Input type", "Concrete Inputs"].map((key) => listOf(args[key]));
  const count = Math.max(shapes?.length ?? 0, types?.length ?? 0, values?.length ?? 0);
  return Array.from({length: count}, (_, i) => ({
    type: textOf(types?.[i] ?? ""),
    shape: shapeText(shapes?.[i]),
    value: textOf(values?.[i] ?? ""),
  })).filter((one) => one.type !== "" || one.shape !== "" || one.value !== "");
}

function objectOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(json);
    return typeof found === "object" && found !== null && !Array.isArray(found)
      ? (found as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

// Of the row of views/timeline/detail_queries.ts.
export function eventDetailOf(rows: Rows): EventDetail {
  const [row] = rows.rows;
  if (row === undefined) return unknown;
  const at = new Map(rows.columns.map((column, i) => [column.name, i]));
  const value = (name: string) => row[at.get(name) ?? -1] ?? null;
  const text = (name: string) => String(value(name) ?? "");
  const json = text("args");
  const args = objectOf(json);
  const launch = value("launch_event");
  const facts = rows.columns.flatMap(({name}): Fact[] => {
    const one = value(name);
    if (one === null || elsewhere.has(name)) return [];
    const unit = name.endsWith("_ns") ? "ns" : name === "bytes" ? "bytes" : "";
    return [{name, value: typeof one === "number" ? one : String(one), unit}];
  });
  // "External id" is the column external_id.
  const said = new Map(facts.map((one) => [one.name, String(one.value)]));
  const isSaid = (name: string, one: unknown) => said.get(name.toLowerCase().replaceAll(" ", "_")) === textOf(one);
  return {
    isKnown: true,
    launch: typeof launch === "number" ? launch : null,
    op: text("op"),
    module: text("module"),
    line: text("line"),
    facts,
    inputs: inputsOf(args),
    args: Object.entries(args).flatMap(([name, one]) =>
      inputKeys.has(name) || isSaid(name, one)
        ? []
        : [{name, value: typeof one === "number" ? one : textOf(one), unit: ""}],
    ),
    json,
  };
}

// The number that autograd gave the forward op of which one of these (the outermost first) is the backward; null: of none.
export function sequenceOf(argsOfStack: readonly string[]): number | null {
  for (const json of [...argsOfStack].reverse()) {
    const args = objectOf(json);
    const [sequence, thread] = [Number(args["Sequence number"] ?? -1), Number(args["Fwd thread id"] ?? 0)];
    if (sequence >= 0 && thread > 0) return sequence;
  }
  return null;
}

// The number that autograd gave this op of the forward pass; null: it is none.
export function ownSequence(json: string): number | null {
  const args = objectOf(json);
  const [sequence, thread] = [Number(args["Sequence number"] ?? -1), Number(args["Fwd thread id"] ?? 0)];
  return sequence >= 0 && thread === 0 ? sequence : null;
}

// Columns in words: their values say the unit. "launch_delay_ns" -> "launch delay"; arguments keep the profiler's names.
export function factName(name: string): string {
  if (name === "ts_ns") return "begins at";
  return /^[a-z0-9_]+$/.test(name) ? name.replace(/_ns$/, "").replaceAll("_", " ") : name;
}
