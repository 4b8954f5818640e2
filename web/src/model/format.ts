// Numbers for people, as src/table/human_number.h writes them; the exact value stands in the tooltip.

import type {CellValue} from "./data";

export function grouped(value: CellValue): string {
  const [whole = "", fraction] = String(value).split(".");
  const digits = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15) return String(Number(value.toPrecision(3)));
  if (size >= 999.5) return grouped(Number(value.toPrecision(3)));
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

const msPerHour = 3.6e6;

export function humanDuration(ns: number): string {
  const size = Math.abs(ns);
  if (size < 999.5) return `${Number.isInteger(ns) ? ns : Number(ns.toPrecision(3))} ns`;
  if (size < 999.5e3) return `${threeDigits(ns / 1e3)} \u00b5s`;
  if (size < 999.5e6) return `${threeDigits(ns / 1e6)} ms`;
  return `${threeDigits(ns / 1e9)} s`;
}

function humanBytes(bytes: number): string {
  if (Math.abs(bytes) < 999.5) return `${Number.isInteger(bytes) ? bytes : Number(bytes.toPrecision(3))} B`;
  const units = ["kB", "MB", "GB", "TB", "PB", "EB"];
  let scaled = bytes / 1e3;
  let unit = 0;
  while (Math.abs(scaled) >= 999.5 && unit + 1 < units.length) {
    scaled /= 1e3;
    ++unit;
  }
  return `${threeDigits(scaled)} ${units[unit]}`;
}

// "194 TFLOP/s".
function humanScaled(value: number, unit: string): string {
  const prefixes = ["", "k", "M", "G", "T", "P", "E"];
  let scaled = value;
  let prefix = 0;
  while (Math.abs(scaled) >= 999.5 && prefix + 1 < prefixes.length) {
    scaled /= 1e3;
    ++prefix;
  }
  return `${Number.isInteger(scaled) ? grouped(scaled) : threeDigits(scaled)} ${prefixes[prefix]}${unit}`;
}

export function humanDecimal(value: number): string {
  if (Number.isInteger(value)) return grouped(value);
  const size = Math.abs(value);
  if (size >= 999.5) return threeDigits(value);
  return String(Number(value.toPrecision(3)));
}

// Ten times and more is easier to grasp as a factor.
function humanPercent(value: number): string {
  if (value >= 999.5) return `x${threeDigits(value / 100)}`;
  return `${Math.abs(value) >= 99.95 ? threeDigits(value) : value.toFixed(1).replace(/^-0\.0$/, "0.0")}%`;
}

// "ns/step" is written like "ns"; the heading says what it is per. "1/step" is a plain number.
export function baseUnit(unit: string): string {
  const base = unit.replace(/\/step$/, "");
  return base === "1" ? "" : base;
}
export function perUnit(unit: string): string {
  return unit.endsWith("/step") ? " per step" : "";
}

export function human(value: CellValue | undefined, unit: string): string {
  if (value === null || value === undefined) return "\u2013";
  if (typeof value === "boolean") return value ? "yes" : "no";
  const number = Number(value);
  if (value === "" || Number.isNaN(number)) return String(value);
  switch (baseUnit(unit)) {
    case "ns":
      return humanDuration(number);
    case "ms":
      return Math.abs(number) < msPerHour ? humanDuration(number * 1e6) : `${humanDecimal(number / msPerHour)} h`;
    case "h":
      return `${humanDecimal(number)} h`;
    case "bytes":
      return humanBytes(number);
    case "bytes/s":
      return `${humanBytes(number)}/s`;
    case "FLOP":
      return humanScaled(number, "FLOP");
    case "FLOP/s":
      return humanScaled(number, "FLOP/s");
    case "FLOP/byte":
      return `${humanDecimal(number)} FLOP/byte`;
    case "name":
      return String(value);
    case "%":
      return humanPercent(number);
    default:
      return humanDecimal(number);
  }
}

// Every digit that means something, with the unit: whole numbers in full, others to nine digits.
export function exact(value: CellValue | undefined, unit: string): string {
  if (unit === "name") return String(value);
  if (value === null || value === undefined) return "unknown";
  const text =
    typeof value !== "number" ? String(value) : grouped(Number.isInteger(value) ? value : Number(value.toPrecision(9)));
  return baseUnit(unit) ? `${text} ${baseUnit(unit)}` : text;
}

// "communication_hidden" -> "communication hidden".
export function words(id: CellValue): string {
  return String(id).replace(/_/g, " ");
}

export function plural(count: number, one: string): string {
  return `${grouped(count)} ${one}${count === 1 ? "" : "s"}`;
}
