// Assigns scrapes to replicas (series.h has the rules).
#pragma once

#include <string>
#include <vector>

#include "serving/base/data.h"

namespace rankscope::serving {

struct ReplicaScrapes {
  std::string name;
  std::vector<const Scrape*> scrapes;  // by time
};

// In the order of their names, which differ. Scrapes without a time keep the order of their file,
// before those with one.
std::vector<ReplicaScrapes> ReplicasOf(const ServingData& data);

}  // namespace rankscope::serving
