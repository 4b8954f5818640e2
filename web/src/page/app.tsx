// The app: runs, the report of each, two compared, the hosts. Each is a document of its own.

import "../style/all.css";
import "../style/app.css";
import "../style/act.css";
import "../style/rank.css";
import "../style/sql.css";
import "../style/timeline.css";
import "../style/whatif.css";
import "../style/hosts.css";
import "../style/fleet.css";
import "../style/memory.css";
import "../style/serving.css";
import "../draw/guard";
import {computed, signal} from "@preact/signals";
import {type ComponentChildren, render} from "preact";
import {Drawing, DrawingContext} from "../draw/drawing";
import {Theme} from "../draw/theme";
import {
  ApiError,
  getDiff,
  getExplanation,
  getMemory,
  getRows,
  getRun,
  getSession,
  getShare,
  getTimeline,
  getView,
  isServing,
  listSnapshots,
  type Run,
} from "../model/api";
import {human, plural} from "../model/format";
import {rangesOf} from "../model/ranks";
import {Diff, type DiffData, Report, Serving, type ServingRows, Snapshot} from "../model/report";
import {routeOf, toHosts, toMemory, toRun, toRuns, toTimeline} from "../model/routes";
import {addressOfState} from "../model/share";
import {jobSubjects, servingSubjects} from "../model/sql";
import {visible} from "../model/text";
import {TimelineStore} from "../model/timeline_store";
import {ActState} from "../views/act/state";
import {Act} from "../views/act/view";
import {Explanation, ExplanationText} from "../views/explain/view";
import {Files} from "../views/files/view";
import {FleetState} from "../views/fleet/state";
import {Fleet} from "../views/fleet/view";
import {HostsState} from "../views/hosts/state";
import {Hosts} from "../views/hosts/view";
import {Login} from "../views/login/view";
import {metricsSection} from "../views/metrics/view";
import {Notes} from "../views/notes/view";
import {diffPage, memoryPage, reportPage, type SectionsOf, servingPage} from "../views/pages";
import {Rank} from "../views/rank/view";
import {rankStepsSection} from "../views/rank_steps/view";
import {Runs} from "../views/runs/view";
import {AppContext, AppState} from "../views/shared/app_state";
import {SkipLink} from "../views/shared/skip_link";
import {showPage} from "../views/shared/page";
import {PageState} from "../views/shared/page_state";
import type {Group, MakeSection, Section} from "../views/shared/section";
import {Optimise} from "../views/serving/optimise";
import {Sql} from "../views/sql/view";
import {Timeline} from "../views/timeline/view";
import {type Curable, WhatIf} from "../views/whatif/view";
import {Header, type Place, type PlaceOfRun, RunHeader} from "../app/frame";

// Of the page that is a view of its own.
const theme = new Theme(signal(false));
const app = new AppState();
const place = document.body.appendChild(document.createElement("div"));

// A view below the frame.
function draw(header: ComponentChildren, view: ComponentChildren): void {
  render(
    <AppContext.Provider value={app}>
      <div class="page app">
        <SkipLink />
        {header}
        <div id="content" tabIndex={-1}>
          {view}
        </div>
      </div>
    </AppContext.Provider>,
    place,
  );
}

function says(title: string, text: string, here: Place = "unknown"): void {
  draw(
    <Header theme={theme} here={here} />,
    <main class="runs">
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href={toRuns}>All runs</a> {"\u00b7"} <a href={toHosts}>Hosts</a>
      </p>
    </main>,
  );
}

// What a run has not, with the way back to what it has.
function saysOfRun(run: Run, here: PlaceOfRun, title: string, text: string): void {
  draw(
    <RunHeader theme={theme} run={run} here={here} />,
    <main class="runs">
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href={toRun(run.id)}>Report of {visible(run.name ?? run.id)}</a> {"\u00b7"} <a href={toRuns}>All runs</a>
      </p>
    </main>,
  );
}

function RunsOrLogin() {
  return app.runs.loading.value === "refused" ? <Login done={() => location.reload()} /> : <Runs />;
}

