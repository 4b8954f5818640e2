// What tables and columns are, as the server says it (GET /api/v1/tables), asked for once a page.

import {signal} from "@preact/signals";
import type {TableDefinition} from "@made/api_types";
import {getDefinitions} from "./api";

export class Definitions {
  private readonly known = signal<ReadonlyMap<string, TableDefinition>>(new Map());
  private isAsked = false;

  ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    getDefinitions()
      .then((all) => {
        this.known.value = new Map(all.map((one) => [one.name, one]));
      })
      .catch(() => {
        /* names stay without explanations */
      });
  }
  // "": not known, or not yet.
  columnDoc(table: string, column: string): string {
    const found = this.known.value.get(table)?.columns.find((one) => one.name === column);
    return found === undefined ? "" : `${found.doc}${found.unit === "" || found.doc === "" ? "" : ` (${found.unit})`}`;
  }
}
