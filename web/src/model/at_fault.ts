// The ranks that the findings accuse: who comes last somewhere may have waited for them. As src/report/words/at_fault.h. No DOM.

import type {Table} from "./report";
import {numbersOf} from "./ranks";

export interface AtFault {
  readonly who: string; // "rank 5"
  readonly finding: string; // its id
}

// Of the first finding of high or medium severity that accuses some of the recorded ranks and not all of them.
export function ranksAtFault(findings: Table, recorded: number): AtFault | null {
  const row = findings.rows().find((one) => {
    const accused = numbersOf(findings.get(one, "ranks")).length;
    return findings.get(one, "severity") !== "low" && accused > 0 && accused < recorded;
  });
  return row === undefined ? null : {who: String(findings.get(row, "who")), finding: String(findings.get(row, "id"))};
}
