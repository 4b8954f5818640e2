// Pages that are a single view.

import {Drawing, DrawingContext} from "../draw/drawing";
import {ApiError, getExplanation, getSession, getShare, getTimeline, isServing, type Run} from "../model/api";
import {addressOfState} from "../model/share";
import {jobSubjects, servingSubjects} from "../model/sql";
import {TimelineStore} from "../model/timeline_store";
import {ExplanationText} from "../views/explain/view";
import {FleetState} from "../views/fleet/state";
import {Fleet} from "../views/fleet/view";
import {HostsState} from "../views/hosts/state";
import {Hosts} from "../views/hosts/view";
import {Login} from "../views/login/view";
import {Rank} from "../views/rank/view";
import {Runs} from "../views/runs/view";
import {useApp} from "../views/shared/app_state";
import {Sql} from "../views/sql/view";
import {Timeline} from "../views/timeline/view";
import {Header, RunHeader} from "./frame";
import type {Asked, Shell} from "./page";

function RunsOrLogin() {
  return useApp().runs.loading.value === "refused" ? <Login done={() => location.reload()} /> : <Runs />;
}

export async function showRuns(shell: Shell): Promise<void> {
  const {runs} = shell.app;
  shell.draw(<Header theme={shell.theme} here="runs" />, <RunsOrLogin />);
  await runs.load();
  if (runs.loading.value !== "refused") runs.follow();
}

export async function showHosts(shell: Shell): Promise<void> {
  const state = new HostsState(await getSession());
  shell.draw(<Header theme={shell.theme} here="hosts" />, <Hosts state={state} />);
  state.start();
}

// Its title changes with what is asked; the page says when it has all answers.
export function showFleet(shell: Shell): void {
  const {definitions} = shell.app;
  definitions.ask();
  const state = new FleetState((table, column) => definitions.columnDoc(table, column));
  const drawing = new Drawing(shell.theme);
  shell.draw(
    <Header theme={shell.theme} here="fleet" />,
    <DrawingContext.Provider value={drawing}>
      <Fleet state={state} />
    </DrawingContext.Provider>,
  );
  drawing.sizes.watch();
  Object.assign(window, {rankscopeFleet: {idle: () => state.isIdle.value}});
  state.start();
}

export async function showExplanation(shell: Shell, {of: {cause}}: Asked<"cause">): Promise<void> {
  try {
    const markdown = await getExplanation(cause);
    shell.draw(
      <Header theme={shell.theme} here="explain" />,
      <main class="runs">
        <h1>{cause}</h1>
        <ExplanationText markdown={markdown} heading="h2" />
      </main>,
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    shell.says("There is no such finding", `rankscope knows none that is called ${cause}.`);
  }
}

export async function showTimeline(shell: Shell, run: Run): Promise<void> {
  const store = new TimelineStore(run.id, await getTimeline(run.id));
  const drawing = new Drawing(shell.theme);
  shell.draw(
    <RunHeader theme={shell.theme} run={run} here="timeline" />,
    <DrawingContext.Provider value={drawing}>
      <Timeline store={store} hasMetrics={run.has_metrics} />
    </DrawingContext.Provider>,
  );
  drawing.sizes.watch();
}

export function showSql(shell: Shell, run: Run): void {
  shell.draw(
    <RunHeader theme={shell.theme} run={run} here="sql" />,
    <Sql run={run.id} subjects={isServing(run) ? servingSubjects : jobSubjects} />,
  );
}

export function showRank(shell: Shell, run: Run, {of}: Asked<"rank">): void {
  const rank = Number(of.rank);
  shell.draw(<RunHeader theme={shell.theme} run={run} here="rank" rank={rank} />, <Rank run={run.id} rank={rank} />);
}

// What somebody shared, at its own address.
export async function showShared(shell: Shell, {of: {hash}}: Asked<"hash">): Promise<void> {
  const address = addressOfState(await getShare(hash), (path, search) => shell.isPage(path, search));
  if (address === null) return shell.says("There is nothing at this address", "What was shared is of another version.");
  // Here and now: the server would refuse a request for so long an address.
  history.replaceState(null, "", address);
  shell.open();
}
