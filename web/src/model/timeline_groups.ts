// Rows of ranks that stand together: by host or by a dimension of the layout. A group that is folded is one row, in which every bin is that
// of the rank whose time goes farthest from how it goes for the group: the extreme wins, not the mean. No DOM.

import {binBytes, binParts, restByte, type Tile} from "./timeline";

export interface RankGroup {
  readonly key: string;
  readonly label: string;
  readonly ranks: readonly number[];
  readonly isFolded: boolean;
}

// The rows of groups stand for ranks that no job has.
export function groupRank(index: number): number {
  return -1 - index;
}
export function groupOf(rank: number): number | null {
  return rank < 0 ? -1 - rank : null;
}

// By their places, in the order in which those are; ranks within as they were.
export function groupsOf(
  ranks: readonly number[],
  placeOf: (rank: number) => string | number | null,
  labelOf: (place: string) => string,
  folded: ReadonlySet<string>,
): RankGroup[] {
  const found = new Map<string, {place: string | number | null; ranks: number[]}>();
  for (const rank of ranks) {
    const place = placeOf(rank);
    const key = place === null ? "?" : String(place);
    const group = found.get(key);
    if (group) group.ranks.push(rank);
    else found.set(key, {place, ranks: [rank]});
  }
  const order = new Intl.Collator("en", {numeric: true});
  return [...found]
    .sort(
      ([a, {place: one}], [b, {place: other}]) => Number(one === null) - Number(other === null) || order.compare(a, b),
    )
    .map(([key, {ranks: members}]) => ({key, label: labelOf(key), ranks: members, isFolded: folded.has(key)}));
}

interface Member {
  readonly data: Uint8Array;
  readonly begin: number; // of its row
}

// How a bin of a member goes, added to `sums`; false: nothing was recorded there.
function addBin({data, begin}: Member, bin: number, sums: Float64Array): boolean {
  const at = begin + bin * binBytes;
  let total = (data[at + restByte] ?? 0) >> 4;
  for (let part = 0; part < binParts.length; ++part) total += data[at + part] ?? 0;
  if (total === 0) return false;
  for (let part = 0; part < binParts.length; ++part) sums[part] = (sums[part] ?? 0) + (data[at + part] ?? 0);
  return true;
}
function distanceOf({data, begin}: Member, bin: number, means: Float64Array): number {
  const at = begin + bin * binBytes;
  let distance = 0;
  for (let part = 0; part < binParts.length; ++part) distance += Math.abs((data[at + part] ?? 0) - (means[part] ?? 0));
  return distance;
}

// `members`: tiles with the same bins, and those rows of them that belong to the group. Flags are those of all ranks.
export function extremeTile(
  rank: number,
  members: readonly {readonly tile: Tile; readonly rows: readonly number[]}[],
): Tile | null {
  const first = members[0]?.tile;
  if (first === undefined) return null;
  const {bins, shift, begin} = first;
  const data = new Uint8Array(bins * binBytes);
  const all: Member[] = members.flatMap(({tile, rows}) =>
    rows.map((row) => ({data: tile.data, begin: row * bins * binBytes})),
  );
  const means = new Float64Array(binParts.length);
  for (let bin = 0; bin < bins; ++bin) {
    means.fill(0);
    const recorded = all.filter((one) => addBin(one, bin, means));
    for (let part = 0; part < means.length; ++part) means[part] = (means[part] ?? 0) / recorded.length;
    let extreme: Member | undefined;
    let farthest = -1;
    let flags = 0;
    for (const one of recorded) {
      flags |= (one.data[one.begin + bin * binBytes + restByte] ?? 0) & 15;
      const distance = distanceOf(one, bin, means);
      if (distance <= farthest) continue;
      farthest = distance;
      extreme = one;
    }
    if (extreme === undefined) continue;
    const to = bin * binBytes;
    data.set(extreme.data.subarray(extreme.begin + to, extreme.begin + to + binBytes), to);
    data[to + restByte] = ((data[to + restByte] ?? 0) & 0xf0) | flags;
  }
  return {ranks: Float64Array.of(rank), bins, shift, begin, data};
}
