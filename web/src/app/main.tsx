// The app: runs, the report of each, and two compared. Each is a document of its own.

import "uplot/dist/uPlot.min.css";
import "../style/all.css";
import "../style/app.css";
import "../style/rank.css";
import "../style/sql.css";
import "../style/timeline.css";
import "../style/whatif.css";
import {render} from "preact";
import {el, visible} from "../draw/dom";
import {ApiError, getDiff, getRun, getShare, getTimeline, getView, type Run} from "../model/api";
import {type DiffData, type ReportData, setDiff, setReport, table} from "../model/report";
import {rangesOf} from "../model/ranks";
import {followRuns, loading, loadRuns} from "../model/runs";
import {chosenRanks, onChoice} from "../model/selection";
import {TimelineStore} from "../model/timeline_store";
import {aboutDiff, showDiff} from "../views/diff_page";
import {Login} from "../views/login/view";
import {aboutJob, showReport} from "../views/report_page";
import {metricsSection} from "../views/metrics/view";
import {Notes} from "../views/notes/view";
import {rankStepsSection} from "../views/rank_steps/view";
import {Rank} from "../views/rank/view";
import {Runs} from "../views/runs/view";
import {sharedPath, Sql} from "../views/sql/view";
import {type Section, section} from "../views/shared/section";
import {themeButton} from "../views/shared/theme_button";
import {Timeline} from "../views/timeline/view";
import {type Curable, WhatIf} from "../views/whatif/view";
import {routeOf, toRank, toRun, toRuns, toSql, toTimeline} from "./routes";

function header(...about: readonly (string | HTMLElement)[]): HTMLElement {
  return el("header", {class: "top"}, el("a", {class: "home", href: toRuns}, "rankscope"), el("span", {class: "about"}, about), themeButton());
}

// A place for what is drawn with Preact, below the frame.
function place(...about: readonly (string | HTMLElement)[]): HTMLElement {
  const node = el("div");
  document.body.replaceChildren(el("div", {class: "page app"}, header(...about), node));
  return node;
}

function says(title: string, text: string): void {
  render(<main class="runs"><h1>{title}</h1><p>{visible(text)}</p><p><a href={toRuns}>All runs</a></p></main>, place());
}

function RunsOrLogin() {
  if (loading.value !== "refused") return <Runs />;
  return <Login done={() => location.reload()} />;
}

async function showRuns(): Promise<void> {
  document.title = "rankscope";
  render(<RunsOrLogin />, place());
  await loadRuns();
  if (loading.value !== "refused") followRuns();
}

// While it is not ready: what it does, and the report as soon as it is there.
async function waitFor(run: Run): Promise<void> {
  const title = visible(run.name ?? run.id);
  if (run.state === "failed") return says(`${title} could not be analysed`, run.reason ?? "");
  const words = run.state === "uploading" ? "Its files are still coming." : run.state === "queued" ? "It waits to be analysed." : "It is being analysed.";
  says(title, words);
  const source = followRuns();
  source.addEventListener("run", (event) => {
    const now = JSON.parse((event as MessageEvent<string>).data) as Run;
    if (now.id === run.id && (now.version !== null || now.state === "failed")) location.reload();
  });
}

// Causes that never slow a step down (memory that runs full) gain nothing by going.
function curables(): Curable[] {
  const source = table("findings");
  return source.rows().filter((row) => source.number(row, "gain_pct") !== null)
    .map((row) => ({id: source.text(row, "id"), who: source.text(row, "who"), gain_ns: source.number(row, "gain_ns")}));
}

