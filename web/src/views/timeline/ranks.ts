// Which ranks have rows, in which order, and which of them are open.

import {computed, type ReadonlySignal, signal} from "@preact/signals";
import type {TimelineStore} from "../../model/timeline_store";
import type {Order, Place} from "./address";
import type {Arrangement} from "./arrangement";
import type {Layout} from "./facts";
import {orderedRanks, standing} from "./rank_order";
import type {Shares} from "./shares";

export const mostOpen = 16;

// What their order goes by.
interface OrderedBy {
  readonly layout: ReadonlySignal<Layout>;
  readonly shares: ReadonlySignal<Shares>;
  readonly ofFinding: ReadonlySignal<readonly number[]>; // the ranks of the chosen one
  readonly arrangement: Arrangement;
}

export class TimelineRanks {
  readonly order;
  readonly open;
  readonly shown; // none: all

  constructor(
    private readonly store: TimelineStore,
    place: Pick<Place, "order" | "open" | "ranks">,
    private readonly by: OrderedBy,
  ) {
    this.order = signal<Order>(place.order);
    this.open = signal(this.known(place.open));
    this.shown = signal(this.known(place.ranks));
    if (this.open.value.length === 0 && store.ranks.length === 1) this.open.value = [...store.ranks];
  }

  known(ranks: readonly number[]): readonly number[] {
    return ranks.filter((rank) => this.store.rowOf.has(rank));
  }

  // By number, hidden ones as well.
  readonly listed = computed(() => (this.shown.value.length > 0 ? this.shown.value : this.store.ranks));
  private readonly ordered = computed(() =>
    orderedRanks(this.listed.value, this.order.value, {
      placeOf: (rank, dimension) => this.by.layout.value.get(rank)?.[dimension] ?? null,
      shareOf: (rank, part) => this.by.shares.value.get(rank)?.[part] ?? 0,
    }),
  );
  // From above.
  readonly all = computed(() =>
    standing(
      this.ordered.value,
      new Set(this.by.arrangement.hidden.value),
      new Set(this.by.ofFinding.value),
      this.by.arrangement.placed.value,
    ),
  );
  readonly blocks = computed(() => [...new Set(this.listed.value.map((rank) => this.store.blockOf(rank)))]);

  toggle(rank: number, isOpen = !this.open.value.includes(rank)): void {
    const others = this.open.value.filter((one) => one !== rank);
    this.open.value = isOpen ? [...others.slice(-(mostOpen - 1)), rank].sort((a, b) => a - b) : others;
  }
}
