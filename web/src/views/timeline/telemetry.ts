// What was measured while the job ran, over its timeline: which metrics there are by rank, and the one that is drawn.

import {signal} from "@preact/signals";
import {getMetrics} from "../../model/api";
import {type Metric, metricsIn} from "../../model/timeline_metrics";
import type {TimelineStore} from "../../model/timeline_store";

const mostPoints = 400; // of a rank
const mostSamples = 200_000;

export class TimelineTelemetry {
  readonly names = signal<readonly string[]>([]);
  readonly name;
  readonly metric = signal<Metric | null>(null);
  readonly busy = signal(0);
  private asked = "";

  constructor(
    private readonly store: TimelineStore,
    name: string,
  ) {
    this.name = signal(name);
  }

  get isBusy(): boolean {
    return this.busy.value > 0;
  }

  async load(): Promise<void> {
    await this.take(
      getMetrics(this.store.run, 2).then((samples) => {
        this.names.value = metricsIn(samples, this.store.info.origin_ns).map(({name}) => name);
      }),
    );
  }

  // The one that is chosen. Call in an effect.
  follow(): void {
    const name = this.name.value;
    if (name === this.asked) return;
    this.asked = name;
    this.metric.value = null;
    if (name === "") return;
    const points = Math.max(2, Math.min(mostPoints, Math.floor(mostSamples / Math.max(1, this.store.ranks.length))));
    void this.take(
      getMetrics(this.store.run, points, name).then((samples) => {
        if (this.asked === name) this.metric.value = metricsIn(samples, this.store.info.origin_ns)[0] ?? null;
      }),
    );
  }

  private async take(work: Promise<void>): Promise<void> {
    ++this.busy.value;
    try {
      await work;
    } catch (error) {
      this.store.problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      --this.busy.value;
    }
  }
}
