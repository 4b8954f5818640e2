// Two runs compared.

import {getDiff, getRun, isServing} from "../model/api";
import {namesApart} from "../model/diff_names";
import {Diff, type DiffData} from "../model/report";
import {toTimeline} from "../model/routes";
import {visible} from "../model/text";
import {diffPage} from "../views/pages";
import {PageState} from "../views/shared/page_state";
import {Header} from "./frame";
import type {Asked, Shell} from "./page";
import {servingHasNoRanks} from "./run_sections";

export async function showComparison(shell: Shell, {query}: Asked): Promise<void> {
  const [base, test] = [query.get("base") ?? "", query.get("test") ?? ""];
  shell.says(
    "Comparing \u2026",
    "Both jobs are read again; the first time that takes as long as analysing them.",
    "compare",
  );
  const runs = await Promise.all([getRun(base), getRun(test)]);
  const [older = base, newer = test] = namesApart(runs).map(visible);
  // A run beside itself.
  const [baseName, testName] = base === test ? [`${older} (before)`, `${newer} (after)`] : [older, newer];
  const serving = runs.find(isServing);
  if (serving !== undefined)
    return shell.saysOfRun(serving, "run", "The runs cannot be compared", `${servingHasNoRanks} Jobs are compared.`);
  const data = await getDiff<DiffData>(base, test);
  const diff = new Diff({...data, base: baseName, test: testName}, {base: baseName, test: testName});
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
