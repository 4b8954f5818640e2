// What things are called and which colour they have, the same everywhere in the page.

import {perUnit, words} from "./format";
import type {CellValue, TablesData} from "./report";

export interface Part {
  readonly id: string;
  readonly label: string;
  readonly colour: string;
}
interface DevicePart extends Part {
  readonly idle: boolean;
}

export let parts: DevicePart[] = [];
export let partById = new Map<CellValue, DevicePart>();
// Parts of the critical path and of host time have the colours of what they are like.
let pathParts: Part[] = [];
export let hostParts: Part[] = [];
export let pathPartById = new Map<CellValue, Part>();
export let idleParts: DevicePart[] = [];
let metricLabels = new Map<CellValue, string>();

// The words that come with a report.
export function takeWords(words: TablesData): void {
  parts = words.parts.map((part) => ({...part, colour: part.id}));
  partById = new Map(parts.map((part) => [part.id, part]));
  pathParts = words.path_parts.map((part) => ({...part, colour: part.like}));
  hostParts = words.host_parts.map((part) => ({...part, colour: part.like}));
  pathPartById = new Map(pathParts.map((part) => [part.id, part]));
  idleParts = parts.filter((part) => part.idle);
  metricLabels = new Map(words.metrics.map((metric) => [metric.id, metric.label]));
}

export function capitalised(text: string): string {
  return String(text).replace(/^[a-z]/, (c) => c.toUpperCase());
}
// The terminal's "us".
export function inMicros(text: string): string {
  return String(text).replace(/(\d) us\b/g, "$1 \u00b5s");
}
export function metricName(metric: CellValue): string {
  return metricLabels.get(metric) ?? words(metric);
}
// "device_time" in "ns/step" -> "device time per step": the unit stands in the cells, what it is per in the name.
export function metricLabel(metric: CellValue, unit: string): string {
  return metricName(metric) + perUnit(unit);
}
