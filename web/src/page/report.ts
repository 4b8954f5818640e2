// Puts the page together: what matters first, then the details in groups.

import "uplot/dist/uPlot.min.css";
import "../style/all.css";
import {el, front} from "../draw/dom";
import {redrawAll, watchSizes} from "../draw/redraw";
import {spoken, tip} from "../draw/tooltip";
import {plural} from "../model/format";
import {type ReportData, report, setReport} from "../model/report";
import {mendCardLinks} from "../views/findings/view";
import {reportGroups} from "../views/groups";
import {notEvaluated} from "../views/quality/view";
import {followAddress} from "../views/shared/choice";
import {contents, group} from "../views/shared/section";
import {themeButton} from "../views/shared/theme_button";
import {mendLinks} from "../views/summary/view";
import {embedded} from "./embedded";

function build(): void {
  setReport(embedded<ReportData>());
  const all = reportGroups().map(({id, name, sections}) => group(id, name, sections)).filter((one) => one !== null);
  const about = report.job.devices.length ? `${plural(report.job.ranks, "rank")} on ${report.job.devices.map((device) => front(device, 60)).slice(0, 2).join(", ")}`
    : plural(report.job.ranks, "rank");
  const footer = el("footer", {class: "note"}, "Made by rankscope from these traces alone; every number is a cell of a table: ",
    el("code", {}, "rankscope list"), " names them. Plots of lines: uPlot, MIT licence, \u00a9 Leon Sorokin.");
  document.body.append(el("div", {class: "page"},
    el("header", {class: "top"}, el("h1", {}, "rankscope"), el("span", {class: "about"}, about), themeButton()),
    contents(), el("main", {}, all, report.tables.findings ? null : notEvaluated(), footer)), tip, spoken);
  mendLinks();
  mendCardLinks();
  redrawAll();
  watchSizes();
  followAddress();
  document.documentElement.dataset.drawn = String(Math.round(performance.now()));
}

build();
