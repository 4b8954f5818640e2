// The report of a serving program.

import {getRows, getView, type Run} from "../model/api";
import {Serving, type ServingRows} from "../model/report";
import {Notes} from "../views/notes/view";
import {servingPage} from "../views/pages";
import {Optimise} from "../views/serving/optimise";
import {PageState} from "../views/shared/page_state";
import type {MakeSection} from "../views/shared/section";
import {RunHeader} from "./frame";
import type {Shell} from "./page";
import {explained, filesSection} from "./run_sections";

// What the page of a serving run asks for when its reader chooses a request.
function rowsOf(id: string): ServingRows {
  return {
    request: async (number) => {
      const raw = await getRows(id, "serving_requests", new URLSearchParams({filter: `request=${number}`, limit: "1"}));
      return raw.rows === 0 ? null : raw;
    },
    steps: (from, to) => {
      // A step that overlaps the end has its own end behind it: by a second at most that is looked for.
      const query = new URLSearchParams({sort: "time_ns", limit: "20000"});
      query.append("filter", `time_ns>${from}`);
      query.append("filter", `time_ns<${to + 1e9}`);
      return getRows(id, "serving_iterations", query);
    },
  };
}

// While trials are being made, the page is drawn anew with each.
function followTuning({app}: Shell, run: Run, serving: Serving): void {
  const tunings = serving.table("serving_tunings");
  if (tunings.where("state", "running").length === 0) return;
  app.runs.follow().addEventListener("run", (event) => {
    const now = JSON.parse((event as MessageEvent<string>).data) as Run;
    if (now.id === run.id && now.version !== run.version) location.reload();
  });
}

export async function showServing(shell: Shell, run: Run): Promise<void> {
  const serving = new Serving(await getView(run.id), rowsOf(run.id));
  serving.choice.follow();
  const state = new PageState(null, null, explained);
  const notes: MakeSection<Serving> = () => ({
    id: "notes",
    title: "Notes",
    how: "What people found.",
    body: (
      <div>
        <Notes run={run.id} />
      </div>
    ),
  });
  const optimise: MakeSection<Serving> = () => ({
    id: "optimise",
    title: "Optimise",
    how: "rankscope tune starts the program again and again with other settings, sends it the same requests, and says which settings keep the objective for most of them. Its trials are shown here as they end.",
    body: (
      <div>
        <Optimise run={run.id} />
      </div>
    ),
  });
  const isTuning = !serving.table("serving_tunings").empty;
  const groups = servingPage.groups(serving).map((group) => {
    if (group.id === "data") return {...group, sections: [...group.sections, notes, () => filesSection(run)]};
    return group.id === "overview" && !isTuning ? {...group, sections: [...group.sections, optimise]} : group;
  });
  if (isTuning) followTuning(shell, run, serving);
  const header = <RunHeader theme={state.drawing.theme} run={run} here="run" />;
  await shell.showSections(servingPage, serving, state, header, groups);
}
