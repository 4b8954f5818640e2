// The pages of sections, and what stands on each in which order: what matters first. The one-file pages and the app show the same.

import type {ComponentChildren} from "preact";
import {plural} from "../model/format";
import type {Diff, Report, Serving, Snapshot} from "../model/report";
import {front} from "../model/text";
import {acrossSection} from "./across/view";
import {blameSection} from "./blame/view";
import {byRankSection, idleSection} from "./by_rank/view";
import {callStacksSection} from "./call_stacks/view";
import {copiesSection} from "./copies/view";
import {criticalPathSection} from "./critical_path/view";
import {diffFlamesSection} from "./diff/flames";
import {
  changesOfHostOps,
  changesOfKernels,
  changesOfModules,
  changesOfOps,
  changesOfPhases,
  changesOfPlaces,
  diffOverview,
  findingsDiffSection,
  partsSection,
  pathSection,
  ranksDiffSection,
} from "./diff/sections";
import {expertsSection} from "./experts/view";
import {findingsSection} from "./findings/view";
import {graphsSection} from "./graphs/view";
import {hostSection} from "./host/view";
import {jobTimeSection} from "./job_time/view";
import {kernelsSection, kernelStepsSection} from "./kernels/view";
import {layoutSection} from "./layout/view";
import {memorySection} from "./memory/view";
import {modulesSection, opsSection} from "./ops_and_modules/view";
import {overlapSection} from "./overlap/view";
import {overviewSection} from "./overview/view";
import {annotationsSection, classesSection, launchesSection, phasesSection} from "./percentiles/view";
import {pipelineSection} from "./pipeline/view";
import {capturesSection, NotEvaluated, qualitySection} from "./quality/view";
import {ranksSection} from "./ranks/view";
import {rooflineSection} from "./roofline/view";
import {batchesSection} from "./serving/batches";
import {levelsSection} from "./serving/levels";
import {overTimeSection} from "./serving/over_time";
import {recordingsSection} from "./serving/recordings";
import {requestsSection} from "./serving/requests";
import {methodsSection, stagesSection, tailSection} from "./serving/stages";
import {trialsSection} from "./serving/trials";
import {verdictSection} from "./serving/verdict";
import type {Group} from "./shared/section";
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
  timelineCategories,
  timelineOfCategories,
  timelineOverview,
  titleOfDevice,
} from "./snapshot/view";
import {snoopCallsSection} from "./snoop/calls";
import {snoopMemorySection} from "./snoop/memory";
import {snoopWaitsSection} from "./snoop/waits";
import {stepTimeSection} from "./step_time/view";
import {summarySection} from "./summary/view";

export interface SectionsOf<Data> {
  readonly name: string;
  readonly about: (data: Data) => string;
  readonly groups: (data: Data) => readonly Group<Data>[];
  readonly footer: (data: Data) => ComponentChildren;
}

const reportGroups: readonly Group<Report>[] = [
  {
    id: "overview",
    name: "Overview",
    sections: [overviewSection, findingsSection, summarySection, jobTimeSection, stepTimeSection, criticalPathSection],
  },
  {
    id: "ranks",
    name: "Ranks",
    sections: [byRankSection, idleSection, ranksSection, blameSection, layoutSection, pipelineSection],
  },
  {id: "communication", name: "Communication", sections: [overlapSection, acrossSection, expertsSection]},
  {
    id: "compute",
    name: "Compute",
    sections: [
      kernelsSection,
      kernelStepsSection,
      opsSection,
      modulesSection,
      callStacksSection,
      rooflineSection,
      graphsSection,
      classesSection,
    ],
  },
  {id: "memory", name: "Memory", sections: [memorySection, snoopMemorySection, copiesSection]},
  {
    id: "host",
    name: "Host",
    sections: [hostSection, launchesSection, phasesSection, annotationsSection, snoopCallsSection, snoopWaitsSection],
  },
  {id: "data", name: "Data", sections: [qualitySection, capturesSection]},
];

