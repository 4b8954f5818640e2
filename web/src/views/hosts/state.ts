// What the hosts' page shows, as signals. Hosts are asked for again and again, captures tell of themselves.

import {batch, computed, effect, signal} from "@preact/signals";
import type {Session} from "@made/api_types";
import {ApiError, cancelCapture, getCapture, listCaptures, listHosts, startCapture} from "../../model/api";
import {bodyOf, type Capture, type CaptureDetail, isOver, type Wish} from "../../model/captures";
import {type Host, type HostJob, kept, mentions, worstFirst} from "../../model/hosts";
import {readPlace, writePlace} from "./address";

const pauseMs = 5000;
// Of many hosts the list is long, and what changes is told by its worst.
const manyHosts = 200;
const pauseOfManyMs = 15_000;

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export class HostsState {
  readonly loading = signal<"loading" | "there" | "stale" | "failed">("loading");
  readonly problem = signal("");
  readonly hosts = signal<readonly Host[]>([]);
  readonly jobs = signal<readonly HostJob[]>([]);
  readonly captures = signal<ReadonlyMap<string, Capture>>(new Map());
  readonly wanted = signal("");
  readonly map = signal("busy");
  readonly open = signal<ReadonlySet<string>>(new Set());
  readonly chosen = signal<ReadonlySet<string>>(new Set());
  readonly form = signal<string | null>(null);
  readonly watched = signal<string | null>(null);
  readonly detail = signal<CaptureDetail | null>(null);
  readonly detailProblem = signal("");
  // All rows of the table that are to be seen are drawn.
  readonly isDrawn = signal(false);
  private underway = 0;
  private timer = 0;
  private isAsking = false;
  private askAgain = false;
  private selection = "";

  constructor(readonly session: Session) {
    this.take(location.search);
  }

  get mayCapture(): boolean {
    return this.session.role !== "read";
  }

  readonly found = computed(() => {
    const words = this.wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
    return worstFirst(this.hosts.value.filter((host) => mentions(host, words)));
  });

  start(): () => void {
    const stop = effect(() => this.writeAddress());
    const back = () => this.take(location.search);
    const seen = () => {
      if (!document.hidden) void this.loadHosts();
    };
    addEventListener("popstate", back);
    document.addEventListener("visibilitychange", seen);
    const stopDetail = effect(() => {
      void this.watched.value;
      this.detail.value = null;
      this.detailProblem.value = "";
      this.askDetail();
    });
    void this.loadHosts();
    void this.loadCaptures();
    const source = this.follow();
    Object.assign(window, {rankscopeHosts: {state: this, idle: () => this.idle()}});
    return () => {
      stop();
      stopDetail();
      removeEventListener("popstate", back);
      document.removeEventListener("visibilitychange", seen);
      clearTimeout(this.timer);
      source.close();
    };
  }

  toggleOpen(name: string): void {
    this.open.value = without(this.open.value, name) ?? new Set([...this.open.value, name]);
  }
  toggleChosen(name: string): void {
    this.chosen.value = without(this.chosen.value, name) ?? new Set([...this.chosen.value, name]);
  }

  // An error is the server's sentence.
  async capture(wish: Wish): Promise<void> {
    const made = await startCapture(bodyOf(wish));
    batch(() => {
      this.takeCapture(made);
      this.form.value = null;
      this.chosen.value = new Set();
      this.watched.value = made.id;
    });
  }
  async cancel(id: string): Promise<void> {
    try {
      await cancelCapture(id);
      this.askDetail();
    } catch (error) {
      this.detailProblem.value = sentence(error);
    }
  }

  private writeAddress(): void {
    const place = {
      wanted: this.wanted.value,
      map: this.map.value,
      open: [...this.open.value],
      chosen: [...this.chosen.value],
      form: this.form.value,
      watched: this.watched.value,
    };
    const address = location.pathname + writePlace(place);
    // What is opened or chosen is a step that Back undoes; a filter is none.
    const selection = writePlace({...place, wanted: "", map: "busy"});
    const isStep = this.selection !== selection && this.loading.peek() !== "loading";
    this.selection = selection;
    if (address === location.pathname + location.search) return;
    if (isStep) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
  private take(search: string): void {
    const place = readPlace(search);
    // The address says it already.
    this.selection = writePlace({...place, form: this.mayCapture ? place.form : null, wanted: "", map: "busy"});
    batch(() => {
      this.wanted.value = place.wanted;
      this.map.value = place.map;
      this.open.value = new Set(place.open);
      this.chosen.value = new Set(place.chosen);
      this.form.value = this.mayCapture ? place.form : null;
      this.watched.value = place.watched;
    });
  }

  private async loadHosts(): Promise<void> {
    clearTimeout(this.timer);
    ++this.underway;
    try {
      const {hosts, jobs} = await listHosts();
      this.hosts.value = kept(this.hosts.value, hosts);
      this.jobs.value = jobs;
      this.loading.value = "there";
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.problem.value = error.message;
      this.loading.value = this.hosts.value.length > 0 || this.loading.value === "there" ? "stale" : "failed";
    } finally {
      --this.underway;
      clearTimeout(this.timer);
      this.timer = window.setTimeout(
        () => {
          if (!document.hidden) void this.loadHosts();
        },
        this.hosts.value.length > manyHosts ? pauseOfManyMs : pauseMs,
      );
    }
  }

  private async loadCaptures(): Promise<void> {
    ++this.underway;
    try {
      this.captures.value = new Map((await listCaptures()).map((one) => [one.id, one]));
      this.askDetail();
    } catch (error) {
      this.problem.value = sentence(error);
    } finally {
      --this.underway;
    }
  }
  private takeCapture(one: Capture): void {
    // The newest first.
    const others = [...this.captures.value].filter(([id]) => id !== one.id);
    this.captures.value = this.captures.value.has(one.id)
      ? new Map([...this.captures.value].map(([id, old]) => [id, id === one.id ? one : old]))
      : new Map([[one.id, one], ...others]);
    if (one.id === this.watched.value) this.askDetail();
  }
  private follow(): EventSource {
    const source = new EventSource("/api/v1/events");
    let isLost = false;
    source.addEventListener("capture", (event) =>
      this.takeCapture(JSON.parse((event as MessageEvent<string>).data) as Capture),
    );
    source.addEventListener("resync", () => void this.loadCaptures());
    source.addEventListener("error", () => {
      isLost = true;
      if (this.loading.value === "there") this.loading.value = "stale";
    });
    source.addEventListener("open", () => {
      if (isLost) void Promise.all([this.loadHosts(), this.loadCaptures()]);
      isLost = false;
    });
    return source;
  }

  // Who is missing is not in the events. One request at a time; what is told meanwhile asks once more.
  private askDetail(): void {
    const id = this.watched.peek();
    if (id === null) return;
    if (this.isAsking) {
      this.askAgain = true;
      return;
    }
    this.isAsking = true;
    ++this.underway;
    getCapture(id)
      .then((found) => {
        if (this.watched.peek() !== id) return;
        this.detail.value = found;
        this.detailProblem.value = "";
      })
      .catch((error: unknown) => {
        this.detailProblem.value = sentence(error);
      })
      .finally(() => {
        this.isAsking = false;
        --this.underway;
        const isBehind = this.askAgain || this.watched.peek() !== id;
        this.askAgain = false;
        if (isBehind) this.askDetail();
      });
  }
  get isUnderway(): boolean {
    return this.detail.value !== null && !isOver(this.detail.value.phase);
  }

  // Nothing is asked for, and what is here is drawn.
  async idle(): Promise<void> {
    const isDrawn = () => this.isDrawn.peek() || (this.hosts.peek().length === 0 && this.loading.peek() !== "loading");
    while (this.underway > 0 || !isDrawn()) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function without(names: ReadonlySet<string>, name: string): ReadonlySet<string> | null {
  const left = new Set(names);
  return left.delete(name) ? left : null;
}
