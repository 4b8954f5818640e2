import {describe, expect, it} from "vitest";
import {FrameTree} from "./frame_tree";

// all (10) -> a (6) -> c (5); b (3); the rest (1), which comes last.
const frames = [null, 0, 0, 1, 0].map((parent, i) => ({parent, isRest: i === 4}));
const totals = [10, 6, 3, 5, 4];
const weight = {total: (frame: number) => totals[frame] ?? 0};

describe("a tree of frames", () => {
  const tree = new FrameTree(frames);
  it("orders by weight, the rest last", () => {
    expect(tree.inside(0, weight)).toEqual([1, 2, 4]);
  });
  it("leads to the heaviest and back", () => {
    expect(tree.heaviestInside(0, weight)).toBe(3);
    expect(tree.pathTo(3)).toEqual([0, 1, 3]);
  });
  it("draws boxes as wide as their share", () => {
    const boxes = tree.boxes(1, weight, 600, 1);
    expect(boxes).toContainEqual({frame: 0, x: 0, width: 600, level: 0, isAround: true});
    expect(boxes).toContainEqual({frame: 3, x: 0, width: 500, level: 2, isAround: false});
  });
  it("counts what lies in a found frame once", () => {
    expect(tree.sumOf(0, weight, (frame) => frame === 1 || frame === 3)).toEqual({count: 2, sum: 6});
  });
});
