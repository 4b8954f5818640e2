// The list of the app's pages: each has its address, its title, its place in the navigation and what it shows. The router, the head of
// pages and the palette of commands use this list; links between them stand in its order. The server answers their addresses with the
// app (src/service/requests/pages.cc).

import {isServing} from "../model/api";
import {isId, toCompare, toFleet, toHosts, toMemory, toRank, toRun, toRuns, toSql, toTimeline} from "../model/routes";
import {oldestFirst} from "../model/runs";
import {showComparison} from "./compare_page";
import {showMemory} from "./memory_page";
import {page, type Page, pageOfRun} from "./page";
import {showReport} from "./report_page";
import {
  showExplanation,
  showFleet,
  showHosts,
  showRank,
  showRuns,
  showShared,
  showSql,
  showTimeline,
} from "./small_pages";

export const pages: readonly Page[] = [
  page({
    name: "runs",
    path: "/",
    alsoAt: "/runs",
    title: "",
    link: {text: "Runs", command: "All runs", to: () => toRuns},
    failed: "The runs cannot be shown",
    show: showRuns,
  }),
  page({
    name: "compare",
    path: "/compare",
    accepts: (query) => isId(query.get("base") ?? "") && isId(query.get("test") ?? ""),
    title: "Comparison",
    link: {
      text: "Compare",
      // Two runs are chosen in the list; the page of a comparison leads to itself.
      to: ({app, isHere}) => {
        if (isHere) return location.pathname + location.search;
        const {all} = app.runs;
        const [base, test] = oldestFirst(app.compared.ids.value.flatMap((id) => all.value.get(id) ?? []));
        return base !== undefined && test !== undefined ? toCompare(base.id, test.id) : null;
      },
    },
    failed: "The runs cannot be compared",
    show: showComparison,
  }),
  page({
    name: "hosts",
    path: "/hosts",
    title: "Hosts",
    link: {text: "Hosts", command: "Hosts", to: () => toHosts},
    failed: "The hosts cannot be shown",
    show: showHosts,
  }),
  page({
    name: "fleet",
    path: "/fleet",
    title: "Fleet",
    link: {text: "Fleet", command: "Fleet", to: () => toFleet},
    failed: "The fleet cannot be shown",
    show: showFleet,
  }),
  pageOfRun({
    name: "run",
    path: "/runs/{id}",
    titleOfRun: (run) => run,
    linkOfRun: {text: "Report", command: "Report of this run", to: ({run}) => toRun(run.id)},
    hasSections: true,
    failed: "The run cannot be shown",
    showRun: showReport,
  }),
  pageOfRun({
    name: "timeline",
    path: "/runs/{id}/timeline",
    titleOfRun: (run) => `Timeline of ${run}`,
    linkOfRun: {
      text: "Timeline",
      command: "Timeline of this run",
      to: ({run, ranks}) => (isServing(run) ? null : toTimeline(run.id, ranks === "" ? "" : `?ranks=${ranks}`)),
    },
    withoutRanks: "This run has no timeline",
    failed: "The timeline cannot be shown",
    showRun: showTimeline,
  }),
  pageOfRun({
    name: "sql",
    path: "/runs/{id}/sql",
    titleOfRun: (run) => `SQL over ${run}`,
    linkOfRun: {text: "SQL", command: "SQL over this run", to: ({run}) => toSql(run.id)},
    failed: "The run cannot be asked",
    showRun: showSql,
  }),
  pageOfRun({
    name: "memory",
    path: "/runs/{id}/memory",
    titleOfRun: (run) => `Memory of ${run}`,
    linkOfRun: {
      text: "Memory",
      command: "Memory of this run",
      to: ({run}) => (run.snapshots > 0 ? toMemory(run.id) : null),
    },
    hasSections: true,
    failed: "The snapshot cannot be shown",
    showRun: showMemory,
  }),
  pageOfRun({
    name: "rank",
    path: "/runs/{id}/ranks/{rank}",
    titleOfRun: (run, {of: {rank}}) => `Rank ${Number(rank)} of ${run}`,
    linkOfRun: {
      text: ({rank}) => `Rank ${rank}`,
      to: ({run, rank}) => (rank === undefined ? null : toRank(run.id, rank)),
    },
    withoutRanks: "This run has no ranks",
    failed: "The rank cannot be shown",
    showRun: showRank,
  }),
  page({
    name: "explain",
    path: "/explain/{cause}",
    title: ({of: {cause}}) => cause,
    failed: "The finding cannot be explained",
    show: showExplanation,
  }),
  page({name: "share", path: "/s/{hash}", title: "", failed: "What was shared cannot be shown", show: showShared}),
];
