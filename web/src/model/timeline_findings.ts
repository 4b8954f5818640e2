// Findings where they are in time: whose ranks, which steps, which events. No DOM.

import type {Rows} from "./api";
import {capitalised} from "./vocabulary";
import {numbersOf} from "./ranks";
import type {Window} from "./timeline";

export interface EventOfFinding {
  readonly rank: number;
  readonly capture: number;
  readonly event: number;
}
export interface TimelineFinding {
  readonly key: string; // "slow-gpu", "slow-gpu:2" for the second of them
  readonly row: number; // of the table, by which its card is called
  readonly title: string;
  readonly severity: string;
  readonly who: string;
  readonly ranks: readonly number[];
  readonly steps: readonly number[]; // none: all
  readonly events: readonly EventOfFinding[];
}

const mostEvents = 64;

function eventsIn(text: string): EventOfFinding[] {
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(entries)) return [];
  return entries
    .flatMap((one: unknown) => {
      if (typeof one !== "object" || one === null) return [];
      const {rank, capture, event} = one as {rank?: unknown; capture?: unknown; event?: unknown};
      return typeof rank === "number" && typeof event === "number"
        ? [{rank, capture: typeof capture === "number" ? capture : 0, event}]
        : [];
    })
    .slice(0, mostEvents);
}

// In the order of the table, which is that of the cards.
export function findingsIn(table: Rows): TimelineFinding[] {
  const at = new Map(table.columns.map((column, i) => [column.name, i]));
  const seen = new Map<string, number>();
  return table.rows.map((cells, row) => {
    const text = (name: string) => String(cells[at.get(name) ?? -1] ?? "");
    const id = text("id");
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return {
      key: count === 1 ? id : `${id}:${count}`,
      row,
      title: capitalised(text("title")),
      severity: text("severity"),
      who: text("who"),
      ranks: numbersOf(text("ranks")),
      steps: numbersOf(text("steps")),
      events: eventsIn(text("evidence")),
    };
  });
}

export interface StepWindow {
  readonly step: number;
  readonly start: number;
  readonly end: number;
}

// The stretches in which it is: its steps, those that follow each other as one; none: it is everywhere.
export function stretchesOf(finding: TimelineFinding, steps: readonly StepWindow[]): Window[] {
  const wanted = new Set(finding.steps);
  const found: {from: number; to: number; last: number}[] = [];
  if (wanted.size === 0) return [];
  steps.forEach((one, i) => {
    if (!wanted.has(one.step)) return;
    const last = found.at(-1);
    if (last !== undefined && last.last === i - 1) {
      last.to = Math.max(last.to, one.end);
      last.last = i;
    } else {
      found.push({from: one.start, to: one.end, last: i});
    }
  });
  return found.map(({from, to}) => ({from, to}));
}
