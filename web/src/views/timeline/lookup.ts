// What is known of the event that is chosen: its arguments and launch, what it stands in, the ops that autograd links it to.

import {computed, signal} from "@preact/signals";
import type {Arrow, Chosen} from "../../draw/timeline_picture";
import {getEvents, runQuery, type TimelineHit} from "../../model/api";
import {type EventDetail, eventDetailOf, type FrameOfStack, ownSequence, sequenceOf} from "../../model/event_detail";
import type {TimelineStore} from "../../model/timeline_store";
import {backwardQuery, detailQuery, forwardQuery, stackQuery} from "./detail_queries";
import type {TimelineFacts} from "./facts";

export interface Details {
  readonly about: Chosen;
  readonly name: string;
  readonly event: number;
  readonly detail: EventDetail | null; // null: not known yet
  readonly launch: number | null;
}

// An op at the other end of an arrow, and where it is.
export interface LinkedOp extends FrameOfStack {
  readonly at: TimelineHit | null; // null: not in the timeline
}

export class EventLookup {
  readonly details = signal<Details | null>(null);
  // What an event stands in, the outermost first: of work of a device that of the call that launched it, and the call.
  readonly stack = signal<readonly FrameOfStack[]>([]);
  // The op of the forward pass whose gradient the chosen event computes.
  readonly forward = signal<LinkedOp | null>(null);
  // The op of the backward pass that computes the gradient of the chosen one.
  readonly backward = signal<LinkedOp | null>(null);
  private asking = new AbortController();

  constructor(
    private readonly store: TimelineStore,
    private readonly facts: TimelineFacts,
  ) {}

  // From a call to the work that it launched, and from an op of the forward pass to that of the backward pass.
  readonly arrows = computed((): readonly Arrow[] => {
    const details = this.details.value;
    if (details === null) return [];
    const {rank, start} = details.about;
    const own = {rank, event: details.event, start, track: details.about.track};
    const end = ({event, at}: LinkedOp) => {
      const tracks = this.store.spansOf(rank)?.tracks ?? [];
      const track = tracks.findIndex((one) => one.role === "thread" && one.name === at?.track);
      return {rank, event, start: at?.start_ns ?? null, track: track < 0 ? null : track};
    };
    const [forward, backward] = [this.forward.value, this.backward.value];
    return [
      ...(details.launch === null ? [] : [{from: {rank, event: details.launch, start: null, track: null}, to: own}]),
      ...(forward === null ? [] : [{from: end(forward), to: own}]),
      ...(backward === null ? [] : [{from: own, to: end(backward)}]),
    ];
  });

  // What the picture says of it already.
  name(about: Chosen, name: string, event: number): void {
    this.details.value = {about, name, event, detail: null, launch: null};
  }
  // And the rest, from the event's own file.
  ask(about: Chosen, name: string, event: number): void {
    this.stack.value = [];
    this.forward.value = null;
    this.backward.value = null;
    this.asking.abort();
    this.asking = new AbortController();
    void this.find(about, name, event, this.asking.signal);
  }
  clear(): void {
    this.details.value = null;
  }

  private async find(about: Chosen, name: string, event: number, signal: AbortSignal): Promise<void> {
    await this.facts.whenLoaded();
    const track = this.store.spansOf(about.rank)?.tracks[about.track];
    const capture = track?.capture ?? 0;
    const isWork = track?.role === "stream";
    const file = this.facts.fileOf(about.rank, capture);
    // Of one file there is one capture, whatever its number is in the job.
    const own = file === undefined ? {rank: about.rank, capture} : null;
    try {
      const rows = await runQuery(this.store.run, detailQuery(event, isWork, own), signal, file);
      const detail = eventDetailOf(rows);
      const launch = detail.launch;
      this.details.value = {about, name, event, detail, launch};
      const inner = isWork ? launch : event;
      if (inner === null) return;
      const stack = await runQuery(this.store.run, stackQuery(inner, isWork, own), signal, file);
      this.stack.value = stack.rows.map(([name, cat, of]) => ({
        name: String(name),
        cat: String(cat),
        event: Number(of),
      }));
      const linked = async (sql: string): Promise<LinkedOp | null> => {
        const [found] = (await runQuery(this.store.run, sql, signal, file)).rows;
        if (found === undefined) return null;
        const number = Number(found[1]);
        const [at] = await getEvents(this.store.run, about.rank, capture, String(number), signal);
        return {name: String(found[0]), cat: "cpu_op", event: number, at: at ?? null};
      };
      const sequence = sequenceOf(stack.rows.map((row) => String(row[3] ?? "")).concat(detail.json));
      const forwardOf = isWork ? null : ownSequence(detail.json);
      if (sequence !== null) this.forward.value = await linked(forwardQuery(sequence, own));
      else if (forwardOf !== null) this.backward.value = await linked(backwardQuery(forwardOf, own));
    } catch (error) {
      if (!signal.aborted) this.store.problem.value = error instanceof Error ? error.message : String(error);
    }
  }
}
