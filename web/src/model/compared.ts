// The runs that are chosen to be compared, in the order in which they were chosen, the first is the base. They stay chosen
// on the way through the pages of a tab.

import {signal} from "@preact/signals";

const place = "rankscope.compared";
const mostChosen = 20;

function remembered(): readonly string[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(place) ?? "[]");
    return Array.isArray(found)
      ? found.filter((one): one is string => typeof one === "string" && /^[0-9a-f]{16}$/.test(one)).slice(0, mostChosen)
      : [];
  } catch {
    return []; // a browser that keeps nothing
  }
}

export class Compared {
  readonly ids = signal<readonly string[]>(remembered());

  toggle(id: string): void {
    const others = this.ids.value.filter((one) => one !== id);
    this.choose(others.length < this.ids.value.length ? others : [...others.slice(0, mostChosen - 1), id]);
  }
  clear(): void {
    this.choose([]);
  }
  // Those that are no longer there cannot be compared.
  forgetAllBut(isThere: (id: string) => boolean): void {
    const left = this.ids.value.filter(isThere);
    if (left.length < this.ids.value.length) this.choose(left);
  }
  private choose(ids: readonly string[]): void {
    this.ids.value = ids;
    try {
      sessionStorage.setItem(place, JSON.stringify(ids));
    } catch {
      /* then they are forgotten with the page */
    }
  }
}
