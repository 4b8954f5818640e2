// What is still to be zoomed to once it is known when it was: a finding that was chosen, or a step that the address names.

import {effect, type ReadonlySignal} from "@preact/signals";
import type {StepTime} from "../../model/run_pair";
import type {TimelineFindings} from "./findings";
import type {TimelineViewport} from "./viewport";

// The first step of a finding, at which it is seen as it strikes; null: none of its steps is here.
export function firstStepOf(finding: {readonly steps: readonly number[]}, steps: readonly StepTime[]): StepTime | null {
  return steps.find((one) => finding.steps.length === 0 || finding.steps.includes(one.step)) ?? null;
}

export class TimelineFraming {
  // `finding`: its key; "": none.
  constructor(
    private readonly viewport: TimelineViewport,
    private readonly findings: Pick<TimelineFindings, "key" | "chosen">,
    private readonly steps: ReadonlySignal<readonly StepTime[]>,
    private finding: string,
    private step: number | null,
  ) {}

  // Chosen by hand, a finding is zoomed to.
  chooseFinding(key: string): void {
    this.finding = key;
    this.findings.key.value = key;
  }

  follow(): () => void {
    const stops = [effect(() => this.frameFinding()), effect(() => this.frameStep())];
    return () => stops.forEach((stop) => stop());
  }

  private frameFinding(): void {
    const finding = this.findings.chosen.value?.finding;
    const steps = this.steps.value;
    if (finding === undefined || finding.key !== this.finding || steps.length === 0) return;
    this.finding = "";
    const step = firstStepOf(finding, steps);
    if (step !== null) this.viewport.frame({from: step.start, to: step.end}, (step.end - step.start) * 0.15);
  }
  private frameStep(): void {
    const step = this.steps.value.find((one) => one.step === this.step);
    if (step === undefined) return;
    this.step = null;
    this.viewport.frameStep(step);
  }
}
