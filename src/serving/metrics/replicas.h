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

// In the order of their names, which differ. Scrapes without a time stay as they stand in their
// file, before those with one.
std::vector<ReplicaScrapes> ReplicasOf(const ServingData& data);

}  // namespace rankscope::serving
