// What an address of the timeline says: the window, the ranks and those that are open, their order and groups, what is chosen. Parts are
// read one by one: a bad one does not void the rest.

import type {NameMatch} from "../../model/api";
import {type Events, mostSql, readEvents, writeEvents} from "../../model/doors";
import {numbersOf, rangesOf} from "../../model/ranks";
import {mostArranged, rankOfKey} from "./arrangement";
import {type Colouring, colourings} from "./colours";
import type {Window} from "../../model/timeline";

// By number; by what the time of the window goes to; by a dimension of the layout, whose neighbours then stand together.
export const measures = ["waiting", "computing", "idle"] as const;
export const dimensions = ["host", "pp", "dp", "cp", "ep", "tp"] as const;
export const orders = ["rank", ...measures, ...dimensions] as const;
export type Order = (typeof orders)[number];
export type Dimension = (typeof dimensions)[number];

export interface Place {
  readonly window: Window | null;
  readonly ranks: readonly number[]; // shown; none: all
  readonly open: readonly number[];
  readonly order: Order;
  readonly found: string;
  // By time and length, which stay what they are when files are added.
  readonly chosen: {readonly rank: number; readonly start: number; readonly duration: number} | null;
  readonly path: boolean; // the critical path is drawn
  readonly collectives: boolean;
  readonly group: Dimension | null; // whose places rows stand together by
  readonly folded: readonly string[]; // groups
  readonly finding: string; // "slow-gpu", "slow-gpu:2" for the second of them
  readonly metric: string; // drawn over the rows
  // A stretch of time of some ranks that is added up.
  readonly area: {readonly from: number; readonly to: number; readonly ranks: readonly number[]} | null;
  readonly of: Events | null; // that are listed, lit and walked through
  readonly step: number | null; // to be framed where no window is said
  readonly match: NameMatch; // how `found` is meant
  readonly pinned: readonly string[]; // rows (arrangement.ts)
  readonly hidden: readonly string[];
  readonly placed: readonly string[];
  readonly empty: readonly number[]; // ranks whose empty tracks are shown
  readonly colour: Colouring;
  readonly marks: readonly number[]; // times that people marked, ascending
  readonly sql: string; // whose result is drawn over the rows
  readonly beside: string; // another run
}

const mostFolded = 500;
export const mostMarks = 40;
const mostText = 200;

export function readPlace(search: string): Place {
  const asked = new URLSearchParams(search);
  const number = (text: string | undefined) => (text !== undefined && /^-?\d{1,16}$/.test(text) ? Number(text) : null);
  const [from, to] = [number(asked.get("from") ?? undefined), number(asked.get("to") ?? undefined)];
  const order = orders.find((one) => one === asked.get("order")) ?? "rank";
  const [rank, start, duration] = (asked.get("event") ?? "").split(":").map(number);
  return {
    window: from !== null && to !== null && from < to ? {from, to} : null,
    ranks: numbersOf(asked.get("ranks") ?? ""),
    open: numbersOf(asked.get("open") ?? "").slice(0, 16),
    order,
    found: (asked.get("find") ?? "").slice(0, 200),
    chosen: rank != null && start != null && duration != null ? {rank, start, duration} : null,
    path: asked.get("path") === "1",
    collectives: asked.get("collectives") === "1",
    group: dimensions.find((one) => one === asked.get("group")) ?? null,
    folded: [...new Set(asked.getAll("fold"))].slice(0, mostFolded),
    finding: /^[a-z][a-z0-9-]{0,60}(:\d{1,4})?$/.test(asked.get("finding") ?? "") ? (asked.get("finding") ?? "") : "",
    metric: (asked.get("metric") ?? "").slice(0, mostText),
    area: readArea(asked.get("area") ?? "", number),
    of: readEvents(asked.get("of") ?? ""),
    step: number(asked.get("step") ?? undefined),
    match: asked.get("match") === "pattern" ? "pattern" : "part",
    pinned: keysOf(asked.getAll("pin")),
    hidden: keysOf(asked.getAll("hide")),
    placed: keysOf(asked.getAll("row")),
    empty: numbersOf(asked.get("empty") ?? "").slice(0, 16),
    colour: colourings.find((one) => one === asked.get("colour")) ?? "class",
    marks: marksOf((asked.get("marks") ?? "").split(",").map(number)),
    sql: (asked.get("sql") ?? "").slice(0, mostSql),
    beside: /^[0-9a-f]{16}$/.test(asked.get("with") ?? "") ? (asked.get("with") ?? "") : "",
  };
}

function keysOf(keys: readonly string[]): readonly string[] {
  return [...new Set(keys.filter((key) => rankOfKey(key) !== null))].slice(0, mostArranged);
}

// Each once, ascending.
export function marksOf(times: readonly (number | null)[]): readonly number[] {
  const known = times.filter((one) => one !== null).map(Math.round);
  return [...new Set(known)].sort((a, b) => a - b).slice(0, mostMarks);
}

// "FROM:TO:RANKS".
function readArea(text: string, number: (text: string | undefined) => number | null): Place["area"] {
  const [first, last, ranks] = text.split(":");
  const [from, to] = [number(first), number(last)];
  const of = numbersOf(ranks ?? "");
  return from !== null && to !== null && from < to && of.length > 0 ? {from, to, ranks: of} : null;
}

export function writePlace(place: Place): string {
  const said = new URLSearchParams();
  if (place.window !== null) {
    said.set("from", String(Math.round(place.window.from)));
    said.set("to", String(Math.round(place.window.to)));
  }
  if (place.ranks.length > 0) said.set("ranks", rangesOf(place.ranks));
  if (place.open.length > 0) said.set("open", rangesOf(place.open));
  if (place.order !== "rank") said.set("order", place.order);
  if (place.found !== "") said.set("find", place.found);
  if (place.chosen !== null) said.set("event", `${place.chosen.rank}:${place.chosen.start}:${place.chosen.duration}`);
  if (place.path) said.set("path", "1");
  if (place.collectives) said.set("collectives", "1");
  if (place.group !== null) said.set("group", place.group);
  if (place.group !== null) for (const name of place.folded) said.append("fold", name);
  if (place.finding !== "") said.set("finding", place.finding);
  if (place.metric !== "") said.set("metric", place.metric);
  if (place.area !== null)
    said.set("area", `${Math.round(place.area.from)}:${Math.round(place.area.to)}:${rangesOf(place.area.ranks)}`);
  if (place.of !== null) said.set("of", writeEvents(place.of));
  if (place.step !== null) said.set("step", String(place.step));
  for (const key of place.pinned) said.append("pin", key);
  for (const key of place.hidden) said.append("hide", key);
  for (const key of place.placed) said.append("row", key);
  if (place.empty.length > 0) said.set("empty", rangesOf(place.empty));
  if (place.colour !== "class") said.set("colour", place.colour);
  if (place.marks.length > 0) said.set("marks", place.marks.join(","));
  if (place.sql !== "") said.set("sql", place.sql);
  if (place.beside !== "") said.set("with", place.beside);
  if (place.match !== "part") said.set("match", place.match);
  const text = said.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
  return text === "" ? "" : `?${text}`;
}
