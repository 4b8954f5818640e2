#include "service/base/hidden_folder.h"

#include <gtest/gtest.h>

namespace rankscope::service {
namespace {

TEST(WithoutFolder, NamesWhatLiesBelow) {
  EXPECT_EQ(WithoutFolder("/srv/runs/blobs/ab/ab12: cannot read", "/srv/runs"),
            "blobs/ab/ab12: cannot read");
  EXPECT_EQ(WithoutFolder("a /srv/runs/x, b /srv/runs/y", "/srv/runs"), "a x, b y");
}

TEST(WithoutFolder, TheFolderItself) {
  EXPECT_EQ(WithoutFolder("/srv/runs: no room", "/srv/runs"), "the data folder: no room");
}

TEST(WithoutFolder, NothingToHide) {
  EXPECT_EQ(WithoutFolder("rank 3 is slow", "/srv/runs"), "rank 3 is slow");
  EXPECT_EQ(WithoutFolder("/srv/runs/x", ""), "/srv/runs/x");
}

}  // namespace
}  // namespace rankscope::service
