// The runs that the server has, as they are now.

import {computed, signal} from "@preact/signals";
import {ApiError, listRuns, type Run} from "./api";
import type {Compared} from "./compared";

export type Loading = "loading" | "there" | "stale" | "refused" | "failed";

function mentions(run: Run, text: string): boolean {
  const tags = Object.entries(run.tags).map(([name, value]) => `${name}=${value}`);
  return [
    run.id,
    run.name,
    run.user,
    run.team,
    run.model,
    run.hardware,
    run.state,
    run.summary?.bottleneck,
    run.summary?.headline,
    ...tags,
  ].some((one) => one != null && one.toLowerCase().includes(text));
}

export class RunList {
  readonly all = signal<ReadonlyMap<string, Run>>(new Map());
  readonly loading = signal<Loading>("loading");
  readonly problem = signal("");
  readonly wanted = signal("");
  readonly states = signal<ReadonlySet<string>>(new Set());
  // The newest first.
  readonly shown = computed(() => {
    const text = this.wanted.value.trim().toLowerCase();
    const states = this.states.value;
    return [...this.all.value.values()]
      .filter((run) => (states.size === 0 || states.has(run.state)) && (text === "" || mentions(run, text)))
      .sort((a, b) => b.created.localeCompare(a.created) || a.id.localeCompare(b.id));
  });

  constructor(private readonly compared: Compared) {}

  async load(): Promise<void> {
    try {
      const answer = await listRuns();
      this.take(answer.runs.map((run) => [run.id, run]));
      this.loading.value = "there";
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem.value = error.message;
      const isStale = error.status === 0 && this.all.value.size > 0;
      this.loading.value = error.status === 401 ? "refused" : isStale ? "stale" : "failed";
    }
  }
  // Follows the server's events; what was missed is looked up again.
  follow(): EventSource {
    const source = new EventSource("/api/v1/events");
    let isLost = false;
    source.addEventListener("run", (event) => {
      const run = JSON.parse((event as MessageEvent<string>).data) as Run;
      this.all.value = new Map(this.all.value).set(run.id, run);
    });
    source.addEventListener("removed", (event) => {
      const {id} = JSON.parse((event as MessageEvent<string>).data) as {id: string};
      this.take([...this.all.value].filter(([one]) => one !== id));
    });
    source.addEventListener("resync", () => void this.load());
    source.addEventListener("error", () => {
      isLost = true;
      if (this.loading.value === "there") this.loading.value = "stale";
    });
    source.addEventListener("open", () => {
      if (isLost) void this.load();
      isLost = false;
    });
    return source;
  }
  private take(runs: readonly (readonly [id: string, run: Run])[]): void {
    const all = new Map(runs);
    this.all.value = all;
    this.compared.forgetAllBut((id) => all.has(id));
  }
}
