// Tracks of open ranks without an event in the window, worked out when it has been still for a moment: rows do not jump while it moves.

import {effect, type ReadonlySignal, signal} from "@preact/signals";
import type {Spans, Window} from "../../model/timeline";
import type {TimelineStore} from "../../model/timeline_store";

const stillMs = 120;

export type TracksOfRanks = ReadonlyMap<number, ReadonlySet<number>>;

function hasEvents(spans: Spans, track: number, {from, to}: Window): boolean {
  for (let i = spans.first[track] ?? 0; i < (spans.first[track + 1] ?? 0); ++i) {
    const start = spans.start[i] ?? 0;
    if (start > to) return false;
    if (start + (spans.duration[i] ?? 0) >= from) return true;
  }
  return false;
}

function textOf(tracks: TracksOfRanks): string {
  return JSON.stringify([...tracks].map(([rank, of]) => [rank, ...of]));
}

export class EmptyTracks {
  readonly of = signal<TracksOfRanks>(new Map());
  private planned = 0;

  constructor(private readonly store: TimelineStore) {}

  get isBusy(): boolean {
    return this.planned !== 0;
  }

  follow(seen: ReadonlySignal<Window>, open: ReadonlySignal<readonly number[]>): () => void {
    const find = () => {
      this.planned = 0;
      this.find(seen.peek(), open.peek());
    };
    const stops = [
      effect(() => {
        void seen.value;
        clearTimeout(this.planned);
        this.planned = window.setTimeout(find, stillMs);
      }),
      effect(() => {
        void [this.store.spanChanges.value, open.value];
        find();
      }),
    ];
    return () => {
      clearTimeout(this.planned);
      stops.forEach((stop) => stop());
    };
  }

  private find(window: Window, open: readonly number[]): void {
    const found = new Map<number, ReadonlySet<number>>();
    for (const rank of open) {
      const spans = this.store.spansOf(rank);
      const tracks = spans?.tracks.map((_, i) => i).filter((i) => !hasEvents(spans, i, window));
      if (tracks !== undefined && tracks.length > 0) found.set(rank, new Set(tracks));
    }
    if (textOf(found) !== textOf(this.of.peek())) this.of.value = found;
  }
}
