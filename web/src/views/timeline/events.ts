// The events that a row of a table is made of: what they come to on each rank, and those of one rank to walk through.

import {signal} from "@preact/signals";
import {
  getEvents,
  getOccurrences,
  type NameMatch,
  type Rows,
  runQuery,
  searchTimeline,
  type TimelineHit,
} from "../../model/api";
import type {Events} from "../../model/doors";
import {outliersByGroup} from "../../model/outliers";
import {rangesOf} from "../../model/ranks";
import type {TimelineStore} from "../../model/timeline_store";

export interface EventsOfRank {
  readonly rank: number;
  readonly count: number;
  readonly total_ns: number;
  readonly mean_ns: number;
  readonly longest: TimelineHit;
  readonly isOutlier: boolean;
}
export interface FoundEvents {
  readonly of: Events;
  readonly ranks: readonly EventsOfRank[]; // the largest mean first
  readonly isComplete: boolean;
  // Of one rank, by begin.
  readonly rank: number | null;
  readonly hits: readonly TimelineHit[];
  readonly isAll: boolean;
}

const matches: Readonly<Partial<Record<Events["kind"], NameMatch>>> = {name: "whole", text: "part", pattern: "pattern"};
const mostOfQuery = 300; // events whose indices go into an address

export class TimelineEvents {
  readonly of = signal<Events | null>(null);
  readonly found = signal<FoundEvents | null>(null);
  readonly at = signal(0); // the one that is shown, of found.hits
  private asking = new AbortController();
  private readonly busy = signal(0);

  constructor(
    private readonly store: TimelineStore,
    private readonly fileOf: (rank: number) => Promise<{readonly capture: number; readonly file: string | undefined}>,
    private readonly peersOf: (rank: number) => string, // the same of ranks that do the same work
  ) {}

  get isBusy(): boolean {
    return this.busy.value > 0;
  }

  clear(): void {
    this.asking.abort();
    this.of.value = null;
    this.found.value = null;
  }

  // Those of `rank`, or of the rank on which they take longest; null: there is none, or something else was asked for meanwhile.
  async show(of: Events, rank: number | null): Promise<TimelineHit | null> {
    this.asking.abort();
    const asking = (this.asking = new AbortController());
    this.of.value = of;
    this.found.value = null;
    ++this.busy.value;
    try {
      const match = matches[of.kind];
      const found =
        match === undefined
          ? await this.asked(of, rank, asking.signal)
          : await this.named(of, match, rank, asking.signal);
      if (asking.signal.aborted) return null;
      this.found.value = found;
      return this.longest(found);
    } catch (error) {
      if (!asking.signal.aborted) this.store.problem.value = error instanceof Error ? error.message : String(error);
      return null;
    } finally {
      --this.busy.value;
    }
  }

  private longest(found: FoundEvents): TimelineHit | null {
    let best = -1;
    found.hits.forEach((hit, i) => {
      if (best < 0 || hit.duration_ns > (found.hits[best]?.duration_ns ?? 0)) best = i;
    });
    this.at.value = Math.max(0, best);
    return found.hits[best] ?? null;
  }

  // The one after, or before, that is shown.
  step(by: number): TimelineHit | null {
    const hits = this.found.value?.hits ?? [];
    if (hits.length === 0) return null;
    this.at.value = (this.at.value + by + hits.length) % hits.length;
    return hits[this.at.value] ?? null;
  }

  private async named(of: Events, match: NameMatch, rank: number | null, aborted: AbortSignal): Promise<FoundEvents> {
    const all = await getOccurrences(this.store.run, of.value, match, aborted);
    const means = all.ranks.map((one) => Number(one.total_ns) / one.count);
    const outliers = outliersByGroup(
      means,
      all.ranks.map(({rank}) => this.peersOf(rank)),
    );
    const ranks = all.ranks
      .map(
        (one, i): EventsOfRank => ({
          rank: one.rank,
          count: one.count,
          total_ns: Number(one.total_ns),
          mean_ns: means[i] ?? 0,
          longest: one.longest,
          isOutlier: outliers.has(i),
        }),
      )
      .sort((a, b) => b.mean_ns - a.mean_ns || a.rank - b.rank);
    const shown = ranks.find((one) => one.rank === rank) ?? ranks[0];
    if (shown === undefined) return {of, ranks, isComplete: all.complete, rank: null, hits: [], isAll: true};
    const found = await searchTimeline(this.store.run, of.value, match, rangesOf([shown.rank]), aborted);
    const hits = [...found.hits].sort((a, b) => a.start_ns - b.start_ns);
    return {of, ranks, isComplete: all.complete, rank: shown.rank, hits, isAll: found.complete};
  }

  // Of one rank, whose file SQL reads.
  private async asked(of: Events, rank: number | null, aborted: AbortSignal): Promise<FoundEvents> {
    const [named, its, event] = of.kind === "event" ? of.value.split("/").map(Number) : [];
    const one = named ?? rank ?? this.store.ranks[0] ?? 0;
    if (event !== undefined) {
      const hits = await getEvents(this.store.run, one, its ?? 0, String(event), aborted);
      return {of, ranks: [], isComplete: true, rank: one, hits, isAll: true};
    }
    const {capture, file} = await this.fileOf(one);
    const rows = await runQuery(this.store.run, queryOf(of, file === undefined ? one : null), aborted, file);
    const known = sumsOf(rows);
    const indices = rangesOf(rows.rows.map((row) => Number(row[0])));
    const hits = indices === "" ? [] : await getEvents(this.store.run, one, capture, indices, aborted);
    const ordered = [...hits].sort((a, b) => a.start_ns - b.start_ns);
    const [longest] = [...hits].sort((a, b) => b.duration_ns - a.duration_ns);
    const ranks: EventsOfRank[] =
      longest === undefined
        ? []
        : [
            {
              rank: one,
              count: known.count,
              total_ns: known.total_ns,
              mean_ns: known.total_ns / known.count,
              longest,
              isOutlier: false,
            },
          ];
    return {of, ranks, isComplete: true, rank: one, hits: ordered, isAll: known.count <= hits.length};
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
// The work that an op, a module with those inside, or a line launched: the longest, and what all of it comes to.
function queryOf({kind, value}: Events, rank: number | null): string {
  const text = quoted(value);
  const where =
    kind === "module"
      ? `(module = ${text} or starts_with(module, ${quoted(`${value}/`)}))`
      : `${kind === "line" ? "line" : "op"} = ${text}`;
  const own = rank === null ? "" : `rank = ${rank} and `;
  return `select event, count(*) over () as events, sum(dur_ns) over () as total_ns from kernels where ${own}${where} order by dur_ns desc, ts_ns limit ${mostOfQuery}`;
}
function sumsOf(rows: Rows): {count: number; total_ns: number} {
  const [first] = rows.rows;
  return {count: Number(first?.[1] ?? 0), total_ns: Number(first?.[2] ?? 0)};
}
