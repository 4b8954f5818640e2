// The app: runs, the report of each, two compared, the hosts. Each is a document of its own.

import "uplot/dist/uPlot.min.css";
import "../style/all.css";
import "../style/app.css";
import "../style/rank.css";
import "../style/sql.css";
import "../style/timeline.css";
import "../style/whatif.css";
import "../style/hosts.css";
import "../style/memory.css";
import {signal} from "@preact/signals";
import {render} from "preact";
import {el, visible} from "../draw/dom";
import {
  ApiError,
  getDiff,
  getMemory,
  getRun,
  getSession,
  getShare,
  getTimeline,
  getView,
  listSnapshots,
  type Run,
} from "../model/api";
import {
  type DiffData,
  type ReportData,
  setDiff,
  setReport,
  setSnapshot,
  type SnapshotData,
  table,
} from "../model/report";
import {rangesOf} from "../model/ranks";
import {followRuns, loading, loadRuns} from "../model/runs";
import {chosenRanks, onChoice} from "../model/selection";
import {addressOfState} from "../model/share";
import {TimelineStore} from "../model/timeline_store";
import {aboutDiff, showDiff} from "../views/diff_page";
import {linkToTimeline} from "../views/findings/in_timeline";
import {HostsState} from "../views/hosts/state";
import {Hosts} from "../views/hosts/view";
import {Login} from "../views/login/view";
import {showMemory} from "../views/memory_page";
import {aboutJob, showReport} from "../views/report_page";
import {metricsSection} from "../views/metrics/view";
import {Notes} from "../views/notes/view";
import {rankStepsSection} from "../views/rank_steps/view";
import {Rank} from "../views/rank/view";
import {Runs} from "../views/runs/view";
import {Sql} from "../views/sql/view";
import {type Section, section} from "../views/shared/section";
import {Timeline} from "../views/timeline/view";
import {type Curable, WhatIf} from "../views/whatif/view";
import {header, type Place, runHeader} from "./frame";
import {routeOf, toMemory, toRuns} from "./routes";

// A place for what is drawn with Preact, below the frame.
function placeBelow(top: HTMLElement): HTMLElement {
  const node = el("div");
  document.body.replaceChildren(el("div", {class: "page app"}, top, node));
  return node;
}

function says(title: string, text: string, here: Place = "unknown"): void {
  render(
    <main class="runs">
      <h1>{title}</h1>
      <p>{visible(text)}</p>
      <p>
        <a href={toRuns}>All runs</a>
      </p>
    </main>,
    placeBelow(header(here)),
  );
}

function RunsOrLogin() {
  if (loading.value !== "refused") return <Runs />;
  return <Login done={() => location.reload()} />;
}

async function showRuns(): Promise<void> {
  document.title = "rankscope";
  render(<RunsOrLogin />, placeBelow(header("runs")));
  await loadRuns();
  if (loading.value !== "refused") followRuns();
}