// "8 ranks on NVIDIA H100".
function aboutJob({job}: Report): string {
  const ranks = plural(job.ranks, "rank");
  const devices = job.devices.slice(0, 2).map((device) => front(device, 60));
  return devices.length === 0 ? ranks : `${ranks} on ${devices.join(", ")}`;
}

export const reportPage: SectionsOf<Report> = {
  name: "rankscope",
  about: aboutJob,
  groups: () => reportGroups,
  footer: (report) => (
    <>
      {report.has("findings") ? null : <NotEvaluated report={report} />}
      <footer class="note">
        Made by rankscope from these traces alone; every number is a cell of a table: <code>rankscope list</code> names
        them.
      </footer>
    </>
  ),
};

const diffGroups: readonly Group<Diff>[] = [
  {
    id: "all",
    name: "Overview",
    sections: [diffOverview, partsSection, diffFlamesSection, findingsDiffSection, pathSection],
  },
  {
    id: "places",
    name: "Where",
    sections: [
      changesOfOps,
      changesOfKernels,
      changesOfHostOps,
      changesOfPhases,
      changesOfModules,
      changesOfPlaces,
      ranksDiffSection,
    ],
  },
];

export const diffPage: SectionsOf<Diff> = {
  name: "rankscope diff",
  // "before -> after".
  about: ({data}) => `${front(data.base, 200)} \u2192 ${front(data.test, 200)}`,
  groups: () => diffGroups,
  footer: () => (
    <footer class="note">
      Made by rankscope from these traces alone; every number is a cell of a table:{" "}
      <code>rankscope diff BASE TEST --table NAME</code> writes one.
    </footer>
  ),
};

// Of each device of a snapshot.
const deviceGroups = [
  {id: "all", name: "Overview", sections: [memoryOverview, oomSection, allocationsSection, leaksSection]},
  {id: "details", name: "Details", sections: [holdersSection, categoriesSection, segmentsSection, stacksSection]},
] as const;

function snapshotGroups(snapshot: Snapshot): readonly Group<Snapshot>[] {
  if (snapshot.data.is_timeline)
    return [{id: "all", name: "Overview", sections: [timelineOverview, timelineOfCategories, timelineCategories]}];
  const summary = snapshot.table("snapshot_summary");
  return summary.rows().flatMap((row) => {
    const device = summary.get(row, "device");
    return deviceGroups.map(({id, name, sections}) => ({
      id: idOf(snapshot, id, device),
      name: titleOfDevice(snapshot, name, device),
      sections: sections.map((make) => () => make(snapshot, row)),
    }));
  });
}

export const memoryPage: SectionsOf<Snapshot> = {
  name: "rankscope memory",
  // "before -> after".
  about: ({data}) => (data.later ? `${front(data.path, 200)} \u2192 ${front(data.later, 200)}` : front(data.path, 300)),
  groups: snapshotGroups,
  footer: ({data}) => (
    <footer class="note">
      Made by rankscope from this file alone; every number is a cell of a table:{" "}
      <code>rankscope memory SNAPSHOT --table NAME</code> writes one.
      {data.settings ? ` PYTORCH_CUDA_ALLOC_CONF=${front(data.settings, 300)}` : null}
    </footer>
  ),
};

const servingGroups: readonly Group<Serving>[] = [
  {
    id: "overview",
    name: "Overview",
    sections: [verdictSection, trialsSection, stagesSection, methodsSection, tailSection, levelsSection],
  },
  {id: "requests", name: "Requests", sections: [overTimeSection, requestsSection]},
  {id: "engine", name: "Engine", sections: [batchesSection]},
  {id: "data", name: "Data", sections: [recordingsSection]},
];

export const servingPage: SectionsOf<Serving> = {
  name: "rankscope serving",
  about: ({data}) => front(data.path, 300),
  groups: () => servingGroups,
  footer: () => (
    <footer class="note">
      Made by rankscope from these recordings alone; every number is a cell of a table:{" "}
      <code>rankscope serving PATH --table NAME</code> writes one.
    </footer>
  ),
};
