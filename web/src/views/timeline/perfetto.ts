// The visible window of one rank, in another tool.

import {getBytes} from "../../model/api";
import type {TimelineStore} from "../../model/timeline_store";
import type {Window} from "../../model/timeline";

// Where Perfetto's UI is. A site may run its own: the server says so (serve --perfetto URL), and a reader for this browser.
const usual = "https://ui.perfetto.dev";
const place = "rankscope.perfetto";

// Null: it is no address of a page.
export function pageAddress(text: string): string | null {
  try {
    const url = new URL(text.trim());
    return url.protocol === "https:" || url.protocol === "http:" ? url.origin + url.pathname : null;
  } catch {
    return null;
  }
}

export function perfettoUrl(): string {
  let own: string | null = null;
  try {
    own = pageAddress(localStorage.getItem(place) ?? "");
  } catch {
    /* a browser that keeps nothing */
  }
  return own ?? pageAddress(document.querySelector<HTMLMetaElement>("meta[name=perfetto]")?.content ?? "") ?? usual;
}

// "": as the server says. False: it is no address.
export function setPerfettoUrl(text: string): boolean {
  const url = pageAddress(text);
  if (url === null && text.trim() !== "") return false;
  try {
    if (url === null) localStorage.removeItem(place);
    else localStorage.setItem(place, url);
  } catch {
    /* then it holds until the page is left */
  }
  return true;
}

// The address of the trace of that window. Files count from their first event.
export function traceWindow(store: TimelineStore, rank: number, file: string, window: Window): string {
  const begin = store.info.captures.find(([one]) => one === rank)?.[2] ?? 0;
  const name = file.split("/").map(encodeURIComponent).join("/");
  const [from, to] = [Math.max(0, Math.floor(window.from - begin)), Math.max(1, Math.ceil(window.to - begin))];
  return `/api/v1/runs/${store.run}/files/${name}?from_ns=${from}&to_ns=${to}`;
}

// Perfetto's own protocol for pages: say PING until it says PONG, then hand the trace over.
export async function openInPerfetto(store: TimelineStore, rank: number, file: string, window: Window): Promise<void> {
  const url = perfettoUrl();
  const other = open(url);
  if (other === null) {
    store.problem.value = "The browser does not let this page open another one: allow it, and try again.";
    return;
  }
  try {
    const buffer = await getBytes(traceWindow(store, rank, file, window), new AbortController().signal);
    const origin = new URL(url).origin;
    const ask = setInterval(() => other.postMessage("PING", origin), 50);
    const giveUp = setTimeout(() => {
      clearInterval(ask);
      removeEventListener("message", listen);
      store.problem.value = `${origin} does not answer. The window can be downloaded and opened there by hand.`;
    }, 20_000);
    const listen = (event: MessageEvent<unknown>) => {
      if (event.source !== other || event.origin !== origin || event.data !== "PONG") return;
      clearInterval(ask);
      clearTimeout(giveUp);
      removeEventListener("message", listen);
      other.postMessage(
        {perfetto: {buffer, title: `rank ${rank}`, fileName: file.split("/").at(-1) ?? "trace.json"}},
        origin,
        [buffer],
      );
    };
    addEventListener("message", listen);
  } catch (error) {
    other.close();
    store.problem.value = error instanceof Error ? error.message : String(error);
  }
}
