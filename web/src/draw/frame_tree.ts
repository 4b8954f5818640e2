// A tree of frames with weights: its order, the boxes of its flame graph, and sums over some of its frames.
//
// frames: {parent (index or null), isRest}, a parent before its children; the first holds all others. `isRest` stands for smaller
// frames and comes last. A weight has total(frame) -> number.

import {sorted} from "../model/order";

export interface Frame {
  readonly parent: number | null;
  readonly isRest: boolean;
}
export interface FrameWeight {
  readonly total: (frame: number) => number;
}
interface FrameBox {
  readonly frame: number;
  readonly x: number;
  readonly width: number;
  readonly level: number;
  readonly isAround: boolean;
}

export class FrameTree {
  private readonly children: number[][];
  private readonly levels: number[] = [];
  private readonly orders = new Map<FrameWeight, Map<number, number[]>>(); // of each weight: frame -> what it calls

  constructor(private readonly frames: readonly Frame[]) {
    this.children = frames.map(() => []);
    frames.forEach(({parent}, i) => {
      if (parent !== null) this.children[parent]?.push(i);
      this.levels[i] = parent === null ? 0 : this.levelOf(parent) + 1;
    });
  }
  private levelOf(frame: number): number {
    return this.levels[frame] ?? 0;
  }
  // What a frame calls, the heaviest first, without what has nothing of the weight.
  inside(frame: number, weight: FrameWeight): readonly number[] {
    let known = this.orders.get(weight);
    if (known === undefined) {
      known = new Map();
      this.orders.set(weight, known);
    }
    let found = known.get(frame);
    if (found === undefined) {
      const order = sorted(
        (this.children[frame] ?? []).filter((child) => weight.total(child) > 0),
        weight.total,
        true,
      );
      found = [
        ...order.filter((child) => !this.frames[child]?.isRest),
        ...order.filter((child) => this.frames[child]?.isRest),
      ];
      known.set(frame, found);
    }
    return found;
  }
  // From the outermost one to the frame itself.
  pathTo(frame: number): number[] {
    const path: number[] = [];
    for (let one: number | null = frame; one !== null; one = this.frames[one]?.parent ?? null) path.unshift(one);
    return path;
  }
  heaviestInside(frame: number, weight: FrameWeight): number {
    let found = frame;
    for (;;) {
      const [next] = this.inside(found, weight);
      if (next === undefined) return found;
      found = next;
    }
  }
  // {frame, x, width, level, isAround}: `zoom` fills the width, and so do the frames around it; what is narrower than `least` is left out.
  boxes(zoom: number, weight: FrameWeight, width: number, least: number): FrameBox[] {
    const found: FrameBox[] = this.pathTo(zoom)
      .slice(0, -1)
      .map((frame) => ({frame, x: 0, width, level: this.levelOf(frame), isAround: true}));
    const scale = width / weight.total(zoom);
    const open = [{frame: zoom, x: 0, width}];
    for (let box = open.pop(); box !== undefined; box = open.pop()) {
      found.push({...box, level: this.levelOf(box.frame), isAround: false});
      let x = box.x;
      for (const child of this.inside(box.frame, weight)) {
        const wide = weight.total(child) * scale;
        if (wide >= least) open.push({frame: child, x, width: wide});
        x += wide;
      }
    }
    return found;
  }
  // How many frames in `top` are wanted, and their weight; what lies in one that is wanted counts once.
  sumOf(top: number, weight: FrameWeight, isWanted: (frame: number) => boolean): {count: number; sum: number} {
    let count = 0;
    let sum = 0;
    const open: [frame: number, isCounted: boolean][] = [[top, false]];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const [frame, isCounted] = one;
      const wanted = isWanted(frame);
      if (wanted) ++count;
      if (wanted && !isCounted) sum += weight.total(frame);
      for (const child of this.inside(frame, weight)) open.push([child, isCounted || wanted]);
    }
    return {count, sum};
  }
}
