// A memory snapshot, or what grew between two, in the one-file page and in the app: the same sections, in the same order.

import {el, front} from "../draw/dom";
import {redrawAll, watchSizes} from "../draw/redraw";
import {spoken, tip} from "../draw/tooltip";
import {snapshot, table} from "../model/report";
import {followAddress} from "./shared/choice";
import {contents, group} from "./shared/section";
import {
  allocationsSection,
  categoriesSection,
  holdersSection,
  idOf,
  leaksSection,
  memoryOverview,
  oomSection,
  segmentsSection,
  stacksSection,
  timelineSections,
  titleOfDevice,
} from "./snapshot/view";

// "before -> after".
export function aboutMemory(): string {
  return snapshot.later
    ? `${front(snapshot.path, 200)} \u2192 ${front(snapshot.later, 200)}`
    : front(snapshot.path, 300);
}

// Draws the current snapshot (setSnapshot) below `header`, once a document.
export function showMemory(header: HTMLElement): void {
  const summary = table("snapshot_summary");
  const all = snapshot.is_timeline
    ? [group("all", "Overview", timelineSections())]
    : summary
        .rows()
        .flatMap((row) => [
          group(idOf("all", summary.get(row, "device")), titleOfDevice("Overview", summary.get(row, "device")), [
            memoryOverview(row),
            oomSection(row),
            allocationsSection(row),
            leaksSection(row),
          ]),
          group(idOf("details", summary.get(row, "device")), titleOfDevice("Details", summary.get(row, "device")), [
            holdersSection(row),
            categoriesSection(row),
            segmentsSection(row),
            stacksSection(row),
          ]),
        ])
        .filter(Boolean);
  const footer = el(
    "footer",
    {class: "note"},
    "Made by rankscope from this file alone; every number is a cell of a table: ",
    el("code", {}, "rankscope memory SNAPSHOT --table NAME"),
    " writes one.",
    snapshot.settings ? [" PYTORCH_CUDA_ALLOC_CONF=", front(snapshot.settings, 300)] : null,
  );
  document.body.append(el("div", {class: "page"}, header, contents(), el("main", {}, all, footer)), tip, spoken);
  redrawAll();
  watchSizes();
  followAddress();
  document.documentElement.dataset.drawn = String(Math.round(performance.now()));
}
