// One rank of a run: what its tables say of it, and how it compares with its peers. No DOM.

import type {Rows} from "./api";
import {numbersOf} from "./ranks";

export type Value = string | number | boolean | null;
export type Row = Readonly<Record<string, Value>>;

// Rows as objects; nothing when the table is not there.
export function rowsOf(table: Rows | null): readonly Row[] {
  return table === null
    ? []
    : table.rows.map((row) => Object.fromEntries(table.columns.map((column, i) => [column.name, row[i] ?? null])));
}

export function amountOf(row: Row | undefined, name: string): number | null {
  const value = row?.[name];
  return typeof value === "number" ? value : typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : null;
}

const dimensions = ["pp", "dp", "cp", "ep", "tp"] as const;

// "pp 0, dp 2, tp 1": the dimensions along which ranks of the job differ.
export function placeOf(layout: readonly Row[], rank: number): string {
  const own = layout.find((row) => row["rank"] === rank);
  if (own === undefined) return "";
  return dimensions
    .filter((name) => new Set(layout.map((row) => row[name])).size > 1)
    .map((name) => `${name} ${own[name] ?? "unknown"}`)
    .join(", ");
}

// Who does the same work: of the same role, stage and place but for dp; without two of them also for cp, ep and tp; else nobody.
export function peersOf(layout: readonly Row[], rank: number): number[] {
  const own = layout.find((row) => row["rank"] === rank);
  if (own === undefined) return [];
  const free: string[] = [];
  for (const name of ["dp", "cp", "ep", "tp"]) {
    free.push(name);
    const fixed = ["role", ...dimensions].filter((one) => !free.includes(one));
    const peers = layout.filter((row) => row !== own && fixed.every((one) => row[one] === own[one]));
    if (peers.length >= 2) return peers.map((row) => Number(row["rank"]));
  }
  return [];
}

// Findings whose cause sits on the rank.
export function findingsOf(findings: readonly Row[], rank: number): readonly Row[] {
  return findings.filter((row) => numbersOf(row["ranks"]).includes(rank));
}

export interface KernelOfRank {
  readonly name: string;
  readonly kind: string;
  readonly own_ns: number; // per step
  readonly peers_ns: number | null; // the median of those peers that run it; null: none does
}

function perStep(rows: readonly Row[]): Map<string, {kind: string; ns: number}> {
  const steps = new Set<Value>();
  const found = new Map<string, {kind: string; ns: number}>();
  for (const row of rows) {
    if (row["complete"] !== true || row["step"] === null) continue;
    steps.add(row["step"] ?? null);
    const name = String(row["name"]);
    const one = found.get(name) ?? {kind: String(row["class"] ?? ""), ns: 0};
    one.ns += amountOf(row, "total_ns") ?? 0;
    found.set(name, one);
  }
  for (const one of found.values()) one.ns /= Math.max(1, steps.size);
  return found;
}

// A rank's kernels against those of its peers, over complete steps; where they differ most first.
export function comparedKernels(own: readonly Row[], peers: readonly (readonly Row[])[]): KernelOfRank[] {
  const others = peers.map(perStep);
  return [...perStep(own)]
    .map(([name, {kind, ns}]) => {
      const theirs = others
        .map((peer) => peer.get(name)?.ns)
        .filter((one) => one !== undefined)
        .sort((a, b) => a - b);
      const middle = theirs.length / 2;
      const median =
        theirs.length === 0 ? null : ((theirs[Math.floor(middle)] ?? 0) + (theirs[Math.ceil(middle) - 1] ?? 0)) / 2;
      return {name, kind, own_ns: ns, peers_ns: median};
    })
    .sort((a, b) => Math.abs(b.own_ns - (b.peers_ns ?? 0)) - Math.abs(a.own_ns - (a.peers_ns ?? 0)));
}
