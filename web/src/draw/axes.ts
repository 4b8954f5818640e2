// Axes of the SVG plots.

import {svg} from "./dom";

// About `count` round numbers from 0 to most.
export function ticks(most: number, count: number): number[] {
  if (!(most > 0)) return [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) ?? 10 * power;
  const found: number[] = [];
  for (let i = 0; i * step <= most * 1.0001; ++i) found.push(Number((i * step).toPrecision(12)));
  return found;
}

// Which of `count` places `pitch` pixels wide get a label that needs `room` pixels: every n-th, n a round number.
export function everyNth(count: number, pitch: number, room: number): number {
  const least = room / pitch;
  if (least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}

// Labels below columns, thinned to fit; `name` stands once at the left of them.
export function columnLabels(labels: readonly string[], left: number, pitch: number, y: number): SVGElement[] {
  const longest = labels.reduce((most, label) => Math.max(most, label.length), 1);
  const step = everyNth(labels.length, pitch, longest * 6.6 + 8);
  const nodes: SVGElement[] = [];
  for (let i = 0; i < labels.length; i += step) {
    nodes.push(svg("text", {x: (left + (i + 0.5) * pitch).toFixed(1), y, "text-anchor": "middle"}, labels[i]));
  }
  return nodes;
}
