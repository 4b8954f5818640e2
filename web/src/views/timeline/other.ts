// Another run beside this one, on one clock: laid over it at the step in the middle of the window.

import {computed, effect, type ReadonlySignal, signal} from "@preact/signals";
import {getRun, getTable, getTimeline} from "../../model/api";
import {
  counterpartOf,
  pairAt,
  type PartChange,
  partChanges,
  pairsOf,
  type StepPair,
  stepsIn,
  type StepTime,
} from "../../model/run_pair";
import {visible} from "../../model/text";
import {type Tile, type TileKey, tilesFor, wholeOf, type Window} from "../../model/timeline";
import {TimelineStore} from "../../model/timeline_store";

interface Shown {
  readonly store: TimelineStore;
  readonly name: string;
  readonly steps: readonly StepTime[];
}

export class TimelineOther {
  readonly run; // "": none
  readonly shown = signal<Shown | null>(null);
  readonly problem = signal("");
  readonly changes = signal<readonly PartChange[] | null>(null); // of the aligned step
  private readonly busy = signal(0);
  private asked = "";
  private changesAsked = "";

  constructor(
    private readonly store: TimelineStore,
    run: string,
    private readonly steps: ReadonlySignal<readonly StepTime[]>,
    private readonly window: ReadonlySignal<Window>,
  ) {
    this.run = signal(run);
  }

  get isBusy(): boolean {
    return this.busy.peek() > 0 || this.shown.peek()?.store.isBusy === true;
  }

  readonly pairs = computed((): readonly StepPair[] => {
    const shown = this.shown.value;
    return shown === null ? [] : pairsOf(this.steps.value, shown.steps);
  });
  readonly aligned = computed(() => pairAt(this.pairs.value, this.window.value));
  // What its times are moved by; without a common step, so that both begin together.
  readonly shift = computed(() => {
    const shown = this.shown.value;
    const pair = this.aligned.value;
    if (pair !== null) return pair.here.start - pair.there.start;
    return shown === null ? 0 : wholeOf(this.store.info).from - wholeOf(shown.store.info).from;
  });
  // Of it, in its own time.
  readonly otherWindow = computed((): Window => {
    const {from, to} = this.window.value;
    return {from: from - this.shift.value, to: to - this.shift.value};
  });

  // Its rank that lies beside this run's; null: none does.
  rankBeside(rank: number): number | null {
    const store = this.shown.value?.store;
    return store === undefined
      ? null
      : counterpartOf(rank, this.store.ranks, store.ranks, (one) => store.rowOf.has(one));
  }

  // Of one of its own ranks, the coarser first.
  tilesOf(rank: number, width: number): readonly Tile[] {
    const store = this.shown.value?.store;
    if (store === undefined || !store.rowOf.has(rank)) return [];
    const block = store.blockOf(rank);
    const tiles = new Set<Tile>();
    const whole = store.wholeOf(block);
    if (whole !== null) tiles.add(whole);
    for (const key of tilesFor(store.info, this.otherWindow.value, width, [block])) {
      const found = store.tile(key);
      if (found !== null) tiles.add(found.tile);
    }
    return [...tiles].sort((a, b) => b.shift - a.shift);
  }

  // Loads what is asked for, and then what the picture needs of it.
  follow(ranks: ReadonlySignal<readonly number[]>, size: ReadonlySignal<{readonly width: number}>): () => void {
    const stops = [
      effect(() => this.load()),
      effect(() => {
        const store = this.shown.value?.store;
        if (store === undefined) return;
        const blocks = [
          ...new Set(
            ranks.value
              .map((rank) => this.rankBeside(rank))
              .filter((rank) => rank !== null)
              .map((rank) => store.blockOf(rank)),
          ),
        ];
        const {width} = size.value;
        const coarsest: TileKey[] = blocks.map((block) => ({shift: store.info.last_shift, column: 0, block}));
        const window = this.otherWindow.value;
        store.want([...coarsest, ...tilesFor(store.info, window, width, blocks)], [], window, width);
      }),
      effect(() => this.loadChanges()),
    ];
    return () => stops.forEach((stop) => stop());
  }

  private load(): void {
    const run = this.run.value;
    if (run === this.asked) return;
    this.asked = run;
    this.shown.value = null;
    this.problem.value = "";
    if (run === "") return;
    void this.take(async () => {
      const [info, of, steps] = await Promise.all([getTimeline(run), getRun(run), getTable(run, "job_steps")]);
      if (this.asked !== run) return;
      this.shown.value = {store: new TimelineStore(run, info), name: visible(of.name ?? of.id), steps: stepsIn(steps)};
    });
  }

  // Where the time of the aligned step goes in both.
  private loadChanges(): void {
    const pair = this.aligned.value;
    const run = this.run.value;
    const key = pair === null || run === "" ? "" : `${run}/${pair.here.step}/${pair.there.step}`;
    if (key === this.changesAsked) return;
    this.changesAsked = key;
    this.changes.value = null;
    if (key === "" || pair === null) return;
    void this.take(async () => {
      const [here, there] = await Promise.all([
        getTable(this.store.run, "time_breakdown", `&filter=step%3D${pair.here.step}`),
        getTable(run, "time_breakdown", `&filter=step%3D${pair.there.step}`),
      ]);
      if (this.changesAsked === key) this.changes.value = partChanges(here, there);
    });
  }

  private async take(work: () => Promise<void>): Promise<void> {
    this.busy.value = this.busy.peek() + 1;
    try {
      await work();
    } catch (error) {
      this.problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      --this.busy.value;
    }
  }
}
