// The runs that are chosen to be compared: at most two, in the order in which they were chosen, the first is the base. They stay chosen
// on the way through the pages of a tab.

import {signal} from "@preact/signals";

const place = "rankscope.compared";

function remembered(): readonly string[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(place) ?? "[]");
    return Array.isArray(found)
      ? found.filter((one): one is string => typeof one === "string" && /^[0-9a-f]{16}$/.test(one)).slice(0, 2)
      : [];
  } catch {
    return []; // a browser that keeps nothing
  }
}

export const compared = signal<readonly string[]>(remembered());

function choose(ids: readonly string[]): void {
  compared.value = ids;
  try {
    sessionStorage.setItem(place, JSON.stringify(ids));
  } catch {
    /* then they are forgotten with the page */
  }
}

export function chooseToCompare(id: string): void {
  const others = compared.value.filter((one) => one !== id);
  choose(others.length < compared.value.length ? others : [...others.slice(-1), id]);
}

// Those that are no longer there cannot be compared.
export function forgetAllBut(isThere: (id: string) => boolean): void {
  const left = compared.value.filter(isThere);
  if (left.length < compared.value.length) choose(left);
}
