// What threads called in the area that is added up: asked for while its flame graph is looked at.

import {effect, type ReadonlySignal, signal} from "@preact/signals";
import {getCalls, type TimelineCalls} from "../../model/api";
import {rangesOf} from "../../model/ranks";
import type {Window} from "../../model/timeline";
import type {TimelineStore} from "../../model/timeline_store";

export class AreaCalls {
  readonly isOpen = signal(true);
  readonly thread = signal(""); // "": all
  readonly found = signal<TimelineCalls | null>(null);
  private readonly busy = signal(0);
  private asking = new AbortController();

  constructor(private readonly store: TimelineStore) {}

  get isBusy(): boolean {
    return this.busy.peek() > 0;
  }

  // `area`: null while there is none, or none that stays.
  follow(area: ReadonlySignal<(Window & {readonly ranks: readonly number[]}) | null>): () => void {
    return effect(() => {
      const [now, thread] = [area.value, this.thread.value];
      this.asking.abort();
      if (now === null || !this.isOpen.value) {
        this.found.value = null;
        return;
      }
      const asking = (this.asking = new AbortController());
      this.busy.value = this.busy.peek() + 1;
      const from = Math.round(now.from);
      const window = {from, to: Math.max(from + 1, Math.round(now.to))};
      getCalls(this.store.run, this.store.info.version, window, rangesOf(now.ranks), thread, asking.signal)
        .then((found) => {
          // Another area may be of ranks without such a thread.
          if (thread !== "" && !found.threads.some((one) => one.name === thread)) this.thread.value = "";
          this.found.value = found;
        })
        .catch((error: unknown) => {
          if (!asking.signal.aborted) this.store.problem.value = error instanceof Error ? error.message : String(error);
        })
        .finally(() => {
          --this.busy.value;
        });
    });
  }
}
