// Pictures of a timeline's tiles: a row of pixels for each rank, or rows high enough to show how a bin's time is divided. Made once for a
// tile and a theme; a canvas scales them.

import {binBytes, binParts, lateFlag, restByte, type Tile} from "../model/timeline";

export const stackHeight = 12;

// RGBA as a Uint32 of little-endian machines has it.
export type Ink = number;
export interface TileInks {
  readonly parts: readonly Ink[]; // of binParts
  readonly rest: readonly Ink[]; // of restKinds
}

export function inkOf(css: string): Ink {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(css);
  const [red, green, blue] = hex ? hex.slice(1).map((one) => parseInt(one, 16)) : [128, 128, 128];
  return (0xff000000 | ((blue ?? 0) << 16) | ((green ?? 0) << 8) | (red ?? 0)) >>> 0;
}

function mixed(a: Ink, b: Ink, share: number): Ink {
  const channel = (shift: number) =>
    Math.round(((a >>> shift) & 255) * share + ((b >>> shift) & 255) * (1 - share)) << shift;
  return (0xff000000 | channel(16) | channel(8) | channel(0)) >>> 0;
}

const partCount = binParts.length;
const busyParts = partCount - 1; // the last is the host's idling
const unknownPart = binParts.indexOf("communication_unknown");
const transferPart = binParts.indexOf("transfer");
const waitPart = binParts.indexOf("wait");
const leastForEdge = 3; // pixels: less is all edge
const stripe = 3; // pixels

// One colour for a bin: of the part that most of its busy time goes to, the paler the less it is busy. Nothing that is there vanishes.
// All that there are, made once: by what is behind (the host's idling, or one of restKinds), the part, and how busy it is in 16ths.
const shades = 16;
function thinInks(inks: TileInks): Uint32Array {
  const table = new Uint32Array((1 + inks.rest.length) * busyParts * shades);
  const behind = [inks.parts[busyParts] ?? 0, ...inks.rest];
  behind.forEach((still, i) => {
    for (let part = 0; part < busyParts; ++part) {
      for (let shade = 0; shade < shades; ++shade)
        table[(i * busyParts + part) * shades + shade] = mixed(
          inks.parts[part] ?? 0,
          still,
          Math.max(0.35, (shade + 1) / shades),
        );
    }
  });
  return table;
}

function thinInk(data: Uint8Array, at: number, inks: TileInks, table: Uint32Array): Ink {
  const rest = (data[at + restByte] ?? 0) >> 4;
  const host = data[at + busyParts] ?? 0;
  let [best, most, busy] = [0, 0, 0];
  for (let part = 0; part < busyParts; ++part) {
    const share = data[at + part] ?? 0;
    busy += share;
    if (share > most) {
      best = part;
      most = share;
    }
  }
  const behind = host * 2 > 255 - busy || (host > 0 && rest === 0) ? 0 : 1 + (rest & 3);
  if (busy === 0) return behind === 0 ? (inks.parts[busyParts] ?? 0) : (inks.rest[rest & 3] ?? 0);
  return table[(behind * busyParts + best) * shades + Math.min(shades - 1, busy >> 4)] ?? 0;
}

function picture(width: number, height: number, paint: (pixels: Uint32Array) => void): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context === null) return canvas;
  const image = new ImageData(width, height);
  paint(new Uint32Array(image.data.buffer));
  context.putImageData(image, 0, 0);
  return canvas;
}

export function thinPicture(tile: Tile, inks: TileInks): HTMLCanvasElement {
  const count = tile.ranks.length;
  const table = thinInks(inks);
  return picture(tile.bins, Math.max(1, count), (pixels) => {
    for (let i = 0; i < count * tile.bins; ++i) pixels[i] = thinInk(tile.data, i * binBytes, inks, table);
  });
}

// From below: computing, transfers, waiting, communication that may be either, copies, then the host's idling and the rest.
export function stackPicture(tile: Tile, inks: TileInks): HTMLCanvasElement {
  const count = tile.ranks.length;
  return picture(tile.bins, Math.max(1, count * stackHeight), (pixels) => {
    for (let row = 0; row < count; ++row) {
      for (let bin = 0; bin < tile.bins; ++bin) {
        const at = (row * tile.bins + bin) * binBytes;
        const rest = (tile.data[at + restByte] ?? 0) >> 4;
        let y = stackHeight;
        let sum = 0;
        for (let part = 0; part < partCount; ++part) {
          const share = tile.data[at + part] ?? 0;
          if (share === 0) continue;
          sum += share;
          const top = Math.min(y - 1, Math.round(stackHeight * (1 - Math.min(255, sum) / 255)));
          const ink = inks.parts[part] ?? 0;
          const other = part === unknownPart ? (inks.rest[0] ?? 0) : ink; // hatched
          const bottom = y;
          for (--y; y >= Math.max(0, top); --y)
            pixels[(row * stackHeight + y) * tile.bins + bin] = (bin + y) % (2 * stripe) < stripe ? ink : other;
          // What is pale has an edge of the colour that it belongs to.
          if (part === waitPart && bottom - top >= leastForEdge) {
            const edge = inks.parts[transferPart] ?? 0;
            pixels[(row * stackHeight + top) * tile.bins + bin] = edge;
            pixels[(row * stackHeight + bottom - 1) * tile.bins + bin] = edge;
          }
          ++y;
        }
        const ink = inks.rest[rest] ?? 0;
        for (--y; y >= 0; --y) pixels[(row * stackHeight + y) * tile.bins + bin] = ink;
      }
    }
  });
}

// By row the bins in which it came last.
export function lateBins(tile: Tile): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (let row = 0; row < tile.ranks.length; ++row) {
    const bins: number[] = [];
    for (let bin = 0; bin < tile.bins; ++bin) {
      if (((tile.data[(row * tile.bins + bin) * binBytes + restByte] ?? 0) & lateFlag) !== 0) bins.push(bin);
    }
    if (bins.length > 0) found.set(row, bins);
  }
  return found;
}
