// Findings in the timeline: which there are, the one that is chosen, and when its events were.

import {batch, computed, type ReadonlySignal, signal} from "@preact/signals";
import {getTable, type Rows, runQuery} from "../../model/api";
import type {Window} from "../../model/timeline";
import {
  type EventOfFinding,
  findingsIn,
  type StepWindow,
  stretchesOf,
  type TimelineFinding,
} from "../../model/timeline_findings";
import {type Blamed, type Title, titleOf, type Verdicts} from "../../model/timeline_title";
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

function blamedIn(table: Rows | null): Blamed[] {
  if (table === null) return [];
  const at = (name: string) => table.columns.findIndex((column) => column.name === name);
  const [rank, cause, share] = [at("rank"), at("cause"), at("step_pct")];
  return table.rows
    .filter((row) => typeof row[rank] === "number" && typeof row[share] === "number")
    .map((row) => ({rank: Number(row[rank]), cause: String(row[cause]), stepPct: Number(row[share])}))
    .sort((a, b) => b.stepPct - a.stepPct);
}

// The gravest verdict on the recordings, else why the replay says nothing.
function whyNotTold(recording: Rows | null, fidelity: Rows | null): string {
  const cell = (table: Rows | null, row: number, name: string) => {
    const value = table?.rows[row]?.[table.columns.findIndex((column) => column.name === name)];
    return typeof value === "string" ? value : "";
  };
  return cell(recording, 0, "severity") === "high"
    ? cell(recording, 0, "message")
    : cell(fidelity, 0, "refused_reason");
}

// Files are asked one by one.
const mostFiles = 16;

export class TimelineFindings {
  readonly all = signal<readonly TimelineFinding[]>([]);
  readonly key;
  readonly events = signal<readonly PlacedEvent[]>([]); // of the one that is chosen
  private readonly verdicts = signal<Verdicts | null>(null); // null: not here yet
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

  readonly title = computed((): Title | null =>
    this.verdicts.value === null ? null : titleOf(this.verdicts.value, this.chosen.value?.finding ?? null),
  );
  // The ranks of the chosen one, unless it is everywhere: they stand first, and tall.
  readonly ranks = computed((): readonly number[] => {
    const ranks = this.chosen.value?.finding.ranks ?? [];
    return ranks.length < this.store.ranks.length ? ranks.filter((rank) => this.store.rowOf.has(rank)) : [];
  });

  get isBusy(): boolean {
    return this.busy.value > 0;
  }

  async load(): Promise<void> {
    ++this.busy.value;
    // A report without one of these has a timeline all the same.
    const [findings, blame, recording, fidelity] = await Promise.all(
      ["findings", "blame", "recording", "replay_fidelity"].map((name) =>
        getTable(this.store.run, name).catch(() => null),
      ),
    );
    batch(() => {
      const found = findings ? findingsIn(findings) : null;
      this.all.value = found ?? [];
      this.verdicts.value = {
        findings: found,
        blame: blamedIn(blame ?? null),
        cannotTell: whyNotTold(recording ?? null, fidelity ?? null),
      };
      --this.busy.value;
    });
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
