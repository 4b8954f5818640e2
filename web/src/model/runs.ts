// The runs that the server has, as they are now.

import {computed, signal} from "@preact/signals";
import {ApiError, listRuns, type Run} from "./api";
import {forgetAllBut} from "./compared";

export type Loading = "loading" | "there" | "stale" | "refused" | "failed";

export const runs = signal<ReadonlyMap<string, Run>>(new Map());
export const loading = signal<Loading>("loading");
export const problem = signal("");
export const wanted = signal("");
export const states = signal<ReadonlySet<string>>(new Set());

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

// The newest first.
export const shown = computed(() => {
  const text = wanted.value.trim().toLowerCase();
  return [...runs.value.values()]
    .filter((run) => (states.value.size === 0 || states.value.has(run.state)) && (text === "" || mentions(run, text)))
    .sort((a, b) => b.created.localeCompare(a.created) || a.id.localeCompare(b.id));
});

export async function loadRuns(): Promise<void> {
  try {
    const answer = await listRuns();
    runs.value = new Map(answer.runs.map((run) => [run.id, run]));
    loading.value = "there";
    forgetAllBut((id) => runs.value.has(id));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    problem.value = error.message;
    loading.value = error.status === 401 ? "refused" : error.status === 0 && runs.value.size > 0 ? "stale" : "failed";
  }
}

export function takeRun(run: Run): void {
  runs.value = new Map(runs.value).set(run.id, run);
}

// Follows the server's events; what was missed is looked up again.
export function followRuns(): EventSource {
  const source = new EventSource("/api/v1/events");
  let isLost = false;
  source.addEventListener("run", (event) => takeRun(JSON.parse((event as MessageEvent<string>).data) as Run));
  source.addEventListener("removed", (event) => {
    const left = new Map(runs.value);
    left.delete((JSON.parse((event as MessageEvent<string>).data) as {id: string}).id);
    runs.value = left;
    forgetAllBut((id) => left.has(id));
  });
  source.addEventListener("resync", () => void loadRuns());
  source.addEventListener("error", () => {
    isLost = true;
    if (loading.value === "there") loading.value = "stale";
  });
  source.addEventListener("open", () => {
    if (isLost) void loadRuns();
    isLost = false;
  });
  return source;
}
