// What tables and columns are, as the server says it (GET /api/v1/tables), asked for once a page.

import {signal} from "@preact/signals";
import {getDefinitions} from "./api";
import type {Definition} from "./sql";

const known = signal<ReadonlyMap<string, Definition>>(new Map());
let isAsked = false;

export function askForDefinitions(): void {
  if (isAsked) return;
  isAsked = true;
  getDefinitions()
    .then((all) => {
      known.value = new Map(all.map((one) => [one.name, one]));
    })
    .catch(() => {
      /* names stay without explanations */
    });
}

// "": not known, or not yet.
export function columnDoc(table: string, column: string): string {
  const found = known.value.get(table)?.columns.find((one) => one.name === column);
  return found === undefined ? "" : `${found.doc}${found.unit === "" || found.doc === "" ? "" : ` (${found.unit})`}`;
}
