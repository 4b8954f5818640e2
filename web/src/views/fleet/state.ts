// What the fleet's page shows, as signals: three questions, asked anew when what is asked changes.

import {batch, computed, effect, signal} from "@preact/signals";
import {ApiError, askFleet} from "../../model/api";
import {
  addressOf,
  type FleetAnswer,
  type FleetAsked,
  type Question,
  queryOf,
  readAsked,
  tableOf,
} from "../../model/fleet";
import type {Table} from "../../model/report";

const nothing: FleetAnswer = {runs: 0, tables: {}};

class Asking {
  readonly answer = signal<FleetAnswer>(nothing);
  readonly loading = signal<"loading" | "there" | "failed" | "refused">("loading");
  readonly problem = signal("");
  private query = "";
  private last: AbortController | null = null;

  constructor(readonly question: Question) {}

  // Of what was asked already nothing is asked again.
  async ask(asked: FleetAsked): Promise<void> {
    const query = queryOf(this.question, asked).toString();
    if (query === this.query && this.last !== null) return;
    this.query = query;
    this.last?.abort();
    const mine = new AbortController();
    this.last = mine;
    this.loading.value = "loading";
    try {
      const answer = await askFleet(this.question, query, mine.signal);
      if (this.last !== mine) return;
      batch(() => {
        this.answer.value = answer;
        this.loading.value = "there";
      });
    } catch (error) {
      if (this.last !== mine) return;
      batch(() => {
        this.problem.value = error instanceof Error ? error.message : String(error);
        this.loading.value = error instanceof ApiError && error.status === 401 ? "refused" : "failed";
      });
    }
  }
}

export class FleetState {
  readonly asked = signal<FleetAsked>(readAsked(location.search));
  readonly overview = new Asking("overview");
  readonly regressions = new Asking("regressions");
  readonly models = new Asking("models");
  readonly all = [this.overview, this.regressions, this.models];

  constructor(private readonly docOf: (table: string, column: string) => string) {}

  readonly isIdle = computed(() => this.all.every((one) => one.loading.value !== "loading"));

  table(of: Asking, name: string): Table {
    return tableOf(of.answer.value, name, (column) => this.docOf(name, column));
  }

  change(part: Partial<FleetAsked>): void {
    this.asked.value = {...this.asked.value, ...part};
    history.pushState(null, "", location.pathname + addressOf(this.asked.value));
  }

  start(): () => void {
    const back = () => {
      this.asked.value = readAsked(location.search);
    };
    window.addEventListener("popstate", back);
    const stop = effect(() => {
      const asked = this.asked.value;
      for (const one of this.all) void one.ask(asked);
    });
    return () => {
      window.removeEventListener("popstate", back);
      stop();
    };
  }
}