async function showRuns(): Promise<void> {
  document.title = "rankscope";
  draw(<Header theme={theme} here="runs" />, <RunsOrLogin />);
  await app.runs.load();
  if (app.runs.loading.value !== "refused") app.runs.follow();
}

// While it is not ready: what it does, and the report as soon as it is there.
function waitFor(run: Run): void {
  const title = visible(run.name ?? run.id);
  if (run.state === "failed") return says(`${title} could not be analysed`, run.reason ?? "");
  const words =
    run.state === "uploading"
      ? "Its files are still coming."
      : run.state === "queued"
        ? "It waits to be analysed."
        : "It is being analysed.";
  says(title, words);
  const source = app.runs.follow();
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

function filesSection(run: Run): Section {
  return {
    id: "files",
    title: "Files",
    answer: `${plural(run.files, "file")}, ${human(run.bytes, "bytes")}`,
    how: "What was sent of this run. Where a command says TRACES or PATH, it means a folder with these.",
    body: (
      <div>
        <Files run={run.id} />
      </div>
    ),
  };
}

function explained(cause: string): ComponentChildren {
  return <Explanation cause={cause} />;
}

// Causes that never slow a step down (memory that runs full) gain nothing by going.
function curables(report: Report): Curable[] {
  const source = report.table("findings");
  return source
    .rows()
    .filter((row) => source.number(row, "gain_pct") !== null)
    .map((row) => ({id: source.text(row, "id"), who: source.text(row, "who"), gain_ns: source.number(row, "gain_ns")}));
}

// What only the app shows of a run, for it asks the server: behind a section, or first in its group.
function sectionsOfRun(
  run: Run,
): readonly {readonly group: string; readonly at: number; readonly make: MakeSection<Report>}[] {
  const {id} = run;
  const whatIf: MakeSection<Report> = (report) => ({
    id: "whatif",
    title: "What if",
    how: "The job is replayed with these changes: what it would take per step. Gains of single changes do not add up; this is all of them together.",
    body: (
      <div>
        <WhatIf run={id} findings={curables(report)} />
      </div>
    ),
  });
  const notes: MakeSection<Report> = () => ({
    id: "notes",
    title: "Notes",
    how: "What people found; notes at a rank and a time are made in the timeline.",
    body: (
      <div>
        <Notes run={id} />
      </div>
    ),
  });
  return [
    {group: "overview", at: 2, make: whatIf},
    {group: "ranks", at: 1, make: (report) => rankStepsSection(report, id)},
    {group: "data", at: 0, make: notes},
    {group: "data", at: 1, make: () => filesSection(run)},
    ...(run.has_metrics ? [{group: "data", at: 1, make: () => metricsSection(id)}] : []),
  ];
}

function groupsOfRun(groups: readonly Group<Report>[], run: Run): Group<Report>[] {
  return groups.map((group) => {
    const sections = [...group.sections];
    for (const one of sectionsOfRun(run)) if (one.group === group.id) sections.splice(one.at, 0, one.make);
    return {...group, sections};
  });
}

// Pages of sections have a state of their own.
async function showSections<Data>(
  page: SectionsOf<Data>,
  data: Data,
  state: PageState,
  header: ComponentChildren,
  groups = page.groups(data),
): Promise<void> {
  const frame = <AppContext.Provider value={app}>{header}</AppContext.Provider>;
  await showPage(place, {state, data, groups, header: frame, footer: page.footer(data)});
}

async function showRun(id: string): Promise<void> {
  let run: Run | null = null;
  try {
    run = await getRun(id);
    document.title = `${visible(run.name ?? run.id)} \u00b7 rankscope`;
    if (run.version === null) return waitFor(run);
    if (isServing(run)) return await showServing(run);
    const report = new Report(await getView(id));
    const acts = new ActState(run);
    const state = new PageState(
      (query) => toTimeline(id, query),
      (finding) => <Act state={acts} finding={finding} />,
      explained,
    );
    const {choice, theme: ownTheme} = state.drawing;
    // Of the ranks that are chosen, if there are any, the run's other pages show more.
    const ranks = computed(() => rangesOf(choice.ranks.value));
    const header = <RunHeader theme={ownTheme} run={run} here="run" ranks={ranks} about={reportPage.about(report)} />;
    await showSections(reportPage, report, state, header, groupsOfRun(reportPage.groups(report), run));
  } catch (error) {
    explain(error, "The run cannot be shown", run);
  }
}

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
function followTuning(run: Run, serving: Serving): void {
  const tunings = serving.table("serving_tunings");
  if (tunings.where("state", "running").length === 0) return;
  app.runs.follow().addEventListener("run", (event) => {
    const now = JSON.parse((event as MessageEvent<string>).data) as Run;
    if (now.id === run.id && now.version !== run.version) location.reload();
  });
}

async function showServing(run: Run): Promise<void> {
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
  if (isTuning) followTuning(run, serving);
  const header = <RunHeader theme={state.drawing.theme} run={run} here="run" />;
  await showSections(servingPage, serving, state, header, groups);
}

async function showExplanation(cause: string): Promise<void> {
  document.title = `${cause} \u00b7 rankscope`;
  try {
    const markdown = await getExplanation(cause);
    draw(
      <Header theme={theme} here="explain" />,
      <main class="runs">
        <h1>{cause}</h1>
        <ExplanationText markdown={markdown} heading="h2" />
      </main>,
    );
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.status === 404;
    if (isUnknown) return says("There is no such finding", `rankscope knows none that is called ${cause}.`);
    explain(error, "The finding cannot be explained");
  }
}

async function showHosts(): Promise<void> {
  document.title = "Hosts \u00b7 rankscope";
  try {
    const state = new HostsState(await getSession());
    draw(<Header theme={theme} here="hosts" />, <Hosts state={state} />);
    state.start();
  } catch (error) {
    explain(error, "The hosts cannot be shown");
  }
}

// Its title changes with what is asked; the page says when it has all answers.
function showFleet(): void {
  document.title = "Fleet \u00b7 rankscope";
  app.definitions.ask();
  const state = new FleetState((table, column) => app.definitions.columnDoc(table, column));
  const drawing = new Drawing(theme);
  draw(
    <Header theme={theme} here="fleet" />,
    <DrawingContext.Provider value={drawing}>
      <Fleet state={state} />
    </DrawingContext.Provider>,
  );
  drawing.sizes.watch();
  Object.assign(window, {rankscopeFleet: {idle: () => state.isIdle.value}});
  state.start();
}

const servingHasNoRanks = "It is of a serving program, which has no ranks: its report shows requests and stages.";

async function showTimeline(id: string): Promise<void> {
  let run: Run | null = null;
  try {
    run = await getRun(id);
    if (isServing(run)) return saysOfRun(run, "timeline", "This run has no timeline", servingHasNoRanks);
    const info = await getTimeline(id);
    document.title = `Timeline of ${visible(run.name ?? run.id)} \u00b7 rankscope`;
    const drawing = new Drawing(theme);
    draw(
      <RunHeader theme={theme} run={run} here="timeline" />,
      <DrawingContext.Provider value={drawing}>
        <Timeline store={new TimelineStore(id, info)} hasMetrics={run.has_metrics} />
      </DrawingContext.Provider>,
    );
    drawing.sizes.watch();
  } catch (error) {
    explain(error, "The timeline cannot be shown", run, "timeline");
  }
}

async function showSql(id: string): Promise<void> {
  let run: Run | null = null;
  try {
    run = await getRun(id);
    document.title = `SQL over ${visible(run.name ?? run.id)} \u00b7 rankscope`;
    draw(
      <RunHeader theme={theme} run={run} here="sql" />,
      <Sql run={id} subjects={isServing(run) ? servingSubjects : jobSubjects} />,
    );
  } catch (error) {
    explain(error, "The run cannot be asked", run, "sql");
  }
}

async function showRank(id: string, rank: number): Promise<void> {
  let run: Run | null = null;
  try {
    run = await getRun(id);
    if (isServing(run)) return saysOfRun(run, "rank", "This run has no ranks", servingHasNoRanks);
    document.title = `Rank ${rank} of ${visible(run.name ?? run.id)} \u00b7 rankscope`;
    draw(<RunHeader theme={theme} run={run} here="rank" rank={rank} />, <Rank run={id} rank={rank} />);
  } catch (error) {
    explain(error, "The rank cannot be shown", run, "rank");
  }
}

interface SnapshotChoice {
  readonly label: string;
  readonly now: string;
  readonly first: string | null;
  readonly names: readonly string[];
  readonly to: (name: string) => string;
}
function SnapshotChoice({label, now, first, names, to}: SnapshotChoice) {
  return (
    <label>
      {`${label} `}
      <select value={now} onChange={(event) => location.assign(to(event.currentTarget.value))}>
        {first === null ? null : <option value="">{first}</option>}
        {names.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

// One of the run's snapshots, and a choice of the others.
async function showSnapshot(id: string, file: string, later: string): Promise<void> {
  let run: Run | null = null;
  try {
    run = await getRun(id);
    const names = await listSnapshots(id);
    document.title = `Memory of ${visible(run.name ?? run.id)} \u00b7 rankscope`;
    const chosen = file === "" ? names[0] : file;
    if (chosen === undefined) {
      return saysOfRun(
        run,
        "memory",
        "This run has no memory snapshot",
        "rankscope capture --memory-snapshot 2s takes one of each process; files NAME.pickle that are uploaded with the traces are shown here.",
      );
    }
    says(`Reading ${visible(chosen)} \u2026`, "A snapshot of a gigabyte takes some ten seconds.");
    const snapshot = new Snapshot(await getMemory(id, chosen, later));
    const state = new PageState();
    const about = (
      <>
        <SnapshotChoice label="Snapshot" now={chosen} first={null} names={names} to={(one) => toMemory(id, one)} />
        {names.length > 1 ? (
          <SnapshotChoice
            label=" and a later one"
            now={later}
            first="none"
            names={names}
            to={(one) => toMemory(id, chosen, one)}
          />
        ) : null}
      </>
    );
    const header = <RunHeader theme={state.drawing.theme} run={run} here="memory" about={about} />;
    await showSections(memoryPage, snapshot, state, header);
  } catch (error) {
    explain(error, "The snapshot cannot be shown", run, "memory");
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

async function showCompare(base: string, test: string): Promise<void> {
  says("Comparing \u2026", "Both jobs are read again; the first time that takes as long as analysing them.", "compare");
  try {
    const runs = await Promise.all([getRun(base), getRun(test)]);
    const [baseName, testName] = runs.map((run) => visible(run.name ?? run.id));
    const serving = runs.find(isServing);
    if (serving !== undefined)
      return saysOfRun(serving, "run", "The runs cannot be compared", `${servingHasNoRanks} Jobs are compared.`);
    const data = await getDiff<DiffData>(base, test);
    const diff = new Diff(named(data, baseName ?? base, testName ?? test));
    document.title = "Comparison \u00b7 rankscope";
    // Rows lead to the later run.
    const state = new PageState((query) => toTimeline(test, query));
    await showSections(
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
  } catch (error) {
    explain(error, "The runs cannot be compared");
  }
}

// `run`: there is that one, of which something else is missing.
function explain(error: unknown, title: string, run: Run | null = null, here: PlaceOfRun = "run"): void {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 401)
    return draw(<Header theme={theme} here="unknown" />, <Login done={() => location.reload()} />);
  if (run !== null) return saysOfRun(run, here, title, error.message);
  says(error.status === 404 ? "There is no such run" : title, error.message);
}

function show(): void {
  const route = routeOf(location.pathname, location.search);
  if (route.page === "runs") void showRuns();
  else if (route.page === "hosts") void showHosts();
  else if (route.page === "fleet") showFleet();
  else if (route.page === "run") void showRun(route.id);
  else if (route.page === "timeline") void showTimeline(route.id);
  else if (route.page === "sql") void showSql(route.id);
  else if (route.page === "memory") void showSnapshot(route.id, route.file, route.later);
  else if (route.page === "rank") void showRank(route.id, route.rank);
  else if (route.page === "explain") void showExplanation(route.cause);
  else if (route.page === "share") void showShared(route.hash);
  else if (route.page === "compare") void showCompare(route.base, route.test);
  else says("There is nothing at this address", location.pathname);
}

show();
