// The report of one job, in the one-file page and in the app: the same sections, in the same order.

import {el, front} from "../draw/dom";
import {drawNew, watchSizes} from "../draw/redraw";
import {slices} from "../draw/slices";
import {spoken, tip} from "../draw/tooltip";
import {plural} from "../model/format";
import {report} from "../model/report";
import {mendCardLinks} from "./findings/view";
import {reportGroups, type SectionsOfApp} from "./groups";
import {notEvaluated} from "./quality/view";
import {followAddress} from "./shared/choice";
import {contents, group, type Section} from "./shared/section";
import {mendLinks} from "./summary/view";

// "8 ranks on NVIDIA H100".
export function aboutJob(): string {
  const ranks = plural(report.job.ranks, "rank");
  if (report.job.devices.length === 0) return ranks;
  return `${ranks} on ${report.job.devices
    .map((device) => front(device, 60))
    .slice(0, 2)
    .join(", ")}`;
}

// Draws the current report (setReport) below `header`, once a document: sections are known to each other. A section after the other, so
// that what is above can be read while the rest is made. What only the app has stands among its sections.
export async function showReport(
  header: HTMLElement,
  ofApp: SectionsOfApp = {overview: [], ranks: [], data: []},
): Promise<void> {
  const main = el("main");
  const place = el("nav", {class: "contents", "aria-label": "Sections"});
  document.body.append(el("div", {class: "page"}, header, place, main), tip, spoken);
  const pause = slices();
  for (const {id, name, sections} of reportGroups(ofApp)) {
    const made: Section[] = [];
    for (const make of sections) {
      made.push(make());
      await pause();
    }
    const node = group(id, name, made);
    if (node === null) continue;
    main.append(node);
    await drawNew(pause);
  }
  const footer = el(
    "footer",
    {class: "note"},
    "Made by rankscope from these traces alone; every number is a cell of a table: ",
    el("code", {}, "rankscope list"),
    " names them. Plots of lines: uPlot, MIT licence, \u00a9 Leon Sorokin.",
  );
  const unlooked = report.tables.findings ? null : notEvaluated();
  if (unlooked) main.append(unlooked);
  main.append(footer);
  place.replaceWith(contents());
  mendLinks();
  mendCardLinks();
  watchSizes();
  followAddress();
  document.documentElement.dataset.drawn = String(Math.round(performance.now()));
}
