// What the two sides of a comparison are called: by the names of the runs or folders, which say more than BASE and TEST do. No DOM.

import type {DiffData} from "./data";

export interface Sides {
  readonly base: string;
  readonly test: string;
}

// The time is told to the second: runs of one name are often made within a minute.
export function timeOf(created: string): string {
  const at = new Date(created);
  return Number.isNaN(at.getTime()) ? created : at.toISOString().slice(0, 19).replace("T", " ");
}

interface NamedRun {
  readonly id: string;
  readonly name?: string | null;
  readonly created: string;
}
// Names by which runs can be told apart: those that others have too come with when they were made, else with their id.
export function namesApart(runs: readonly NamedRun[]): string[] {
  const nameOf = (run: NamedRun) => run.name ?? run.id;
  const timed = (run: NamedRun) => `${nameOf(run)} (${timeOf(run.created)})`;
  return runs.map((run) => {
    const alike = runs.filter((one) => one.id !== run.id && nameOf(one) === nameOf(run));
    if (alike.length === 0) return nameOf(run);
    return alike.some((one) => timed(one) === timed(run)) ? `${nameOf(run)} (${run.id.slice(0, 8)})` : timed(run);
  });
}

// The last folder of each path; where that does not tell them apart, BASE and TEST.
export function sidesOfPaths(base: string, test: string): Sides {
  const last = (path: string) => path.split("/").filter(Boolean).at(-1) ?? "";
  const [from, to] = [last(base), last(test)];
  return from === to || from === "" || to === "" ? {base: "BASE", test: "TEST"} : {base: from, test: to};
}

// The program's sentences, which say BASE and TEST, in those names.
export function inNamesOf(data: DiffData, {base, test}: Sides): DiffData {
  const inNames = (text: string) => text.replace(/\b(BASE|TEST)\b/g, (word) => (word === "BASE" ? base : test));
  return {
    ...data,
    headline: inNames(data.headline),
    reasons: data.reasons.map(inNames),
    notes: data.notes.map(inNames),
  };
}

// What became longer, the most first, then what became shorter, the most first; `most` of the largest changes come before all others.
export function regressionsFirst(rows: readonly number[], changeOf: (row: number) => number, most: number): number[] {
  const size = (row: number) => Math.abs(changeOf(row));
  const bySize = [...rows].sort((a, b) => size(b) - size(a));
  const ordered = (some: readonly number[]) => [
    ...some.filter((row) => changeOf(row) > 0),
    ...some.filter((row) => changeOf(row) <= 0),
  ];
  return [...ordered(bySize.slice(0, most)), ...ordered(bySize.slice(most))];
}
