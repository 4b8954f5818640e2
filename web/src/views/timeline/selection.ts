// The event that is chosen, and the one that is to be as soon as it is here.

import {effect, signal} from "@preact/signals";
import {isCommunication} from "../../draw/timeline_paint";
import type {Chosen} from "../../draw/timeline_picture";
import type {Spans} from "../../model/timeline";
import type {TimelineStore} from "../../model/timeline_store";
import type {Place} from "./address";
import type {TimelineLinks} from "./links";
import type {EventLookup} from "./lookup";
import type {TimelineRanks} from "./ranks";
import type {TimelineViewport} from "./viewport";

export class TimelineSelection {
  readonly chosen = signal<Chosen | null>(null);
  readonly wanted; // by time and length, as an address or a hit names it

  constructor(
    private readonly store: TimelineStore,
    private readonly viewport: TimelineViewport,
    private readonly ranks: TimelineRanks,
    private readonly links: TimelineLinks,
    private readonly lookup: EventLookup,
    wanted: Place["chosen"],
  ) {
    this.wanted = signal(wanted);
  }

  // Looks for the wanted one whenever events came.
  follow(): () => void {
    return effect(() => {
      void this.store.spanChanges.value;
      this.findWanted();
    });
  }
  private findWanted(): void {
    const wanted = this.wanted.value;
    if (wanted === null) return;
    if (!this.ranks.open.value.includes(wanted.rank)) return this.ranks.toggle(wanted.rank, true);
    const spans = this.store.spansOf(wanted.rank);
    if (spans === null) return;
    for (let track = 0; track < spans.tracks.length; ++track) {
      for (let i = spans.first[track] ?? 0; i < (spans.first[track + 1] ?? 0); ++i) {
        if (spans.start[i] !== wanted.start || spans.duration[i] !== wanted.duration) continue;
        this.wanted.value = null;
        return this.choose(spans, track, i);
      }
    }
  }

  // An event of a rank, or `count` that are drawn as one: these are zoomed to.
  choose(spans: Spans, track: number, span: number, count = spans.events[span] ?? 1): void {
    const about = {
      rank: spans.rank,
      track,
      start: spans.start[span] ?? 0,
      duration: spans.duration[span] ?? 0,
      lane: spans.lane[span] ?? 0,
    };
    const [name, event] = [spans.names[spans.name[span] ?? 0] ?? "", spans.event[span] ?? 0];
    this.links.clear();
    this.chosen.value = about;
    this.lookup.name(about, name, event);
    if (count > 1) {
      const {from, to} = this.viewport.window.value;
      this.viewport.zoom((to - from) / Math.max(1, about.duration * 3), about.start + about.duration / 2);
      return;
    }
    const kind = this.store.info.kinds[spans.kind[span] ?? 0] ?? "";
    if (isCommunication(kind)) this.links.choose(about.rank, event, about.start);
    this.lookup.ask(about, name, event);
  }

  // Nothing is chosen; what is wanted stays.
  drop(): void {
    this.links.clear();
    this.chosen.value = null;
    this.lookup.clear();
  }
  clear(): void {
    this.drop();
    this.wanted.value = null;
  }
}
