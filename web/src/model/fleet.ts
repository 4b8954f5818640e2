// What `rankscope fleet` answers over all runs of the server, and what it is asked.

import {human, plural} from "./format";
import {type CellValue, Table} from "./report";
import {visible} from "./text";

export const divisions = ["team", "model", "user", "product", "framework", "driver", "device", "host", "job"] as const;
export type Division = (typeof divisions)[number];
export const periods = ["day", "week", "month"] as const;
export type Period = (typeof periods)[number];

export interface FleetAsked {
  readonly since: string; // YYYY-MM-DD; "": from the first
  readonly until: string;
  readonly by: Division;
  readonly every: Period;
}

function oneOf<Word extends string>(words: readonly Word[], text: string | null, usual: Word): Word {
  return words.find((one) => one === text) ?? usual;
}

function dayOf(text: string | null): string {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : "";
}

// A part of an address that is wrong leaves the others as they are.
export function readAsked(search: string): FleetAsked {
  const said = new URLSearchParams(search);
  return {
    since: dayOf(said.get("since")),
    until: dayOf(said.get("until")),
    by: oneOf(divisions, said.get("by"), "team"),
    every: oneOf(periods, said.get("every"), "week"),
  };
}

export function addressOf({since, until, by, every}: FleetAsked): string {
  const said = new URLSearchParams({
    ...(since === "" ? {} : {since}),
    ...(until === "" ? {} : {until}),
    ...(by === "team" ? {} : {by}),
    ...(every === "week" ? {} : {every}),
  }).toString();
  return said === "" ? "" : `?${said}`;
}

export type Question = "overview" | "regressions" | "models";

// What a question takes of it.
export function queryOf(question: Question, {since, until, by, every}: FleetAsked): URLSearchParams {
  const query = new URLSearchParams({...(since === "" ? {} : {since}), ...(until === "" ? {} : {until})});
  if (question === "overview") query.set("by", by);
  if (question === "models") query.set("every", every);
  return query;
}

export interface FleetAnswer {
  readonly runs: number; // of the period
  readonly tables: Readonly<
    Record<
      string,
      {
        readonly columns: readonly {readonly name: string; readonly type: string; readonly unit: string}[];
        readonly rows: readonly (readonly CellValue[])[];
      }
    >
  >;
}

// One without rows where the answer has none. docOf says what a column is.
export function tableOf(answer: FleetAnswer, name: string, docOf: (column: string) => string): Table {
  const found = answer.tables[name];
  if (found === undefined) return new Table(name, null, () => "");
  return new Table(
    name,
    {
      rows: found.rows.length,
      columns: found.columns.map((column, i) => ({
        ...column,
        doc: docOf(column.name),
        cells: found.rows.map((row) => row[i] ?? null),
      })),
    },
    () => `rankscope fleet query DATA 'SELECT * FROM ${name}'`,
  );
}

// The title: who takes the hours, and what costs most of them; where nothing says hours, that.
export function fleetSentence(shares: Table, findings: Table, by: Division): string {
  if (shares.empty) return "No run of this time has been analysed";
  const first = shares.rows().find((row) => shares.number(row, "device_hours") !== null);
  const costly = findings.rows().find((row) => findings.number(row, "lost_hours") !== null);
  if (first === undefined) return "No run says how many device hours it stands for, so shares are of runs";
  const name = shares.text(first, "value");
  const who = name === "" ? `Runs without a ${by}` : `${by === "device" ? "" : `${by} `}${visible(name)}`;
  const takes = name === "" ? "take" : "takes";
  const hours = human(shares.get(first, "device_hours"), "h");
  const sentence = `${who} ${takes} ${human(shares.get(first, "share_pct"), "%")} of all device hours, ${hours}`;
  const upper = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  if (costly === undefined) return upper;
  return `${upper}; ${findings.text(costly, "finding")} costs most, ${human(findings.get(costly, "lost_hours"), "h")}`;
}

// A change is told from so many runs on each side.
export const fewestRuns = 5;

// Rows of fleet_regressions that tell of one kernel and one cause, in the order of the first of each.
export function changesOf(changes: Table): number[][] {
  const groups = new Map<string, number[]>();
  for (const row of changes.rows()) {
    const key = ["kind", "kernel_key", "cause"].map((column) => changes.text(row, column)).join("\u0000");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

// "2 kernels got slower, 1 is new": a kernel counts once, in however many strata.
export function changesSentence(changes: Table, runs: number): string {
  if (changes.empty && runs < 2 * fewestRuns) return "too few runs to tell";
  const count = (kind: string) =>
    new Set(changes.where("kind", kind).map((row) => changes.text(row, "kernel_key"))).size;
  const slower = count("regression");
  const faster = count("improvement");
  const fresh = count("new kernel");
  const moved = count("cost shift");
  const parts = [
    slower > 0 ? `${plural(slower, "kernel")} got slower` : "",
    fresh > 0 ? `${plural(fresh, "kernel")} ${fresh === 1 ? "is" : "are"} new` : "",
    moved > 0 ? `of ${plural(moved, "kernel")} cost moved to or from others` : "",
    faster > 0 ? `${plural(faster, "kernel")} got faster` : "",
  ].filter(Boolean);
  return parts.length === 0 ? "nothing beyond chance" : parts.join(", ");
}

// "9f3c..., 12ab...": ids of runs in a cell.
export function runsOf(cell: CellValue): string[] {
  return String(cell ?? "")
    .split(/[ ,]+/)
    .filter((id) => /^[0-9a-f]{16}$/.test(id));
}

const dayMs = 86_400_000;

// Where a period ("2026-07-20"; of a month "2026-07") lies on an axis of days, and what stands there; "" between days.
export function dayNumber(period: string): number {
  return Date.parse(period) / dayMs;
}
export function dayText(day: number): string {
  const whole = Math.round(day);
  return Math.abs(day - whole) < 1e-6 ? new Date(whole * dayMs).toISOString().slice(0, 10) : "";
}
