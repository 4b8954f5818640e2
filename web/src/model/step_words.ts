// What is said of the step that a picture shows. No DOM.

import {grouped} from "./format";
import type {CellValue, Report} from "./report";

// Tables show the complete step of median length, and where no step is complete one that was cut off; step_spread has the complete ones.
export function stepInWords(report: Report, step: CellValue): string {
  const isComplete = report.table("step_spread").where("step", step).length > 0;
  return isComplete ? "The step of median length" : "A step that the recording cut off, for none is complete";
}

// "number 10, complete on all 8 ranks", "10 to 13, complete on all 16 ranks", "0 to 9, 36 of 40 complete on 4 ranks". `complete` counts steps of single ranks.
export function whichSteps(numbers: readonly number[], count: number, complete: number, ranks: number): string {
  const [first, last] = [numbers[0], numbers.at(-1)];
  const which =
    first === undefined || last === undefined ? "" : count === 1 ? `number ${first}` : `${first} to ${last}`;
  const where = ranks === 1 ? "" : ranks === 2 ? " on both ranks" : ` on all ${grouped(ranks)} ranks`;
  const all = count * ranks;
  const whole =
    complete >= all
      ? `complete${where}`
      : `${grouped(complete)} of ${grouped(all)} complete, each rank\u2019s counted for itself`;
  return [which, whole].filter(Boolean).join(", ");
}
