// A number in a box of its own, with its name and what else is to be said of it.

import type {ComponentChildren} from "preact";
import type {Cell} from "../../model/report";

interface Tile {
  readonly name: string;
  // What it shows first: the name is explained by its column.
  readonly cell?: Cell | undefined;
  readonly doc?: string;
  readonly isWords?: boolean;
  readonly more?: ComponentChildren;
  readonly children: ComponentChildren;
}
export function Tile({name, cell, doc, isWords = false, more, children}: Tile) {
  return (
    <div class="tile">
      <div class="name" title={doc ?? cell?.doc ?? undefined}>
        {name}
      </div>
      <div class={isWords ? "value words" : "value"}>{children}</div>
      {more ? <div class="more">{more}</div> : null}
    </div>
  );
}
