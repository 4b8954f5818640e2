// What is said of the step that a picture shows. No DOM.

import type {CellValue, Report} from "./report";

// Tables show the complete step of median length, and where no step is complete one that was cut off; step_spread has the complete ones.
export function stepInWords(report: Report, step: CellValue): string {
  const isComplete = report.table("step_spread").where("step", step).length > 0;
  return isComplete ? "The step of median length" : "A step that the recording cut off, for none is complete";
}
