// How wide plots are: told once at the start, and again when that or the medium changes.

import {signal} from "@preact/signals";

interface Sized {
  readonly node: HTMLElement;
  readonly take: (width: number) => void;
  width: number;
}

const paperWidth = 700; // what A4 has between its margins

export class Sizes {
  readonly isPaper = signal(false);
  private readonly all = new Map<Element, Sized>();
  // Once sizes are watched, what is new is told its width as soon as it is in the document.
  private observer: ResizeObserver | null = null;

  add(node: HTMLElement, take: (width: number) => void): () => void {
    this.all.set(node, {node, take, width: 0});
    this.observer?.observe(node);
    return () => {
      this.all.delete(node);
      this.observer?.unobserve(node);
    };
  }
  // Those that came to the document since, with pauses between them.
  async tellNew(pause: () => Promise<void>): Promise<void> {
    for (const one of [...this.all.values()]) {
      if (one.width > 0) continue;
      this.tell(one);
      // Preact draws first.
      await Promise.resolve();
      await pause();
    }
  }
  watch(): void {
    const observer = new ResizeObserver((entries) => {
      if (this.isPaper.value) return;
      for (const entry of entries) {
        const one = this.all.get(entry.target);
        if (one) this.tell(one);
      }
    });
    this.observer = observer;
    for (const node of this.all.keys()) observer.observe(node);
    addEventListener("beforeprint", () => this.setPaper(true));
    addEventListener("afterprint", () => this.setPaper(false));
    matchMedia("print").addEventListener("change", (event) => this.setPaper(event.matches));
  }
  private setPaper(isPaper: boolean): void {
    if (this.isPaper.value === isPaper) return;
    this.isPaper.value = isPaper;
    for (const one of this.all.values()) this.tell(one);
  }
  private tell(one: Sized): void {
    const width = this.isPaper.value ? paperWidth : one.node.clientWidth;
    if (width === 0 || width === one.width) return;
    one.width = width;
    one.take(width);
  }
}