// While it is not ready: what it does, and the report as soon as it is there.
async function waitFor(run: Run): Promise<void> {
  const title = visible(run.name ?? run.id);
  if (run.state === "failed") return says(`${title} could not be analysed`, run.reason ?? "");
  const words =
    run.state === "uploading"
      ? "Its files are still coming."
      : run.state === "queued"
        ? "It waits to be analysed."
        : "It is being analysed.";
  says(title, words);
  const source = followRuns();
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

// Causes that never slow a step down (memory that runs full) gain nothing by going.
function curables(): Curable[] {
  const source = table("findings");
  return source
    .rows()
    .filter((row) => source.number(row, "gain_pct") !== null)
    .map((row) => ({id: source.text(row, "id"), who: source.text(row, "who"), gain_ns: source.number(row, "gain_ns")}));
}

function whatIfSection(id: string): Section {
  const node = el("div");
  render(<WhatIf run={id} findings={curables()} />, node);
  return section(
    "whatif",
    "What if",
    "The job is replayed with these changes: what it would take per step. Gains of single changes do not add up; this is all of them together.",
    node,
  );
}

function notesSection(id: string): Section {
  const node = el("div");
  render(<Notes run={id} />, node);
  return section("notes", "Notes", "What people found; notes at a rank and a time are made in the timeline.", node);
}

async function showRun(id: string): Promise<void> {
  try {
    const run = await getRun(id);
    document.title = `${visible(run.name ?? run.id)} \u00b7 rankscope`;
    if (run.version === null) return await waitFor(run);
    setReport(await getView<ReportData>(id));
    // Of the ranks that are chosen, if there are any, the run's other pages show more.
    const ranks = signal("");
    onChoice.push(() => {
      ranks.value = rangesOf(chosenRanks);
    });
    await showReport(runHeader({run, here: "run", ranks}, aboutJob()), {
      overview: [() => whatIfSection(id)],
      ranks: [() => rankStepsSection(id)],
      data: [() => notesSection(id), ...(run.has_metrics ? [() => metricsSection(id)] : [])],
    });
    linkToTimeline(id);
  } catch (error) {
    explain(error, "The run cannot be shown");
  }
}

async function showHosts(): Promise<void> {
  document.title = "Hosts \u00b7 rankscope";
  try {
    const state = new HostsState(await getSession());
    render(<Hosts state={state} />, placeBelow(header("hosts")));
    state.start();
  } catch (error) {
    explain(error, "The hosts cannot be shown");
  }
}

async function showTimeline(id: string): Promise<void> {
  try {
    const [run, info] = await Promise.all([getRun(id), getTimeline(id)]);
    const name = visible(run.name ?? run.id);
    document.title = `Timeline of ${name} \u00b7 rankscope`;
    render(
      <Timeline store={new TimelineStore(id, info)} hasMetrics={run.has_metrics} />,
      placeBelow(runHeader({run, here: "timeline"})),
    );
  } catch (error) {
    explain(error, "The timeline cannot be shown");
  }
}

async function showSql(id: string): Promise<void> {
  try {
    const run = await getRun(id);
    const name = visible(run.name ?? run.id);
    document.title = `SQL over ${name} \u00b7 rankscope`;
    render(<Sql run={id} />, placeBelow(runHeader({run, here: "sql"})));
  } catch (error) {
    explain(error, "The run cannot be asked");
  }
}

async function showRank(id: string, rank: number): Promise<void> {
  try {
    const run = await getRun(id);
    const name = visible(run.name ?? run.id);
    document.title = `Rank ${rank} of ${name} \u00b7 rankscope`;
    render(<Rank run={id} rank={rank} />, placeBelow(runHeader({run, here: "rank", rank})));
  } catch (error) {
    explain(error, "The rank cannot be shown");
  }
}

// One of the run's snapshots, and a choice of the others.
async function showSnapshot(id: string, file: string, later: string): Promise<void> {
  try {
    const [run, names] = await Promise.all([getRun(id), listSnapshots(id)]);
    const name = visible(run.name ?? run.id);
    document.title = `Memory of ${name} \u00b7 rankscope`;
    const chosen = file === "" ? names[0] : file;
    if (chosen === undefined)
      return says(
        "This run has no memory snapshot",
        "rankscope capture --memory-snapshot 2s takes one of each process; files NAME.pickle that are uploaded with the traces are shown here.",
      );
    says(`Reading ${visible(chosen)} \u2026`, "A snapshot of a gigabyte takes some ten seconds.");
    setSnapshot(await getMemory<SnapshotData>(id, chosen, later));
    const choice = (label: string, now: string, first: string, go: (name: string) => string) =>
      el(
        "label",
        {},
        `${label} `,
        el(
          "select",
          {onchange: (event: Event) => location.assign(go((event.currentTarget as HTMLSelectElement).value))},
          [
            ...(first === "" ? [] : [el("option", {value: "", ...(now === "" ? {selected: ""} : {})}, first)]),
            ...names.map((one) => el("option", {value: one, ...(one === now ? {selected: ""} : {})}, visible(one))),
          ],
        ),
      );
    document.body.replaceChildren();
    showMemory(
      runHeader(
        {run, here: "memory"},
        choice("Snapshot", chosen, "", (one) => toMemory(id, one)),
        names.length > 1 ? choice(" and a later one", later, "none", (one) => toMemory(id, chosen, one)) : "",
      ),
    );
  } catch (error) {
    explain(error, "The snapshot cannot be shown");
  }
}

async function showShared(hash: string): Promise<void> {
  try {
    const address = addressOfState(
      await getShare(hash),
      (path, search) => !["unknown", "share"].includes(routeOf(path, search).page),
    );
    if (address === null) return says("There is nothing at this address", "What was shared is of another version.");
    // Here and now: the server would refuse a request for so long an address.
    history.replaceState(null, "", address);
    show();
  } catch (error) {
    explain(error, "What was shared cannot be shown");
  }
}

async function showCompare(base: string, test: string): Promise<void> {
  says("Comparing \u2026", "Both jobs are read again; the first time that takes as long as analysing them.", "compare");
  try {
    const data = await getDiff<DiffData>(base, test);
    document.title = "Comparison \u00b7 rankscope";
    setDiff(data);
    document.body.replaceChildren();
    showDiff(header("compare", aboutDiff()));
  } catch (error) {
    explain(error, "The runs cannot be compared");
  }
}

function explain(error: unknown, title: string): void {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 401) return render(<Login done={() => location.reload()} />, placeBelow(header("unknown")));
  says(error.status === 404 ? "There is no such run" : title, error.message);
}

function show(): void {
  const route = routeOf(location.pathname, location.search);
  if (route.page === "runs") void showRuns();
  else if (route.page === "hosts") void showHosts();
  else if (route.page === "run") void showRun(route.id);
  else if (route.page === "timeline") void showTimeline(route.id);
  else if (route.page === "sql") void showSql(route.id);
  else if (route.page === "memory") void showSnapshot(route.id, route.file, route.later);
  else if (route.page === "rank") void showRank(route.id, route.rank);
  else if (route.page === "share") void showShared(route.hash);
  else if (route.page === "compare") void showCompare(route.base, route.test);
  else says("There is nothing at this address", location.pathname);
}

show();
