// What links ranks in the picture: the collectives with the longest waiting, the one that is chosen, the critical path. Asked for when the
// window has been still for a moment, of more than is seen.

import {effect, type ReadonlySignal, signal} from "@preact/signals";
import {getCollectiveOf, getCollectives, getPath} from "../../model/api";
import type {TimelineCollective, TimelinePath} from "../../model/timeline";
import type {Window} from "../../model/timeline";
import type {TimelineStore} from "../../model/timeline_store";

const stillMs = 150;
const mostCollectives = 60;
// The clock of a rank's timeline is a line through its collectives: single ones lie a little beside it.
const clockSlackNs = 5_000_000;

interface Known<T> {
  readonly window: Window;
  readonly width: number; // of the window, in pixels
  readonly value: T;
}

export class TimelineLinks {
  readonly showsPath;
  readonly showsCollectives;
  readonly path = signal<Known<TimelinePath> | null>(null);
  readonly collectives = signal<Known<{complete: boolean; collectives: readonly TimelineCollective[]}> | null>(null);
  readonly chosen = signal<TimelineCollective | null>(null);
  readonly busy = signal(0);
  private asking = new AbortController();
  private choosing = new AbortController();
  private planned = 0;

  constructor(
    private readonly store: TimelineStore,
    path: boolean,
    collectives: boolean,
  ) {
    this.showsPath = signal(path);
    this.showsCollectives = signal(collectives);
  }

  get isBusy(): boolean {
    return this.busy.value > 0 || this.planned !== 0;
  }

  follow(seen: ReadonlySignal<Window>, size: ReadonlySignal<{readonly width: number}>): () => void {
    const stop = effect(() => {
      const [now, width] = [seen.value, size.value.width];
      const [path, collectives] = [this.showsPath.value, this.showsCollectives.value];
      clearTimeout(this.planned);
      this.planned = window.setTimeout(() => {
        this.planned = 0;
        this.ask(now, width, path, collectives);
      }, stillMs);
    });
    return () => {
      clearTimeout(this.planned);
      stop();
    };
  }

  private ask(window: Window, width: number, path: boolean, collectives: boolean): void {
    const length = window.to - window.from;
    const around = {from: Math.floor(window.from - length), to: Math.ceil(window.to + length)};
    // What is here is good enough while the picture stays within it at about the same zoom.
    const isGood = (known: Known<unknown> | null) =>
      known !== null &&
      known.window.from <= window.from &&
      known.window.to >= window.to &&
      known.window.to - known.window.from <= 6 * length &&
      known.width >= width;
    this.asking.abort();
    const asking = (this.asking = new AbortController());
    const {version} = this.store.info;
    if (path && !isGood(this.path.value)) {
      this.take(
        getPath(this.store.run, version, around, 3 * width, asking.signal).then((value) => {
          this.path.value = {window: around, width, value};
        }),
        asking,
      );
    }
    if (collectives && !isGood(this.collectives.value)) {
      this.take(
        getCollectives(this.store.run, version, around, mostCollectives, asking.signal).then((value) => {
          this.collectives.value = {window: around, width, value};
        }),
        asking,
      );
    }
  }

  // The collective of which the event is a member, if it is one.
  choose(rank: number, event: number, start: number): void {
    this.clear();
    const choosing = (this.choosing = new AbortController());
    const window = {from: Math.floor(start - clockSlackNs), to: Math.ceil(start + clockSlackNs)};
    this.take(
      getCollectiveOf(this.store.run, this.store.info.version, rank, event, window, choosing.signal).then((found) => {
        this.chosen.value = found;
      }),
      choosing,
    );
  }

  clear(): void {
    this.choosing.abort();
    this.chosen.value = null;
  }

  private take(work: Promise<void>, abort: AbortController): void {
    ++this.busy.value;
    work
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        this.store.problem.value = error instanceof Error ? error.message : String(error);
      })
      .finally(() => {
        --this.busy.value;
      });
  }
}
