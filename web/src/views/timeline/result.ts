// A result of SQL over the rows of the timeline: the text, what it gave, and which of its rows is chosen.

import {signal} from "@preact/signals";
import {getTable, runQuery} from "../../model/api";
import {type ResultSpan, type ResultTrack, trackOf} from "../../model/result_track";
import type {Result} from "../../model/sql";
import type {TimelineStore} from "../../model/timeline_store";

export class TimelineResult {
  readonly sql; // "": none
  readonly result = signal<Result | null>(null);
  readonly track = signal<ResultTrack | null>(null);
  readonly chosen = signal<ResultSpan | null>(null);
  readonly problem = signal("");
  private readonly busy = signal(0);
  private asking = new AbortController();
  private asked = "";
  private offsets: Promise<ReadonlyMap<number, number>> | null = null;

  constructor(
    private readonly store: TimelineStore,
    sql: string,
  ) {
    this.sql = signal(sql);
  }

  get isBusy(): boolean {
    return this.busy.peek() > 0;
  }

  // Asks when the text is another one. Call in an effect.
  follow(): void {
    const sql = this.sql.value;
    if (sql === this.asked) return;
    this.asked = sql;
    this.asking.abort();
    this.result.value = null;
    this.track.value = null;
    this.chosen.value = null;
    this.problem.value = "";
    if (sql !== "") void this.ask(sql, (this.asking = new AbortController()).signal);
  }

  private async ask(sql: string, signal: AbortSignal): Promise<void> {
    this.busy.value = this.busy.peek() + 1;
    try {
      const [result, offsets] = await Promise.all([runQuery(this.store.run, sql, signal), this.offsetsOfRanks()]);
      if (signal.aborted) return;
      const track = trackOf(result, (rank) => offsets.get(rank) ?? 0);
      this.result.value = result;
      this.track.value = track;
      if (track === null)
        this.problem.value =
          "No column says when: a row needs ts_ns, start_ns or begin_ns, and dur_ns, duration_ns or end_ns if it lasts.";
      else if (track.spans.length === 0) this.problem.value = "No row has a time.";
    } catch (error) {
      if (!signal.aborted) this.problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      --this.busy.value;
    }
  }

  // Of each rank's clock ahead of the job's; a job whose clocks are not known has none.
  private offsetsOfRanks(): Promise<ReadonlyMap<number, number>> {
    this.offsets ??= getTable(this.store.run, "clocks")
      .then((table) => {
        const at = (name: string) => table.columns.findIndex((column) => column.name === name);
        return new Map(table.rows.map((row) => [Number(row[at("rank")]), Number(row[at("offset_ns")] ?? 0)]));
      })
      .catch(() => new Map<number, number>());
    return this.offsets;
  }
}
