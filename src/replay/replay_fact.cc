#include "replay/replay_fact.h"

#include "analysis/across/across_fact.h"
#include "replay/recording/map_nodes.h"

namespace rankscope {

const JobFact<Replayed>& ReplayFact() {
  static const JobFact<Replayed> kFact({
      .name = "replay",
      .mapper = NodesMapper(),
      .build = [](PartialStream& partials,
                  const JobContext& job) -> Result<std::shared_ptr<const Replayed>> {
        const AcrossFacts& across = AcrossOf(job);
        RS_ASSIGN_OR_RETURN(auto graph, BuildJobGraph(partials, job, across));
        auto replayed = std::make_shared<const Replayed>(
            std::move(graph), PeersOf(across.layout(), across.collectives().ranks().size()),
            job.threads);
        // Nearly everybody asks for both, one after the other.
        if (job.threads > 1) replayed->MakeNowAndPlaces();
        return replayed;
      },
      .facts = {&AcrossFact()},
  });
  return kFact;
}

}  // namespace rankscope
