// What the choices of the timeline are called, and which orders of rows there are.

import {type Dimension, measures, type Order, orders} from "./address";
import type {Colouring} from "./colours";
import type {TimelineState} from "./state";

export const orderWords: Readonly<Record<Order, string>> = {
  rank: "rank",
  waiting: "who waits least",
  computing: "who computes most",
  idle: "who idles most",
  host: "host",
  pp: "pipeline stage",
  dp: "data-parallel rank",
  cp: "context-parallel rank",
  ep: "expert-parallel rank",
  tp: "tensor-parallel rank",
};

export const groupWords: Readonly<Record<Dimension, string>> = {
  host: "host",
  pp: "pipeline stage",
  dp: "data-parallel rank",
  cp: "context-parallel rank",
  ep: "expert-parallel rank",
  tp: "tensor-parallel rank",
};

export const colourWords: Readonly<Record<Colouring, string>> = {
  class: "class",
  name: "name; Python by file",
  op: "op; Python by file",
};

// Ranks are ordered by a dimension of the layout only if they differ in it.
export function ordersOf(state: TimelineState): readonly Order[] {
  return orders.filter(
    (one) =>
      one === "rank" ||
      measures.some((other) => other === one) ||
      state.facts.differing.value.some((other) => other === one),
  );
}
