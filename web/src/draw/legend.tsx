// Which colour stands for what.

import type {ComponentChildren} from "preact";
import {useLayoutEffect, useRef} from "preact/hooks";
import type {CellValue} from "../model/report";
import {Swatch} from "./cells";
import {Choosable, takesTab} from "./choosable";

// entries: [colour, label], and the rank that it is, if it is one.
export type LegendEntry = readonly [colour: string, label: string, rank?: CellValue];

export function Legend({
  entries,
  children,
}: {
  readonly entries: readonly LegendEntry[];
  readonly children?: ComponentChildren;
}) {
  const ref = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => takesTab(ref.current), [entries]);
  return (
    <ul class="legend" ref={ref}>
      {entries.map(([name, label, rank], i) => {
        const content = (
          <>
            {name ? <Swatch colour={name} /> : null}
            {label}
          </>
        );
        return rank === undefined ? (
          <li key={i}>{content}</li>
        ) : (
          <Choosable key={i} as="li" ranks={[Number(rank)]}>
            {content}
          </Choosable>
        );
      })}
      {children}
    </ul>
  );
}

// An entry of a legend whose colour is a pattern.
export function PatternEntry({
  kind,
  colour = null,
  children,
}: {
  readonly kind: string;
  readonly colour?: string | null;
  readonly children: ComponentChildren;
}) {
  return (
    <li>
      <Swatch colour={colour} kind={kind} />
      {children}
    </li>
  );
}
