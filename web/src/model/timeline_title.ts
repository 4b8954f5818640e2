// What the timeline's title says: the answer of the findings, and where they have none, of blame. Never a guess by who waits least: in a
// pipeline that is a neighbour of the culprit, or nobody. No DOM.

import {human, humanDuration, plural} from "./format";
import {binParts, restByte, wholeByte} from "./timeline";
import type {TimelineFinding} from "./timeline_findings";
import {capitalisedTitle} from "./vocabulary";

export interface Blamed {
  readonly rank: number;
  readonly cause: string;
  readonly stepPct: number;
}
// What the tables of a run say of why it is slow.
export interface Verdicts {
  readonly findings: readonly TimelineFinding[] | null; // null: no rule ran
  readonly blame: readonly Blamed[]; // the worst first
  readonly cannotTell: string; // why, or ""
}
export interface Title {
  readonly text: string;
  readonly ranks: readonly number[]; // whom it is about; none: all, or nobody
}

// Below this share of a step nobody is named.
const leastStepPct = 1;

function ofFinding({title, who, ranks}: TimelineFinding): Title {
  const isNamed = who === "" || who === "all ranks" || title.toLowerCase().includes(who.toLowerCase());
  return {text: isNamed ? capitalisedTitle(title) : `${who.charAt(0).toUpperCase()}${who.slice(1)}: ${title}`, ranks};
}

export function titleOf({findings, blame, cannotTell}: Verdicts, chosen: TimelineFinding | null): Title {
  if (chosen !== null) return ofFinding(chosen);
  const first = findings?.[0];
  if (first !== undefined) return ofFinding(first);
  if (cannotTell !== "") return {text: `Cannot tell what is slow: ${cannotTell}`, ranks: []};
  const [most] = blame;
  if (most !== undefined && most.stepPct >= leastStepPct)
    return {
      text: `The others wait for rank ${most.rank} for ${human(most.stepPct, "%")} of a step (${most.cause})`,
      ranks: [most.rank],
    };
  return findings === null
    ? {text: "Cannot tell what is slow: no cause was looked for", ranks: []}
    : {text: "Nothing stands out: no cause costs 1% of a step", ranks: []};
}

const partWords: Readonly<Record<(typeof binParts)[number], string>> = {
  compute: "compute",
  transfer: "transfer",
  wait: "wait for other ranks",
  communication_unknown: "communicate (waiting or transfer unknown)",
  copy: "copy",
  idle_host: "idle for their hosts",
};
const leastSaidPct = 1;

const nearlyAll = 0.99;

// "Devices compute 37%, wait for other ranks 59% of the recorded time (187 of 247 ms, 16 ranks)"; `shares` as sharesOf gives them, of a
// window of `length_ns`. What was recorded is the mean of the ranks.
export function whereTimeGoes(shares: readonly (readonly number[])[], length_ns: number): string {
  const length = humanDuration(Math.round(length_ns));
  const recorded = shares.reduce((sum, one) => sum + (one[restByte] ?? 0), 0);
  if (recorded <= 0) return `No work of devices was recorded in these ${length}`;
  const part = recorded / (wholeByte * shares.length);
  const time = part < nearlyAll ? `${humanDuration(Math.round(part * length_ns))} of ${length}` : length;
  const said = binParts
    .map((part, i) => ({part, pct: (100 * shares.reduce((sum, one) => sum + (one[i] ?? 0), 0)) / recorded}))
    .filter(({pct}) => pct >= leastSaidPct)
    .map(({part, pct}) => `${partWords[part]} ${human(pct, "%")}`);
  const of = `of the recorded time (${time}, ${plural(shares.length, "rank")})`;
  return said.length === 0 ? `Devices are idle ${of}` : `Devices ${said.join(", ")} ${of}`;
}
