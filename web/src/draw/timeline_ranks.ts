// The rows of ranks, from tiles: one picture of a tile is scaled to the rows and bins that are seen.

import type {Tile} from "../model/timeline";
import {rulerHeight, type TimelinePicture, type TimelineRow, xOf} from "./timeline_picture";
import type {Paints} from "./timeline_theme";
import {lateBins, stackHeight, stackPicture, thinPicture} from "./timeline_tiles";

const pictures = new WeakMap<
  Tile,
  {
    theme: string;
    thin: HTMLCanvasElement | null;
    stack: HTMLCanvasElement | null;
    late: ReadonlyMap<number, readonly number[]>;
  }
>();

// Pictures are made when they are first seen, for so long in one frame; what is coarser stands in for the others until then.
const makingMs = 6;

export class Making {
  private readonly begin = performance.now();
  isBehind = false;
  of(tile: Tile, isTall: boolean, now: Paints): HTMLCanvasElement | null {
    let known = pictures.get(tile);
    if (known === undefined || known.theme !== now.theme) {
      known = {theme: now.theme, thin: null, stack: null, late: lateBins(tile)};
      pictures.set(tile, known);
    }
    const made = isTall ? known.stack : known.thin;
    if (made !== null) return made;
    if (performance.now() - this.begin > makingMs) {
      this.isBehind = true;
      return null;
    }
    return isTall ? (known.stack = stackPicture(tile, now.inks)) : (known.thin = thinPicture(tile, now.inks));
  }
}

export function drawRanks(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  own: readonly TimelineRow[],
  making: Making,
  now: Paints,
): void {
  const lates: [number, number, number][] = [];
  for (let at = 0; at < own.length; ) {
    const row = own[at];
    if (row === undefined) break;
    const tiles = picture.tilesOf(row.rank);
    const isThin = row.height < 4;
    // Thin rows of one block that follow each other, as a tile has them, are drawn at once.
    let count = 1;
    const first = tiles[0];
    const place = first === undefined ? -1 : placeIn(first, row.rank);
    if (isThin && first !== undefined) {
      while (
        own[at + count]?.height === row.height &&
        first.ranks[place + count] === own[at + count]?.rank &&
        own[at + count]?.top === row.top + count * row.height
      )
        ++count;
    }
    const y = row.top - picture.scroll + rulerHeight;
    const isTall = row.height >= stackHeight;
    const height = isThin ? row.height * count : row.height - 1;
    for (const tile of place < 0 ? [] : tiles) {
      const source = making.of(tile, isTall, now);
      if (source === null) continue;
      const length = 2 ** tile.shift;
      // Only the bins that are seen: scaling what is clipped away costs as much.
      const begin = Math.max(0, Math.floor((picture.window.from - tile.begin) / length));
      const end = Math.min(tile.bins, Math.ceil((picture.window.to - tile.begin) / length));
      if (begin >= end) continue;
      const [left, right] = [xOf(picture, tile.begin + begin * length), xOf(picture, tile.begin + end * length)];
      const each = isTall ? stackHeight : 1;
      context.drawImage(source, begin, place * each, end - begin, each * count, left, y, right - left, height);
      if (isThin) continue;
      for (const bin of pictures.get(tile)?.late.get(place) ?? []) {
        if (bin >= begin && bin < end) lates.push([xOf(picture, tile.begin + (bin + 0.5) * length), y, height]);
      }
    }
    at += count;
  }
  if (lates.length <= 4000) {
    // Every collective has a last member, so this is no alarm: a notch, which is seen in every colour that stands out from the ground.
    context.fillStyle = now.of.get("ground") ?? "#fff";
    for (const [x, y, height] of lates) context.fillRect(Math.round(x) - 1, y, 2, Math.min(5, height));
  }
}

// The row of a rank in a tile; -1: it is not in it.
export function placeIn(tile: Tile, rank: number): number {
  let [low, high] = [0, tile.ranks.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = tile.ranks[middle] ?? 0;
    if (found === rank) return middle;
    if (found < rank) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
