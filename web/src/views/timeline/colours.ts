// What the colour of an event says: its class, its name, or the op that it belongs to. Frames of Python have one colour a file.

import {effect, type ReadonlySignal, signal} from "@preact/signals";
import {colourOfName} from "../../draw/name_colours";
import {runQuery} from "../../model/api";
import {fileOfFrame} from "../../model/frame_names";
import type {Spans} from "../../model/timeline";
import type {TimelineStore} from "../../model/timeline_store";

export const colourings = ["class", "name", "op"] as const;
export type Colouring = (typeof colourings)[number];

type Ops = ReadonlyMap<number, string>; // event -> colour of the op that launched it

export class TimelineColours {
  readonly by;
  readonly ops = signal<ReadonlyMap<string, Ops>>(new Map()); // by "RANK/CAPTURE"
  private readonly busy = signal(0);
  private readonly asked = new Set<string>();
  private readonly byName = new WeakMap<Spans, readonly string[]>();

  constructor(
    private readonly store: TimelineStore,
    by: Colouring,
    private readonly fileOf: (rank: number, capture: number) => Promise<string | undefined>,
  ) {
    this.by = signal<Colouring>(by);
  }

  get isBusy(): boolean {
    return this.busy.peek() > 0;
  }

  // Ops of the ranks that are open, which SQL tells.
  follow(open: ReadonlySignal<readonly number[]>): () => void {
    return effect(() => {
      if (this.by.value !== "op") return;
      for (const [rank, capture] of this.store.info.captures)
        if (open.value.includes(rank) && !this.asked.has(`${rank}/${capture}`)) void this.ask(rank, capture);
    });
  }
  private async ask(rank: number, capture: number): Promise<void> {
    const key = `${rank}/${capture}`;
    this.asked.add(key);
    this.busy.value = this.busy.peek() + 1;
    try {
      const file = await this.fileOf(rank, capture);
      const own = file === undefined ? `rank = ${rank} and capture = ${capture} and ` : "";
      const sql = `select op, string_agg(event::varchar, ',') from kernels where ${own}op is not null group by op`;
      const {rows} = await runQuery(this.store.run, sql, null, file);
      const found = new Map<number, string>();
      for (const [op, events] of rows) {
        const colour = colourOfName(String(op));
        for (const event of String(events).split(",")) found.set(Number(event), colour);
      }
      this.ops.value = new Map([...this.ops.value, [key, found]]);
    } catch (error) {
      this.asked.delete(key);
      this.store.problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      --this.busy.value;
    }
  }

  // What pictures ask for each span; null: colours are those of classes.
  get colourOf(): ((spans: Spans, span: number, track: number) => string | null) | null {
    const by = this.by.value;
    if (by === "class") return null;
    const ops = this.ops.value;
    return (spans, span, track) => {
      const of = spans.tracks[track];
      if (of === undefined) return null;
      if (by === "op" && of.role === "stream")
        return ops.get(`${spans.rank}/${of.capture}`)?.get(spans.event[span] ?? -1) ?? "frame-none";
      return this.namesOf(spans)[spans.name[span] ?? 0] ?? null;
    };
  }
  private namesOf(spans: Spans): readonly string[] {
    let known = this.byName.get(spans);
    if (known === undefined) {
      known = spans.names.map((name) => colourOfName(fileOfFrame(name) || name));
      this.byName.set(spans, known);
    }
    return known;
  }
}
