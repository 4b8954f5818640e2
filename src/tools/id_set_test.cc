#include "tools/id_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace rankscope {
namespace {

TEST(IdSet, HoldsWhatWasAddedSparseAndDense) {
  std::mt19937_64 random(7);
  IdSet set;
  std::set<std::int64_t> reference;
  for (int i = 0; i < 30'000; ++i) {
    const std::int64_t dense = static_cast<std::int64_t>(random() % 40'000);
    const auto sparse = static_cast<std::int64_t>(random());
    for (const std::int64_t id : {dense, sparse, -dense}) {
      set.Add(id);
      reference.insert(id);
    }
  }
  EXPECT_EQ(set.size(), reference.size());
  for (std::int64_t id = -41'000; id < 41'000; ++id)
    ASSERT_EQ(set.Contains(id), reference.contains(id)) << id;
  for (const std::int64_t id : reference) ASSERT_TRUE(set.Contains(id));
  EXPECT_FALSE(IdSet().Contains(0));
}

}  // namespace
}  // namespace rankscope
