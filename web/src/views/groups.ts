// The views of a report in groups, in the order of the page: what matters first. The page shows all of them below each other, the app
// one group at a time.

import {acrossSection} from "./across/view";
import {blameSection} from "./blame/view";
import {byRankSection, idleSection} from "./by_rank/view";
import {callStacksSection} from "./call_stacks/view";
import {copiesSection} from "./copies/view";
import {criticalPathSection} from "./critical_path/view";
import {expertsSection} from "./experts/view";
import {findingsSection} from "./findings/view";
import {graphsSection} from "./graphs/view";
import {hostSection} from "./host/view";
import {jobTimeSection} from "./job_time/view";
import {kernelStepsSection, kernelsSection} from "./kernels/view";
import {layoutSection} from "./layout/view";
import {memorySection} from "./memory/view";
import {modulesSection, opsSection} from "./ops_and_modules/view";
import {overlapSection} from "./overlap/view";
import {percentileSections} from "./percentiles/view";
import {pipelineSection} from "./pipeline/view";
import {capturesSection, qualitySection} from "./quality/view";
import {ranksSection} from "./ranks/view";
import {rooflineSection} from "./roofline/view";
import type {Section} from "./shared/section";
import {stepTimeSection} from "./step_time/view";
import {summarySection} from "./summary/view";

export interface ViewGroup {
  readonly id: string;
  readonly name: string;
  readonly sections: readonly (() => Section)[]; // each made when its turn comes
}

// What only the app has, for it asks the server: by the group in which it stands.
export interface SectionsOfApp {
  readonly overview: readonly (() => Section)[];
  readonly ranks: readonly (() => Section)[];
  readonly data: readonly (() => Section)[];
}

export function reportGroups(ofApp: SectionsOfApp): ViewGroup[] {
  const [classes, phases, launches, annotations] = percentileSections();
  return [
    {
      id: "overview",
      name: "Overview",
      sections: [
        findingsSection,
        ...ofApp.overview,
        summarySection,
        jobTimeSection,
        stepTimeSection,
        criticalPathSection,
      ],
    },
    {
      id: "ranks",
      name: "Ranks",
      sections: [
        byRankSection,
        ...ofApp.ranks,
        idleSection,
        ranksSection,
        blameSection,
        layoutSection,
        pipelineSection,
      ],
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
        classes,
      ],
    },
    {id: "memory", name: "Memory", sections: [memorySection, copiesSection]},
    {id: "host", name: "Host", sections: [hostSection, launches, phases, annotations]},
    {id: "data", name: "Data", sections: [...ofApp.data, qualitySection, capturesSection]},
  ];
}
