// The area that is chosen, a stretch of time over some rows, and what it adds up to.

import {computed, effect, signal} from "@preact/signals";
import {getSums, type TimelineSums} from "../../model/api";
import {rangesOf} from "../../model/ranks";
import type {Window} from "../../model/timeline";
import type {TimelineStore} from "../../model/timeline_store";
import type {Place} from "./address";
import type {TimelineRanks} from "./ranks";
import type {TimelineRows} from "./rows";
import type {TimelineSelection} from "./selection";

export interface Area extends Window {
  readonly ranks: readonly number[];
  readonly top: number;
  readonly bottom: number;
}

export class TimelineArea {
  readonly chosen = signal<Area | null>(null);
  readonly sums = signal<TimelineSums | null>(null);
  readonly isAddingUp = signal(false);
  // While it is being drawn it makes no steps of history.
  readonly isDragging = signal(false);
  readonly wanted; // that the address names, until its ranks have rows
  private asking = new AbortController();

  constructor(
    private readonly store: TimelineStore,
    private readonly ranks: TimelineRanks,
    private readonly rows: TimelineRows,
    private readonly selection: TimelineSelection,
    wanted: Place["area"],
  ) {
    this.wanted = signal(wanted);
  }

  // The one that is not being drawn any more.
  readonly still = computed(() => (this.isDragging.value ? null : this.chosen.value));

  follow(): () => void {
    return effect(() => this.findWanted());
  }
  private findWanted(): void {
    const wanted = this.wanted.value;
    if (wanted === null) return;
    const ranks = new Set(wanted.ranks);
    const rows = this.rows.all.value.filter((row) => this.rows.ranksOf(row).some((rank) => ranks.has(rank)));
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return;
    this.wanted.value = null;
    this.addUp({...wanted, top: first.top, bottom: last.top + last.height});
  }

  select(area: Area): void {
    this.selection.drop();
    this.addUp(area);
  }
  // All rows between two times.
  selectBetween(from: number, to: number): void {
    this.select({from, to, ranks: this.ranks.all.value, top: 0, bottom: this.rows.bottom.value});
  }
  clear(): void {
    this.chosen.value = null;
    this.sums.value = null;
  }

  // An event that is chosen by a row of the sums stays.
  private addUp(area: Area): void {
    this.chosen.value = area;
    this.sums.value = null;
    this.asking.abort();
    const asking = (this.asking = new AbortController());
    this.isAddingUp.value = true;
    getSums(
      this.store.run,
      this.store.info.version,
      Math.round(area.from),
      Math.max(Math.round(area.from) + 1, Math.round(area.to)),
      rangesOf(area.ranks),
      asking.signal,
    )
      .then((sums) => {
        this.sums.value = sums;
      })
      .catch((error: unknown) => {
        if (!asking.signal.aborted) this.store.problem.value = error instanceof Error ? error.message : String(error);
      })
      .finally(() => {
        if (this.asking === asking) this.isAddingUp.value = false;
      });
  }
}
