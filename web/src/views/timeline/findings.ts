// Findings in the timeline: which there are, the one that is chosen, and when its events were.

import {computed, type ReadonlySignal, signal} from "@preact/signals";
import {getTable, runQuery} from "../../model/api";
import type {Window} from "../../model/timeline";
import {
  type EventOfFinding,
  findingsIn,
  type StepWindow,
  stretchesOf,
  type TimelineFinding,
} from "../../model/timeline_findings";
import type {TimelineStore} from "../../model/timeline_store";

export interface PlacedEvent extends EventOfFinding {
  readonly name: string;
  readonly start: number;
  readonly duration: number;
}
export interface PlacedFinding {
  readonly finding: TimelineFinding;
  readonly stretches: readonly Window[]; // none: everywhere
}

// Files are asked one by one.
const mostFiles = 16;

export class TimelineFindings {
  readonly all = signal<readonly TimelineFinding[]>([]);
  readonly key;
  readonly events = signal<readonly PlacedEvent[]>([]); // of the one that is chosen
  readonly busy = signal(0);
  private asking = new AbortController();
  private askedFor = "";

  constructor(
    private readonly store: TimelineStore,
    key: string,
    private readonly steps: ReadonlySignal<readonly StepWindow[]>,
    private readonly files: ReadonlySignal<ReadonlyMap<string, string>>,
  ) {
    this.key = signal(key);
  }

  readonly placed = computed((): readonly PlacedFinding[] =>
    this.all.value.map((finding) => ({finding, stretches: stretchesOf(finding, this.steps.value)})),
  );
  readonly chosen = computed(() => this.placed.value.find(({finding}) => finding.key === this.key.value) ?? null);

  get isBusy(): boolean {
    return this.busy.value > 0;
  }

  async load(): Promise<void> {
    ++this.busy.value;
    try {
      this.all.value = findingsIn(await getTable(this.store.run, "findings"));
    } catch {
      /* a report without findings has a timeline all the same */
    } finally {
      --this.busy.value;
    }
  }

  // The events of the chosen one, by the clock of the timeline. Call in an effect.
  follow(): void {
    const finding = this.chosen.value?.finding;
    const files = this.files.value;
    const wanted = finding === undefined || finding.events.length === 0 || files.size === 0 ? "" : finding.key;
    if (wanted === this.askedFor) return;
    this.askedFor = wanted;
    this.asking.abort();
    this.events.value = [];
    if (wanted === "" || finding === undefined) return;
    const asking = (this.asking = new AbortController());
    void this.ask(finding, files, asking.signal);
  }

  private async ask(finding: TimelineFinding, files: ReadonlyMap<string, string>, aborted: AbortSignal): Promise<void> {
    const byFile = new Map<string, EventOfFinding[]>();
    for (const one of finding.events) {
      const name = `${one.rank}/${one.capture}`;
      if (files.has(name)) byFile.set(name, [...(byFile.get(name) ?? []), one]);
    }
    ++this.busy.value;
    try {
      const found = await Promise.all(
        [...byFile].slice(0, mostFiles).map(async ([name, events]): Promise<PlacedEvent[]> => {
          const {rank, capture} = events[0] ?? {rank: 0, capture: 0};
          // SQL has the rank's own clock; both begin with its first event.
          const begin = this.store.info.captures.find(([of, its]) => of === rank && its === capture)?.[2] ?? 0;
          const rows = await runQuery(
            this.store.run,
            `select event, name, ts_ns - (select min(ts_ns) from events) as start_ns, dur_ns from events where event in (${events.map(({event}) => event).join(", ")})`,
            aborted,
            files.get(name),
          );
          return rows.rows.map(([event, what, start, duration]) => ({
            rank,
            capture,
            event: Number(event),
            name: String(what ?? ""),
            start: begin + Number(start),
            duration: Number(duration ?? 0),
          }));
        }),
      );
      if (!aborted.aborted) this.events.value = found.flat().sort((a, b) => a.start - b.start);
    } catch (error) {
      if (!aborted.aborted) this.store.problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      --this.busy.value;
    }
  }
}
