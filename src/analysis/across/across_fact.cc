#include "analysis/across/across_fact.h"

#include "analysis/across/collective_events.h"

namespace rankscope {

const JobFact& AcrossFact() {
  static const JobFact kFact{
      .name = "across",
      .mapper = CollectivesMapper(),
      .build = [](PartialStream& partials,
                  const JobContext& job) -> Result<std::shared_ptr<const void>> {
        RS_ASSIGN_OR_RETURN(std::shared_ptr<const void> facts, AcrossFacts::Build(partials, job));
        return facts;
      },
  };
  return kFact;
}

}  // namespace rankscope
