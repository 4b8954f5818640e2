// Stacks with weights as the frames of a flame graph. No DOM.

import type {FlameFrame} from "../../draw/flame_graph";

export interface WeighedStack {
  readonly stack: string; // "outer;inner", "" where it is not known
  readonly weight: number;
  readonly last: string; // what stands below the innermost frame: what was launched or waited for; "" for nothing
}

export interface StackTree {
  readonly frames: readonly FlameFrame[];
  readonly totals: readonly number[];
  readonly own: readonly number[];
}

const unknown = "(stack not known)";
const mostFrames = 20_000;

function kindOf(name: string): string {
  return /\(.*\.py:\d+\)$/.test(name) ? "python" : "native";
}

// The first frame holds all others. What is beyond a bound of frames counts with the frame around it.
export function treeOf(stacks: readonly WeighedStack[]): StackTree {
  const frames: FlameFrame[] = [{parent: null, name: "all", label: "all", kind: null, isRest: false}];
  const totals = [0];
  const own = [0];
  const known = new Map<string, number>();
  for (const {stack, weight, last} of stacks) {
    const names = [...(stack === "" ? [unknown] : stack.split(";")), ...(last === "" ? [] : [last])];
    let at = 0;
    totals[0] = (totals[0] ?? 0) + weight;
    names.forEach((name, depth) => {
      const key = `${at}\n${name}`;
      let next = known.get(key);
      if (next === undefined) {
        if (frames.length >= mostFrames) return;
        next = frames.length;
        known.set(key, next);
        const isLast = last !== "" && depth === names.length - 1;
        frames.push({parent: at, name, label: name, kind: isLast ? "last" : kindOf(name), isRest: false});
        totals.push(0);
        own.push(0);
      }
      at = next;
      totals[at] = (totals[at] ?? 0) + weight;
    });
    own[at] = (own[at] ?? 0) + weight;
  }
  return {frames, totals, own};
}
