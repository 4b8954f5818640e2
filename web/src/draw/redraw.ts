// When plots are drawn: once at the start, and again when their width, the theme or the medium changes.

import {applyTheme} from "./theme";
import {hideTip} from "./tooltip";

export interface Plot {
  readonly node: HTMLElement;
  width: number;
  draw: () => void;
}

export const plots: Plot[] = [];
// Once sizes are watched, what is new draws itself as soon as it is in the document.
let observer: ResizeObserver | null = null;
export const paperWidth = 700; // what A4 has between its margins
export let onPaper = false;

// draw(width) is called with the width to fill.
export function drawn<T extends HTMLElement>(node: T, draw: (width: number) => void): T {
  const plot: Plot = {
    node,
    width: 0,
    draw: () => {
      plot.width = onPaper ? paperWidth : node.clientWidth;
      if (plot.width > 0) draw(plot.width);
    },
  };
  plots.push(plot);
  observer?.observe(node);
  return node;
}

// Those that came to the document since, with pauses between them.
export async function drawNew(pause: () => Promise<void>): Promise<void> {
  for (const plot of plots.filter((one) => one.width === 0 && one.node.isConnected)) {
    plot.draw();
    await pause();
  }
}

export function redrawAll(): void {
  for (const plot of plots) plot.draw();
}

export function watchSizes(): void {
  observer = new ResizeObserver((entries) => {
    for (const entry of entries) {
      const plot = plots.find((one) => one.node === entry.target);
      if (plot && !onPaper && plot.node.clientWidth !== plot.width) plot.draw();
    }
  });
  for (const plot of plots) observer.observe(plot.node);
  const setPaper = (paper: boolean) => {
    if (onPaper === paper) return;
    onPaper = paper;
    hideTip();
    // The styles of paper are not in force yet when plots are drawn for it.
    applyTheme(paper);
    redrawAll();
  };
  addEventListener("beforeprint", () => setPaper(true));
  addEventListener("afterprint", () => setPaper(false));
  matchMedia("print").addEventListener("change", (event) => setPaper(event.matches));
}
