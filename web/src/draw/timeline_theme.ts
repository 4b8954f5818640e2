// The colours of the theme as pictures of the timeline use them, read once for each theme.

import {colour} from "./colour";
import {inkOf, type TileInks} from "./timeline_tiles";

export interface Paints {
  readonly theme: string;
  readonly inks: TileInks;
  readonly of: ReadonlyMap<string, string>;
}

let paints: Paints | null = null;

const names = [
  "ground",
  "raised",
  "text",
  "muted",
  "line",
  "grid",
  "accent",
  "chosen",
  "focus",
  "compute",
  "exposed_communication",
  "waiting",
  "communication_unknown",
  "exposed_copy",
  "still-host",
  "still-device",
  "unknown",
  "high",
  "medium",
  "low",
  "frame-python",
  "frame-op",
  "frame-annotation",
  "frame-call",
  "frame-none",
  "frame-module",
  "series-1",
  "series-2",
  "series-6",
  "frame-found",
  "on-found",
  "on-strong",
  "accent-band",
  "middle",
  "faster-1",
  "slower-1",
  "high-3",
];

export function paintsNow(): Paints {
  const theme = document.documentElement.dataset["theme"] ?? "";
  if (paints?.theme === theme) return paints;
  const of = new Map(names.map((name) => [name, colour(name)]));
  const ink = (name: string) => inkOf(of.get(name) ?? "");
  paints = {
    theme,
    of,
    inks: {
      parts: ["compute", "exposed_communication", "waiting", "communication_unknown", "exposed_copy", "still-host"].map(
        ink,
      ),
      rest: ["ground", "still-device", "unknown", "ground"].map(ink),
    },
  };
  return paints;
}