function whatIfSection(id: string): Section {
  const node = el("div");
  render(<WhatIf run={id} findings={curables()} />, node);
  return section("whatif", "What if", "The job is replayed with these changes: what it would take per step. Gains of single changes do not add up; this is all of them together.", node);
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
    const page = el("a", {href: `/api/v1/runs/${id}/page`, download: `${run.id}.html`}, "one file");
    const timeline = el("a", {href: toTimeline(id)}, "timeline");
    // Of the ranks that are chosen, if there are any; and the page of one that is.
    const rank = el("a", {hidden: true});
    onChoice.push(() => {
      timeline.href = toTimeline(id, chosenRanks.size > 0 ? `?ranks=${rangesOf(chosenRanks)}` : "");
      const [only] = chosenRanks;
      rank.hidden = only === undefined || chosenRanks.size > 1;
      if (only === undefined) return;
      rank.href = toRank(id, only);
      rank.textContent = `rank ${only}`;
    });
    const sql = el("a", {href: toSql(id)}, "SQL");
    await showReport(header(visible(run.name ?? run.id), " \u00b7 ", aboutJob(), " \u00b7 ", timeline, " \u00b7 ", sql, " \u00b7 ", page, " ", rank), {
      overview: [() => whatIfSection(id)], ranks: [() => rankStepsSection(id)], data: [() => notesSection(id), ...(run.has_metrics ? [() => metricsSection(id)] : [])],
    });
  } catch (error) {
    explain(error, "The run cannot be shown");
  }
}

async function showTimeline(id: string): Promise<void> {
  try {
    const [run, info] = await Promise.all([getRun(id), getTimeline(id)]);
    const name = visible(run.name ?? run.id);
    document.title = `Timeline of ${name} \u00b7 rankscope`;
    render(<Timeline store={new TimelineStore(id, info)} />, place(el("a", {href: toRun(id)}, name), " \u00b7 timeline"));
  } catch (error) {
    explain(error, "The timeline cannot be shown");
  }
}

async function showSql(id: string): Promise<void> {
  try {
    const run = await getRun(id);
    const name = visible(run.name ?? run.id);
    document.title = `SQL over ${name} \u00b7 rankscope`;
    render(<Sql run={id} />, place(el("a", {href: toRun(id)}, name), " \u00b7 SQL"));
  } catch (error) {
    explain(error, "The run cannot be asked");
  }
}

async function showRank(id: string, rank: number): Promise<void> {
  try {
    const run = await getRun(id);
    const name = visible(run.name ?? run.id);
    document.title = `Rank ${rank} of ${name} \u00b7 rankscope`;
    render(<Rank run={id} rank={rank} />, place(el("a", {href: toRun(id)}, name), ` \u00b7 rank ${rank}`));
  } catch (error) {
    explain(error, "The rank cannot be shown");
  }
}

async function showShared(hash: string): Promise<void> {
  try {
    const path = sharedPath(await getShare(hash));
    if (path === null) return says("There is nothing at this address", "What was shared is of another version.");
    location.replace(path);
  } catch (error) {
    explain(error, "What was shared cannot be shown");
  }
}

async function showCompare(base: string, test: string): Promise<void> {
  says("Comparing \u2026", "Both jobs are read again; the first time that takes as long as analysing them.");
  try {
    const data = await getDiff<DiffData>(base, test);
    document.title = "Comparison \u00b7 rankscope";
    setDiff(data);
    document.body.replaceChildren();
    showDiff(header(aboutDiff()));
  } catch (error) {
    explain(error, "The runs cannot be compared");
  }
}

function explain(error: unknown, title: string): void {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 401) return render(<Login done={() => location.reload()} />, place());
  says(error.status === 404 ? "There is no such run" : title, error.message);
}

const route = routeOf(location.pathname, location.search);
if (route.page === "runs") void showRuns();
else if (route.page === "run") void showRun(route.id);
else if (route.page === "timeline") void showTimeline(route.id);
else if (route.page === "sql") void showSql(route.id);
else if (route.page === "rank") void showRank(route.id, route.rank);
else if (route.page === "share") void showShared(route.hash);
else if (route.page === "compare") void showCompare(route.base, route.test);
else says("There is nothing at this address", location.pathname);
