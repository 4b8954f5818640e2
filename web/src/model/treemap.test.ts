import {expect, test} from "vitest";
import {treemap} from "./treemap";

test("areas are sizes, and fill the rectangle", () => {
  const sizes = [6, 6, 4, 3, 2, 2, 1, 0, -1];
  const tiles = treemap(sizes, 6, 4);
  expect(tiles.map(({index}) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  for (const tile of tiles) expect(tile.width * tile.height).toBeCloseTo(sizes[tile.index] ?? 0);
  for (const tile of tiles) {
    expect(tile.x + tile.width).toBeLessThanOrEqual(6 + 1e-9);
    expect(tile.y + tile.height).toBeLessThanOrEqual(4 + 1e-9);
  }
});

test("tiles are near to squares: the example of the paper", () => {
  const [first, second, third] = treemap([6, 6, 4, 3, 2, 2, 1], 6, 4);
  expect(first).toMatchObject({x: 0, y: 0, width: 3, height: 2});
  expect(second).toMatchObject({x: 0, y: 2, width: 3, height: 2});
  expect(third?.width).toBeCloseTo(12 / 7);
});

test("nothing is nothing", () => {
  expect(treemap([], 6, 4)).toEqual([]);
  expect(treemap([0], 6, 4)).toEqual([]);
});
