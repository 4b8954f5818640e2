#include "snoop/place.h"

#include <gtest/gtest.h>

namespace rankscope::snoop {
namespace {

using namespace std::string_view_literals;

TEST(Place, IsThatOfTheEnvironment) {
  const PlaceInJob place =
      PlaceIn("PATH=/bin\0SLURM_PROCID=9\0RANK=3\0WORLD_SIZE=8\0SLURM_JOB_ID=77\0"sv);
  EXPECT_EQ(place.rank, 3);  // torchrun's before Slurm's
  EXPECT_EQ(place.world_size, 8);
  EXPECT_EQ(place.job, "77");
}

TEST(Place, ThatIsNotSaidIsNotKnown) {
  EXPECT_EQ(PlaceIn("").rank, std::nullopt);
  EXPECT_EQ(PlaceIn("RANK=\0XRANK=1\0RANKS=2\0"sv).rank, std::nullopt);
  EXPECT_EQ(PlaceIn("RANK=three\0"sv).rank, std::nullopt);
  EXPECT_EQ(PlaceIn("RANK=-1\0"sv).rank, std::nullopt);
  // An environment that is cut.
  EXPECT_EQ(PlaceIn("WORLD_SIZE=16\0RAN"sv).world_size, 16);
}

}  // namespace
}  // namespace rankscope::snoop
