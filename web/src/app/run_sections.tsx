// Sections of runs that only the app has: they ask the server.

import type {ComponentChildren} from "preact";
import type {Run} from "../model/api";
import {human, plural} from "../model/format";
import type {Report} from "../model/report";
import {Explanation} from "../views/explain/view";
import {Files} from "../views/files/view";
import {metricsSection} from "../views/metrics/view";
import {Notes} from "../views/notes/view";
import {rankStepsSection} from "../views/rank_steps/view";
import type {Group, MakeSection, Section} from "../views/shared/section";
import {type Curable, WhatIf} from "../views/whatif/view";

export const servingHasNoRanks =
  "It is of a serving program, which has no ranks: its report shows requests and stages.";

export function filesSection(run: Run): Section {
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

export function explained(cause: string): ComponentChildren {
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

export function groupsOfRun(groups: readonly Group<Report>[], run: Run): Group<Report>[] {
  return groups.map((group) => {
    const sections = [...group.sections];
    for (const one of sectionsOfRun(run)) if (one.group === group.id) sections.splice(one.at, 0, one.make);
    return {...group, sections};
  });
}
