// What things are called and which colour they have, the same everywhere in the page.

import {perUnit, words} from "./format";
import type {CellValue, TablesData} from "./data";

export interface Part {
  readonly id: string;
  readonly label: string;
  readonly colour: string;
}
export interface DevicePart extends Part {
  readonly idle: boolean;
}

export class Vocabulary {
  readonly parts: readonly DevicePart[];
  readonly idleParts: readonly DevicePart[];
  readonly partById: ReadonlyMap<CellValue, DevicePart>;
  // Parts of the critical path and of host time have the colours of what they are like.
  readonly pathPartById: ReadonlyMap<CellValue, Part>;
  readonly hostParts: readonly Part[];
  private readonly metricLabels: ReadonlyMap<CellValue, string>;

  constructor(data: TablesData) {
    this.parts = data.parts.map((part) => ({...part, colour: part.id}));
    this.idleParts = this.parts.filter((part) => part.idle);
    this.partById = new Map(this.parts.map((part) => [part.id, part]));
    this.pathPartById = new Map(data.path_parts.map((part) => [part.id, {...part, colour: part.like}]));
    this.hostParts = data.host_parts.map((part) => ({...part, colour: part.like}));
    this.metricLabels = new Map(data.metrics.map((metric) => [metric.id, metric.label]));
  }
  metricName(metric: CellValue): string {
    return this.metricLabels.get(metric) ?? words(metric);
  }
  // "device_time" in "ns/step" -> "device time per step": the unit stands in the cells, what it is per in the name.
  metricLabel(metric: CellValue, unit: string): string {
    return this.metricName(metric) + perUnit(unit);
  }
}

export function capitalised(text: string): string {
  return String(text).replace(/^[a-z]/, (c) => c.toUpperCase());
}
// The title of a finding as a sentence begins; names of ops and the like stay as they are (AsSentence of the text report).
export function capitalisedTitle(title: string): string {
  return /^[a-z][a-z-]*(?=[ ,]|$)/.test(title) ? capitalised(title) : title;
}
// Begins as a sentence does; names (of runs, findings) stay as they are.
export function sentenceOf(text: string, names: readonly string[]): string {
  return names.some((name) => name !== "" && text.startsWith(name)) ? text : capitalised(text);
}
// Where a bracket that opens at `from` closes; what was cut ends the text.
function closingOf(text: string, from: number, [open, close]: readonly [string, string]): number {
  let depth = 0;
  for (let i = from; i < text.length; ++i) {
    if (text[i] === open) ++depth;
    else if (text[i] === close && --depth === 0) return i + 1;
  }
  return text.length;
}

// In a sentence a kernel is its name: "void f<float, 5ul>(at::Tensor, int)" -> "f".
export function withoutSignatures(text: string): string {
  const signature = /\bvoid ((?:[\w:]|\(anonymous namespace\))+)(?=[<(])/g;
  let found = "";
  let end = 0;
  for (let match = signature.exec(text); match !== null; match = signature.exec(text)) {
    found += text.slice(end, match.index) + (match[1] ?? "");
    end = signature.lastIndex;
    if (text[end] === "<") end = closingOf(text, end, ["<", ">"]);
    if (text[end] === "(") end = closingOf(text, end, ["(", ")"]);
    signature.lastIndex = end;
  }
  return found + text.slice(end);
}

// The terminal's "us".
export function inMicros(text: string): string {
  return String(text).replace(/(\d) us\b/g, "$1 \u00b5s");
}
