"use strict";

// The embedded tables (src/report/html_data.h has their form). Nothing here or elsewhere in the page computes a number that is
// shown: what is shown is a cell, and a cell knows where it comes from. The exceptions are what depends on the reader: shares of a flame
// graph, and means over the ranks of a place in the layout.

const report = JSON.parse(document.getElementById("data").textContent);

// Numbers that name something and count nothing: no digits are grouped.
const names = new Set(["address", "stream", "pool", "rank", "step", "device", "capture", "group", "process", "thread", "min_rank", "max_rank", "fastest_rank", "slowest_rank"]);

class Table {
  constructor(name, raw) {
    this.name = name;
    this.total = raw ? raw.rows : 0;  // rows of the table, some of which may not be in the page
    this.kept = raw ? raw.kept : null;
    this.options = raw && raw.options ? raw.options.split(" ") : [];
    this.columns = new Map((raw ? raw.columns : []).map((column) => [column.name, column]));
    const first = raw && raw.columns[0];
    this.count = first ? (first.index || first.cells).length : 0;
  }
  get empty() { return this.count === 0; }
  // The command that makes this very table.
  get command() {
    if (report.devices) return `rankscope memory SNAPSHOT --table ${this.name}`;
    if (report.compares) return `rankscope diff BASE TEST --table ${this.name}`;
    return ["rankscope table", this.name, "PATH", ...this.options.map((option) => `--set ${option}`)].join(" ");
  }
  has(column) { return this.columns.has(column); }
  // A cell's value; null when it or its column is unknown.
  get(row, column) {
    const found = this.columns.get(column);
    if (!found || row < 0 || row >= this.count) return null;
    const value = found.index ? found.dictionary[found.index[row]] : found.cells[row];
    return value === undefined ? null : value;
  }
  // A number to place marks by; null when unknown. Integers beyond 2^53 come as text.
  number(row, column) {
    const value = this.get(row, column);
    return value === null || value === "" ? null : Number(value);
  }
  // What is shown of a cell: its value, unit and place in the report's tables.
  cell(row, column, unit) {
    const found = this.columns.get(column);
    const at = this.kept ? this.kept[row] : row;
    return {
      value: this.get(row, column), unit: unit || (names.has(column) ? "name" : found ? found.unit : ""), type: found ? found.type : "", id: `${this.name}/${at}/${column}`,
    };
  }
  rows() { return Array.from({length: this.count}, (_, row) => row); }
  where(column, value) { return this.rows().filter((row) => this.get(row, column) === value); }
}

const tables = new Map();
function table(name) {
  if (!tables.has(name)) tables.set(name, new Table(name, Object.hasOwn(report.tables, name) ? report.tables[name] : null));
  return tables.get(name);
}

// Distinct values in the order of their first row.
function distinct(values) { return Array.from(new Set(values)); }
