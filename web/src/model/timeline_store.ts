// The tiles and events of one run's timeline that are here, and those that are on their way. What left the picture is not waited for.

import {effect, signal} from "@preact/signals";
import {ApiError, getBytes} from "./api";
import {
  coarser,
  decodeSpans,
  decodeTile,
  keyText,
  type Spans,
  type Tile,
  type TileKey,
  tileWindow,
  type TimelineInfo,
  type Window,
  ranksIn,
} from "./timeline";

const mostTileBytes = 64 << 20;
const mostSpans = 40; // windows of ranks
const atOnce = 4;

interface Wanted {
  readonly key: string;
  readonly path: string;
  readonly take: (bytes: ArrayBuffer) => void;
}

export class TimelineStore {
  // Counts what came, so that who draws knows when to.
  readonly changes = signal(0);
  // The same of events alone: they decide which rows there are.
  readonly spanChanges = signal(0);
  readonly problem = signal("");
  readonly ranks: readonly number[];
  readonly rowOf: ReadonlyMap<number, number>;
  private readonly tiles = new Map<string, Tile>(); // used longest ago first
  private readonly spans = new Map<string, {readonly window: Window; readonly spans: Spans}>();
  private readonly underway = new Map<string, AbortController>();
  private queue: Wanted[] = [];
  private bytes = 0;

  constructor(
    readonly run: string,
    readonly info: TimelineInfo,
  ) {
    this.ranks = ranksIn(info);
    this.rowOf = new Map(this.ranks.map((rank, row) => [rank, row]));
  }

  get isBusy(): boolean {
    return this.underway.size > 0 || this.queue.length > 0;
  }

  blockOf(rank: number): number {
    return Math.floor((this.rowOf.get(rank) ?? 0) / this.info.tile_ranks);
  }

  // The tile, or one around it that is here.
  tile(key: TileKey): {readonly tile: Tile; readonly key: TileKey} | null {
    for (let one: TileKey | null = key; one !== null; one = coarser(this.info, one)) {
      const text = keyText(one);
      const tile = this.tiles.get(text);
      if (tile === undefined) continue;
      this.tiles.delete(text);
      this.tiles.set(text, tile);
      return {tile, key: one};
    }
    return null;
  }

  // The coarsest tile of a block, which holds all its time, if it is here.
  wholeOf(block: number): Tile | null {
    return this.tile({shift: this.info.last_shift, column: 0, block})?.tile ?? null;
  }

  spansOf(rank: number): Spans | null {
    return this.spans.get(String(rank))?.spans ?? null;
  }

  // What a picture needs now, the most important first; everything else is given up.
  want(tiles: readonly TileKey[], open: readonly number[], window: Window, pixels: number): void {
    const wanted: Wanted[] = [];
    const seen = new Set<string>();
    for (const key of tiles) {
      const text = keyText(key);
      if (this.tiles.has(text) || seen.has(text)) continue;
      seen.add(text);
      const {from, to} = tileWindow(this.info, key);
      const first = key.block * this.info.tile_ranks;
      const last = Math.min(this.ranks.length, first + this.info.tile_ranks) - 1;
      const ranks =
        last - first === (this.ranks[last] ?? 0) - (this.ranks[first] ?? 0)
          ? `${this.ranks[first]}-${this.ranks[last]}`
          : this.ranks.slice(first, last + 1).join(",");
      wanted.push({
        key: text,
        path: `?version=${this.info.version}&from_ns=${from}&to_ns=${to}&width=${this.info.tile_bins}&ranks=${ranks}`,
        take: (bytes) => this.takeTile(text, bytes),
      });
    }
    const length = window.to - window.from;
    for (const rank of open) {
      const known = this.spans.get(String(rank));
      const isFine =
        known !== undefined &&
        known.window.from <= window.from &&
        known.window.to >= window.to &&
        known.spans.resolution_ns <= Math.max((2 * length) / pixels, 1);
      if (isFine) continue;
      // More than is seen, so that panning finds it there; the same for close windows, so that it is asked for once.
      const unit = 2 ** Math.ceil(Math.log2(length));
      const around = {
        from: (Math.floor(window.from / unit) - 0.5) * unit,
        to: (Math.floor(window.from / unit) + 2.5) * unit,
      };
      const width = Math.min(4096, Math.ceil((3 * pixels * unit) / length / 64) * 64);
      wanted.push({
        key: `spans/${rank}/${around.from}/${unit}/${width}`,
        path: `/spans?version=${this.info.version}&rank=${rank}&from_ns=${Math.floor(around.from)}&to_ns=${Math.ceil(around.to)}&width=${width}`,
        take: (bytes) => this.takeSpans(rank, around, bytes),
      });
    }
    const keys = new Set(wanted.map(({key}) => key));
    for (const [key, abort] of this.underway) if (!keys.has(key)) abort.abort();
    this.queue = wanted.filter(({key}) => !this.underway.has(key));
    this.next();
  }

  private next(): void {
    while (this.underway.size < atOnce) {
      const one = this.queue.shift();
      if (one === undefined) return;
      const abort = new AbortController();
      this.underway.set(one.key, abort);
      getBytes(`/api/v1/runs/${this.run}/timeline${one.path}`, abort.signal)
        .then(one.take)
        .then(() => {
          if (this.problem.value !== "") this.problem.value = "";
        })
        .catch((error: unknown) => {
          if (abort.signal.aborted) return;
          this.problem.value = error instanceof ApiError || error instanceof Error ? error.message : String(error);
          this.queue = [];
        })
        .finally(() => {
          this.underway.delete(one.key);
          this.changes.value++;
          this.next();
        });
    }
  }

  private takeTile(key: string, bytes: ArrayBuffer): void {
    this.tiles.set(key, decodeTile(bytes));
    this.bytes += bytes.byteLength;
    for (const [oldest, tile] of this.tiles) {
      if (this.bytes <= mostTileBytes || oldest === key) break;
      this.tiles.delete(oldest);
      this.bytes -= tile.data.buffer.byteLength;
    }
  }

  private takeSpans(rank: number, window: Window, bytes: ArrayBuffer): void {
    const key = String(rank);
    this.spans.delete(key);
    this.spans.set(key, {window, spans: decodeSpans(bytes)});
    for (const oldest of this.spans.keys()) {
      if (this.spans.size <= mostSpans) break;
      this.spans.delete(oldest);
    }
    this.spanChanges.value++;
  }

  // When nothing is on its way.
  idle(): Promise<void> {
    return new Promise((resolve) => {
      const stop = effect(() => {
        void this.changes.value;
        if (!this.isBusy)
          setTimeout(() => {
            stop();
            resolve();
          }, 0);
      });
    });
  }
}
