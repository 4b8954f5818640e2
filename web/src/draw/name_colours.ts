// Colours of names: a name has the same one in every picture. There are fewer than names, so they repeat.

// Each carries text in the colour on-strong, in both themes.
const palette = [
  "series-1",
  "frame-op",
  "frame-annotation",
  "series-2",
  "frame-module",
  "frame-python",
  "series-6",
  "frame-call",
] as const;

export function colourOfName(name: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; ++i) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return palette[((hash >>> 16) ^ hash) & (palette.length - 1)] ?? palette[0];
}
