// The text that is searched for in the names of events, what was found, and walking along it.

import {type ReadonlySignal, signal} from "@preact/signals";
import {type NameMatch, searchTimeline, type TimelineHit} from "../../model/api";
import {rangesOf} from "../../model/ranks";
import type {TimelineStore} from "../../model/timeline_store";
import type {Place} from "./address";

const leastText = 2;

export class TimelineSearch {
  readonly text; // "": none
  readonly match; // how it is meant
  readonly hits = signal<{readonly complete: boolean; readonly hits: readonly TimelineHit[]} | null>(null);
  private at = -1; // the hit that was shown last
  private asking = new AbortController();

  // `ranks`: in which it searches.
  constructor(
    private readonly store: Pick<TimelineStore, "run" | "problem">,
    place: Pick<Place, "found" | "match">,
    private readonly ranks: ReadonlySignal<readonly number[]>,
  ) {
    this.text = signal(place.found);
    this.match = signal<NameMatch>(place.match);
  }

  ask(text: string): void {
    this.text.value = text;
    this.asking.abort();
    this.hits.value = null;
    this.at = -1;
    if (text.length < leastText) return;
    const asking = (this.asking = new AbortController());
    searchTimeline(this.store.run, text, this.match.value, rangesOf(this.ranks.value), asking.signal)
      .then((hits) => {
        this.hits.value = hits;
      })
      .catch((error: unknown) => {
        if (!asking.signal.aborted) this.store.problem.value = error instanceof Error ? error.message : String(error);
      });
  }

  // The next one, or the one before; behind the last comes the first. null: nothing was found.
  step(by: 1 | -1): TimelineHit | null {
    const hits = this.hits.value?.hits ?? [];
    if (hits.length === 0) return null;
    this.at = (Math.max(this.at, by < 0 ? 0 : -1) + by + hits.length) % hits.length;
    return hits[this.at] ?? null;
  }
}
