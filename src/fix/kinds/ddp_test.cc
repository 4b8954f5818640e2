#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Asked kUnused{.kind = "static-graph", .finding = "unused-parameters"};
const Asked kSmall{.kind = "bucket-size", .finding = "small-collectives"};

TEST(StaticGraph, InPlaceOfTheSearch) {
  EXPECT_EQ(Changes(kUnused, R"(from torch.nn.parallel import DistributedDataParallel as DDP
model = DDP(model, device_ids=[rank], find_unused_parameters=True)
)"),
            R"(-model = DDP(model, device_ids=[rank], find_unused_parameters=True)
+model = DDP(model, device_ids=[rank], static_graph=True)
)");
}

TEST(StaticGraph, OfTheModuleItself) {
  EXPECT_EQ(Changes(kUnused, R"(import torch
net = torch.nn.parallel.DistributedDataParallel(
    net,
    find_unused_parameters=True,
    static_graph=False)
)"),
            R"(-    find_unused_parameters=True,
-    static_graph=False)
+    static_graph=True)
)");
}

TEST(StaticGraph, OfAnImportedModule) {
  EXPECT_EQ(
      Changes(kUnused, R"(import torch.nn as nn

def wrap(m):
    return nn.parallel.DistributedDataParallel(m, find_unused_parameters=True, broadcast_buffers=False)
)"),
      R"(-    return nn.parallel.DistributedDataParallel(m, find_unused_parameters=True, broadcast_buffers=False)
+    return nn.parallel.DistributedDataParallel(m, broadcast_buffers=False, static_graph=True)
)");
}

constexpr std::string_view kImport = "from torch.nn.parallel import DistributedDataParallel\n";

TEST(StaticGraph, NotWhereItIsOffOrComputed) {
  for (const char* argument :
       {"find_unused_parameters=False", "find_unused_parameters=flag", "bucket_cap_mb=25"}) {
    const std::string program =
        std::string(kImport) + "m = DistributedDataParallel(m, " + argument + ")\n";
    EXPECT_EQ(Changes(kUnused, program), "");
    EXPECT_THAT(LeftFor(kUnused, program), IsEmpty());
  }
}

TEST(StaticGraph, NotOfOtherWraps) {
  EXPECT_EQ(Changes(kUnused, "m = DDP(m, find_unused_parameters=True)\n"), "");
}

TEST(StaticGraph, NotWhereArgumentsComeFromElsewhere) {
  EXPECT_THAT(
      LeftFor(kUnused, std::string(kImport) + "m = DistributedDataParallel(m, **o)\n"),
      ElementsAre(HasSubstr("2: arguments of DistributedDataParallel come from elsewhere")));
}

TEST(BucketSize, GoesWhereItIsSmall) {
  EXPECT_EQ(
      Changes(kSmall, std::string(kImport) + "m = DistributedDataParallel(m, bucket_cap_mb=1)\n"),
      "-m = DistributedDataParallel(m, bucket_cap_mb=1)\n+m = DistributedDataParallel(m)\n");
  EXPECT_EQ(Changes(kSmall,
                    "import torch\nm = "
                    "torch.nn.parallel.DistributedDataParallel(bucket_cap_mb=0.03, module=m)\n"),
            "-m = torch.nn.parallel.DistributedDataParallel(bucket_cap_mb=0.03, module=m)\n"
            "+m = torch.nn.parallel.DistributedDataParallel(module=m)\n");
  EXPECT_EQ(Changes(kSmall,
                    "import torch.nn.parallel as P\nm = P.DistributedDataParallel(m,\n    "
                    "bucket_cap_mb=5,\n    static_graph=True,\n)\n"),
            "-    bucket_cap_mb=5,\n");
}

TEST(BucketSize, NotWhereItIsLargeOrComputed) {
  for (const char* argument :
       {"bucket_cap_mb=25", "bucket_cap_mb=100", "bucket_cap_mb=size", "static_graph=True"})
    EXPECT_EQ(Changes(kSmall,
                      std::string(kImport) + "m = DistributedDataParallel(m, " + argument + ")\n"),
              "");
}

}  // namespace
}  // namespace rankscope::fix
