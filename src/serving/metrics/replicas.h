// Which scrapes are of one replica (series.h has the rules).
#pragma once

#include <string>
#include <vector>

#include "serving/base/data.h"

namespace rankscope::serving {

struct ReplicaScrapes {
  std::string name;
  std::vector<const Scrape*> scrapes;  // by time
};

// In the order of their names, which differ. Scrapes without a time are left out unless they are
// the only one of theirs.
std::vector<ReplicaScrapes> ReplicasOf(const ServingData& data);

}  // namespace rankscope::serving
