// What can be done about a run's findings: patches of its code, and the job once more.

import type {Patch, RunAgain} from "@made/api_types";
import {signal} from "@preact/signals";
import {getAgain, getPatch, type Run} from "../../model/api";
import {problemOf} from "../../model/text";

export class ActState {
  readonly again = signal<RunAgain | null>(null);
  readonly problem = signal("");
  private readonly patches = new Map<string, Promise<Patch>>();

  constructor(readonly run: Run) {
    void this.load();
  }

  // Whether there is code to patch, as far as the run says it.
  get mayHaveCode(): boolean {
    return this.run.has_source || (this.run.tags["commit"] ?? "") !== "";
  }

  async load(): Promise<void> {
    try {
      this.again.value = await getAgain(this.run.id);
    } catch (error) {
      this.problem.value = problemOf(error);
    }
  }

  // Made when somebody wants to see it, once.
  patchFor(finding: string): Promise<Patch> {
    let patch = this.patches.get(finding);
    if (patch === undefined) {
      patch = getPatch(this.run.id, finding);
      this.patches.set(finding, patch);
      patch.catch(() => this.patches.delete(finding));
    }
    return patch;
  }
}
