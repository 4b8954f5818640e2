// A length of time in a table: rounded, and exact on hover.

import {humanDuration} from "../../model/format";

export function Time({ns}: {readonly ns: number | string}) {
  return (
    <td class="number" data-value={String(ns)} title={`${ns} ns`}>
      {humanDuration(Number(ns))}
    </td>
  );
}
