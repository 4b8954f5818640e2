// The runs that the server has, as they are now.

import {computed, signal} from "@preact/signals";
import {ApiError, listRuns, type Run} from "./api";
import type {Compared} from "./compared";
import {grouped} from "./format";
import {trendsOf} from "./trends";

export type Loading = "loading" | "there" | "stale" | "refused" | "failed";

function mentions(run: Run, text: string): boolean {
  const tags = tagsOf(run);
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

function tagsOf(run: Run): string[] {
  return Object.entries(run.tags).map(([name, value]) => `${name}=${value}`);
}

// "8"; of a job of which fewer ranks were recorded "1 of 300"; "" where neither is known.
export function ranksText(run: Run): string {
  const [recorded, whole] = [run.summary?.ranks ?? null, run.world_size];
  if (recorded !== null && whole !== null && recorded < whole) return `${grouped(recorded)} of ${grouped(whole)}`;
  return whole === null && recorded === null ? "" : grouped(whole ?? recorded);
}
export function ranksUnit(run: Run): string {
  return (run.world_size ?? run.summary?.ranks) === 1 ? "rank" : "ranks";
}

// The older run is what a newer one is compared with.
export function oldestFirst(runs: readonly Run[]): Run[] {
  return [...runs].sort((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : 0));
}

// What the list may be ordered by.
export const runOrders = {
  run: (run: Run) => run.name ?? run.id,
  state: (run: Run) => run.state,
  ranks: (run: Run) => run.world_size ?? run.summary?.ranks ?? null,
  "step time": (run: Run) => run.summary?.step_time_ns?.median ?? null,
  "why it is slow": (run: Run) => run.summary?.combined_gain_pct ?? null,
  bottleneck: (run: Run) => run.summary?.bottleneck ?? null,
  made: (run: Run) => run.created,
} as const satisfies Record<string, (run: Run) => string | number | null>;
export interface RunOrder {
  readonly by: keyof typeof runOrders;
  readonly isDown: boolean;
}
const newestFirst: RunOrder = {by: "made", isDown: true};

// The search, the filters and the order, as the list's address says them.
export function queryOfList(list: RunList): string {
  const said = new URLSearchParams();
  if (list.wanted.value !== "") said.set("q", list.wanted.value);
  for (const state of list.states.value) said.append("state", state);
  if (list.tag.value !== "") said.set("tag", list.tag.value);
  const {by, isDown} = list.order.value;
  if (by !== newestFirst.by || isDown !== newestFirst.isDown) said.set("sort", `${isDown ? "-" : ""}${by}`);
  const text = said.toString();
  return text === "" ? "" : `?${text}`;
}
export function readQueryOfList(list: RunList, search: string): void {
  const asked = new URLSearchParams(search);
  list.wanted.value = (asked.get("q") ?? "").slice(0, 200);
  list.states.value = new Set(asked.getAll("state").slice(0, 8));
  list.tag.value = (asked.get("tag") ?? "").slice(0, 200);
  const sort = asked.get("sort") ?? "";
  const by = (Object.keys(runOrders) as (keyof typeof runOrders)[]).find((one) => one === sort.replace(/^-/, ""));
  list.order.value = by === undefined ? newestFirst : {by, isDown: sort.startsWith("-")};
}

export class RunList {
  readonly all = signal<ReadonlyMap<string, Run>>(new Map());
  readonly loading = signal<Loading>("loading");
  readonly problem = signal("");
  readonly wanted = signal("");
  readonly states = signal<ReadonlySet<string>>(new Set());
  readonly tag = signal(""); // "NAME=VALUE"; "": any
  readonly order = signal<RunOrder>(newestFirst);
  readonly tags = computed(() =>
    [...new Set([...this.all.value.values()].flatMap((run) => tagsOf(run)))].sort((a, b) => a.localeCompare(b)),
  );
  readonly trends = computed(() => trendsOf(this.all.value.values()));
  readonly shown = computed(() => {
    const text = this.wanted.value.trim().toLowerCase();
    const [states, tag] = [this.states.value, this.tag.value];
    const {by, isDown} = this.order.value;
    const valueOf = runOrders[by];
    const found = [...this.all.value.values()].filter(
      (run) =>
        (states.size === 0 || states.has(run.state)) &&
        (tag === "" || tagsOf(run).includes(tag)) &&
        (text === "" || mentions(run, text)),
    );
    // What is equal stays as the server tells it, the newest first; what is not known comes last.
    return found.sort((a, b) => {
      const [one, other] = [valueOf(a), valueOf(b)];
      if (one === null || other === null) return Number(one === null) - Number(other === null);
      const sign =
        typeof one === "number" && typeof other === "number"
          ? one - other
          : String(one).localeCompare(String(other), "en", {numeric: true});
      return isDown ? -sign : sign;
    });
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
