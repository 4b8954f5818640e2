// The order of ranks: by number, by where they are in the layout, or by where their time goes; and what stands before that order.

import {binParts} from "../../model/timeline";
import {type Dimension, dimensions, type Order} from "./address";
import {arranged} from "./arrangement";

type Coordinate = string | number | null;

// What ranks are ordered by.
export interface Measured {
  readonly placeOf: (rank: number, dimension: Dimension) => Coordinate; // null: not known
  readonly shareOf: (rank: number, part: number) => number; // of its time, by binParts
}

// Unknown comes last.
function compared(a: Coordinate, b: Coordinate): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", {numeric: true});
}

export function orderedRanks(ranks: readonly number[], order: Order, {placeOf, shareOf}: Measured): readonly number[] {
  if (order === "rank") return ranks;
  const dimension = dimensions.find((one) => one === order);
  if (dimension !== undefined)
    return [...ranks].sort((a, b) => compared(placeOf(a, dimension), placeOf(b, dimension)) || a - b);
  const part = binParts.indexOf(order === "waiting" ? "wait" : order === "computing" ? "compute" : "idle_host");
  // Who waits least makes the others wait, so it comes first; of the others, most.
  const sign = order === "waiting" ? 1 : -1;
  return [...ranks].sort((a, b) => sign * (shareOf(a, part) - shareOf(b, part)) || a - b);
}

// Without those that are hidden; from above as they were placed by hand, then those of the chosen finding, then the others.
export function standing(
  ranks: readonly number[],
  hidden: ReadonlySet<string>,
  first: ReadonlySet<number>,
  placed: readonly string[],
): readonly number[] {
  const seen = hidden.size === 0 ? ranks : ranks.filter((rank) => !hidden.has(String(rank)));
  const theirs =
    first.size === 0 ? seen : [...seen.filter((rank) => first.has(rank)), ...seen.filter((rank) => !first.has(rank))];
  return arranged(theirs, String, placed);
}
