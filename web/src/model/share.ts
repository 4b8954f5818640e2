// What a link to a page says: its address, or, where that is too long to be sent around, a state that the server keeps.

import {signal} from "@preact/signals";
import {share} from "./api";

export const mostInAddress = 2000;

// What a page is asked to show, so that it can be shown again.
export interface SharedState {
  readonly path: string;
  readonly search: string;
  readonly hash: string;
}

export class Sharing {
  // Of a page that shows more than its address says: what its query would be with all of it.
  readonly beyondAddress = signal<string | null>(null);

  // The address of what is seen, or one that stands for it.
  async linkToHere(): Promise<string> {
    const search = this.beyondAddress.value ?? location.search;
    const address = location.pathname + search + location.hash;
    if (address.length <= mostInAddress) return location.origin + address;
    const state: SharedState = {path: location.pathname, search, hash: location.hash};
    return location.origin + (await share({...state}));
  }
}

// What a shared state says: an address of this app, whatever somebody stored; null when it is none.
export function addressOfState(state: unknown, isPage: (path: string, search: string) => boolean): string | null {
  if (typeof state !== "object" || state === null) return null;
  const {path, search, hash, q} = state as {path?: unknown; search?: unknown; hash?: unknown; q?: unknown};
  // Of the SQL page of older versions.
  const query = typeof q === "string" ? `?q=${encodeURIComponent(q)}` : typeof search === "string" ? search : "";
  const place = typeof hash === "string" ? hash : "";
  if (
    typeof path !== "string" ||
    !/^\/(?!\/)[\w/.-]*$/.test(path) ||
    !/^(\?[^#]*)?$/s.test(query) ||
    !/^(#.*)?$/s.test(place)
  )
    return null;
  return isPage(path, query) ? path + query + place : null;
}
