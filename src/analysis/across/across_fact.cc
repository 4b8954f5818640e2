#include "analysis/across/across_fact.h"

#include "analysis/across/collective_events.h"

namespace rankscope {

const JobFact<AcrossFacts>& AcrossFact() {
  static const JobFact<AcrossFacts> kFact({
      .name = "across",
      .mapper = CollectivesMapper(),
      .build = AcrossFacts::Build,
  });
  return kFact;
}

}  // namespace rankscope
