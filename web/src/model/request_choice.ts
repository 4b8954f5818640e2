// The request whose course the reader looks at. The address has it: "#requests&request=17".

import {signal} from "@preact/signals";

export function requestOf(hash: string): number | null {
  const found = /[#&]request=(\d{1,12})(?:&|$)/.exec(hash);
  return found?.[1] === undefined ? null : Number(found[1]);
}

export class RequestChoice {
  // null: none.
  readonly request = signal<number | null>(null);

  // What the address says, now and when the reader goes back.
  follow(): void {
    const take = () => {
      this.request.value = requestOf(location.hash);
    };
    take();
    addEventListener("popstate", take);
  }
  // The reader chooses, which Back undoes. Pages that keep ranks leave alone what has a state of theirs.
  choose(request: number | null): void {
    if (request === this.request.value) return;
    history.pushState({ranks: ""}, "", request === null ? "#requests" : `#requests&request=${request}`);
    this.request.value = request;
  }
}
