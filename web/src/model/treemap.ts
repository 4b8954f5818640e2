// Sizes as areas that fill a rectangle and are as near to squares as their order allows: a squarified treemap (Bruls, Huizing
// and van Wijk, 2000).

export interface Tile {
  readonly index: number; // of its size
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

// The worst ratio of sides in a row of these areas along a side.
function worst(areas: readonly number[], side: number): number {
  const sum = areas.reduce((all, one) => all + one, 0);
  const thickness = sum / side;
  return Math.max(...areas.map((area) => Math.max(thickness ** 2 / area, area / thickness ** 2)));
}

// Sizes that are not above 0 have no tile. O(n^2) at worst.
export function treemap(sizes: readonly number[], width: number, height: number): Tile[] {
  const order = sizes
    .map((size, index) => ({size, index}))
    .filter(({size}) => size > 0)
    .sort((a, b) => b.size - a.size || a.index - b.index);
  const all = order.reduce((sum, {size}) => sum + size, 0);
  const tiles: Tile[] = [];
  let [x, y, left, below] = [0, 0, width, height];
  for (let at = 0; at < order.length; ) {
    const side = Math.min(left, below);
    const row: {area: number; index: number}[] = [];
    for (let next = at; next < order.length; ++next) {
      const one = order[next];
      if (one === undefined) break;
      const area = (one.size / all) * width * height;
      const areas = row.map((placed) => placed.area);
      if (row.length > 0 && worst([...areas, area], side) > worst(areas, side)) break;
      row.push({area, index: one.index});
    }
    at += row.length;
    const sum = row.reduce((total, {area}) => total + area, 0);
    const thickness = sum / side;
    let along = 0;
    for (const {area, index} of row) {
      const length = area / thickness;
      tiles.push(
        left >= below
          ? {index, x, y: y + along, width: thickness, height: length}
          : {index, x: x + along, y, width: length, height: thickness},
      );
      along += length;
    }
    if (left >= below) [x, left] = [x + thickness, left - thickness];
    else [y, below] = [y + thickness, below - thickness];
  }
  return tiles;
}
