// The report of a run: of a job or of a serving program.

import {computed} from "@preact/signals";
import {getRun, getView, isServing, type Run} from "../model/api";
import {rangesOf} from "../model/ranks";
import {Report} from "../model/report";
import {toTimeline} from "../model/routes";
import {visible} from "../model/text";
import {ActState} from "../views/act/state";
import {Act} from "../views/act/view";
import {reportPage} from "../views/pages";
import {PageState} from "../views/shared/page_state";
import {RunHeader} from "./frame";
import type {Shell} from "./page";
import {explained, groupsOfRun} from "./run_sections";
import {showServing} from "./serving_page";

// While it is not ready: what it does, and the report as soon as it is there.
function waitFor(shell: Shell, run: Run): void {
  const title = visible(run.name ?? run.id);
  if (run.state === "failed") return shell.says(`${title} could not be analysed`, run.reason ?? "");
  const words =
    run.state === "uploading"
      ? "Its files are still coming."
      : run.state === "queued"
        ? "It waits to be analysed."
        : "It is being analysed.";
  shell.says(title, words);
  const source = shell.app.runs.follow();
  const look = (now: Run) => {
    if (now.id === run.id && (now.version !== null || now.state === "failed")) location.reload();
  };
  source.addEventListener("run", (event) => look(JSON.parse((event as MessageEvent<string>).data) as Run));
  // It may have become ready before there was anybody to be told.
  source.addEventListener(
    "open",
    () =>
      void getRun(run.id)
        .then(look)
        .catch(() => {
          /* the next event says it */
        }),
  );
}

export async function showReport(shell: Shell, run: Run): Promise<void> {
  if (run.version === null) return waitFor(shell, run);
  if (isServing(run)) return await showServing(shell, run);
  const {id} = run;
  const report = new Report(await getView(id));
  const acts = new ActState(run);
  const state = new PageState(
    (query) => toTimeline(id, query),
    (finding) => <Act state={acts} finding={finding} />,
    explained,
  );
  const {choice, theme} = state.drawing;
  // Of the ranks that are chosen, if there are any, the run's other pages show more.
  const ranks = computed(() => rangesOf(choice.ranks.value));
  const header = <RunHeader theme={theme} run={run} here="run" ranks={ranks} about={reportPage.about(report)} />;
  await shell.showSections(reportPage, report, state, header, groupsOfRun(reportPage.groups(report), run));
}
