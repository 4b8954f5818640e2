// Single cells of tables, and what stands for a colour.

import {exact, human} from "../model/format";
import type {Cell} from "../model/report";

export function Swatch({colour, kind}: {readonly colour?: string | null | undefined; readonly kind?: string}) {
  const style = colour ? {"--swatch": `var(--${colour})`} : undefined;
  const classes = ["swatch", kind, colour === "waiting" ? "pale" : ""].filter(Boolean).join(" ");
  return <span class={classes} aria-hidden="true" style={style} />;
}

// What a node that shows a cell has: exact on hover, and where it comes from for tests.
export function cellAttributes(cell: Cell) {
  const isNumber = cell.type !== "string" && cell.value !== null;
  return {
    "data-cell": cell.id,
    "data-value": cell.value === null ? "" : String(cell.value),
    title: isNumber && cell.unit && cell.unit !== "name" ? exact(cell.value, cell.unit) : undefined,
    class: cell.value === null ? "unknown" : undefined,
  };
}

// Rounded for people.
export function cellText(cell: Cell): string {
  return human(cell.value, cell.unit);
}

export function CellSpan({cell}: {readonly cell: Cell}) {
  return <span {...cellAttributes(cell)}>{cellText(cell)}</span>;
}
