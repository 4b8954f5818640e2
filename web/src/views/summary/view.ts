// The headline: how big the job is, how long a step takes, and the biggest losses in plain words.

import {el, front, swatch} from "../../draw/dom";
import {grouped} from "../../model/format";
import {report, table} from "../../model/report";
import {inMicros} from "../../model/vocabulary";
import {section} from "../shared/section";
import {cellSpan, tile} from "../shared/tiles";

function stepTiles() {
  const steps = table("step_spread");
  const all = steps.rows().find((row) => steps.get(row, "step") === null);
  if (all === undefined || steps.get(all, "median_ns") === null) return [];
  const numbered = steps.rows().filter((row) => row !== all);
  const first = steps.cell(numbered[0], "step");
  const last = steps.cell(numbered[numbered.length - 1], "step");
  return [
    tile("Steps", numbered.length === 1 ? cellSpan(first) : [cellSpan(first), "\u2013", cellSpan(last)], [
      cellSpan(steps.cell(all, "steps")),
      " complete on all ranks together",
    ]),
    tile(
      "Median step time",
      cellSpan(steps.cell(all, "median_ns")),
      steps.get(all, "steps") === 1
        ? null
        : [cellSpan(steps.cell(all, "min_ns")), " to ", cellSpan(steps.cell(all, "max_ns"))],
    ),
  ];
}

function partTile(id: string, name: string) {
  const source = table("job_breakdown");
  const row = source.where("part", id)[0];
  if (row === undefined) return [];
  const isSame = source.get(row, "min_pct") === source.get(row, "max_pct");
  return [
    tile(
      name,
      cellSpan(source.cell(row, "share_pct")),
      isSame
        ? "of device time"
        : [cellSpan(source.cell(row, "min_pct")), " to ", cellSpan(source.cell(row, "max_pct")), " by device"],
    ),
  ];
}

// A section that has nothing to show is left out; what points to it then points to the division of the job's time.
export function mendLinks() {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".headlines a")) {
    if (!document.getElementById(link.hash.slice(1))) link.hash = "#job-time";
  }
}

export function summarySection() {
  const job = report.job;
  const ranks =
    job.world_size !== null && job.world_size > job.ranks
      ? `${grouped(job.ranks)} of ${grouped(job.world_size)}`
      : grouped(job.ranks);
  const tiles = el(
    "div",
    {class: "tiles"},
    tile(
      "Ranks",
      ranks,
      (job.world_size ?? 0) > job.ranks ? "the others have no recording here" : null,
      false,
      "that have a recording here, of those that the job says it has",
    ),
    job.devices.length
      ? tile(
          job.devices.length === 1 ? "Device" : "Devices",
          job.devices.slice(0, 4).map((device) => el("div", {}, front(device, 120))),
          job.devices.length > 4 ? `and ${job.devices.length - 4} more` : null,
          true,
          "as the traces name the devices",
        )
      : null,
    stepTiles(),
    partTile("compute", "Time spent computing"),
    partTile("exposed_communication", "Exposed communication"),
  );
  const lines = report.headlines.map((line) =>
    el("li", {}, swatch(line.part), el("a", {href: `#${line.section}`}, inMicros(line.text))),
  );
  const hasWork = !table("job_breakdown").empty;
  const hasRules = Boolean(report.tables.findings);
  const none =
    hasRules && hasWork
      ? "No part of device time other than computing reaches 1 %, and no kernel changed much over the steps."
      : hasWork
        ? "No part of device time other than computing reaches 1 %, no rank stands out, and no kernel changed much over the steps."
        : "No device work was recorded, so there is no device time to divide.";
  return section(
    "summary",
    hasRules ? "Where time is lost" : "What matters first",
    null,
    tiles,
    lines.length ? el("ul", {class: "headlines"}, lines) : el("p", {class: "empty"}, none),
  );
}
