// Two runs compared.

import {getDiff, getRun, isServing} from "../model/api";
import {Diff, type DiffData} from "../model/report";
import {toTimeline} from "../model/routes";
import {visible} from "../model/text";
import {diffPage} from "../views/pages";
import {PageState} from "../views/shared/page_state";
import {Header} from "./frame";
import type {Asked, Shell} from "./page";
import {servingHasNoRanks} from "./run_sections";

// What the program calls BASE and TEST, by the names of the runs; those of two runs of one name say which is which.
function named(data: DiffData, base: string, test: string): DiffData {
  const [from, to] = base === test ? [`${base} (before)`, `${test} (after)`] : [base, test];
  const inNames = (text: string) => text.replace(/\b(BASE|TEST)\b/g, (word) => (word === "BASE" ? from : to));
  return {
    ...data,
    base: from,
    test: to,
    headline: inNames(data.headline),
    reasons: data.reasons.map(inNames),
    notes: data.notes.map(inNames),
  };
}

export async function showComparison(shell: Shell, {query}: Asked): Promise<void> {
  const [base, test] = [query.get("base") ?? "", query.get("test") ?? ""];
  shell.says(
    "Comparing \u2026",
    "Both jobs are read again; the first time that takes as long as analysing them.",
    "compare",
  );
  const runs = await Promise.all([getRun(base), getRun(test)]);
  const [baseName, testName] = runs.map((run) => visible(run.name ?? run.id));
  const serving = runs.find(isServing);
  if (serving !== undefined)
    return shell.saysOfRun(serving, "run", "The runs cannot be compared", `${servingHasNoRanks} Jobs are compared.`);
  const data = await getDiff<DiffData>(base, test);
  const diff = new Diff(named(data, baseName ?? base, testName ?? test));
  // Rows lead to the later run.
  const state = new PageState((rows) => toTimeline(test, rows));
  await shell.showSections(
    diffPage,
    diff,
    state,
    <Header theme={state.drawing.theme} here="compare" about={diffPage.about(diff)}>
      <div class="run-pages-place">
        <nav class="run-pages" aria-label="Pages of this comparison">
          <a href={toTimeline(test, `?with=${base}`)}>Both on one clock</a>
        </nav>
      </div>
    </Header>,
  );
}
