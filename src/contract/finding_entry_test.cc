#include "contract/finding_entry.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(FindingEntry, SlipsAreToldWithWhatMayBeMeant) {
  const std::vector<std::string> names = {"slow-gpu", "host-sync"};
  EXPECT_EQ(NoSuchFinding("slow-gup", names),
            "there is no finding 'slow-gup'; did you mean slow-gpu? rankscope explain lists all");
  EXPECT_EQ(NoSuchFinding("zzz", names), "there is no finding 'zzz'; rankscope explain lists all");
}

}  // namespace
}  // namespace rankscope
