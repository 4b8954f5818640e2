#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kAnomalyModeAsked{.kind = "anomaly-mode", .finding = "nan-checks"};

TEST(AnomalyMode, IsTurnedOff) {
  EXPECT_EQ(
      Changes(kAnomalyModeAsked, "import torch\ntorch.autograd.set_detect_anomaly(True)\n"),
      "-torch.autograd.set_detect_anomaly(True)\n+torch.autograd.set_detect_anomaly(False)\n");
  EXPECT_EQ(Changes(kAnomalyModeAsked,
                    "from torch import autograd as A\nA.set_detect_anomaly(mode=True)\n"),
            "-A.set_detect_anomaly(mode=True)\n+A.set_detect_anomaly(mode=False)\n");
  EXPECT_EQ(Changes(kAnomalyModeAsked,
                    "from torch.autograd import set_detect_anomaly\ndef f():\n    "
                    "set_detect_anomaly(True, check_nan=True)\n"),
            "-    set_detect_anomaly(True, check_nan=True)\n+    set_detect_anomaly(False, "
            "check_nan=True)\n");
}

TEST(AnomalyMode, NotWhereItIsOffOrComputed) {
  for (const char* mode : {"False", "args.debug"})
    EXPECT_EQ(Changes(kAnomalyModeAsked, "import torch\ntorch.autograd.set_detect_anomaly(" +
                                             std::string(mode) + ")\n"),
              "");
}

TEST(AnomalyMode, NotForABlock) {
  EXPECT_THAT(LeftFor(kAnomalyModeAsked,
                      "import torch\nwith torch.autograd.set_detect_anomaly(True):\n    f()\n"),
              ElementsAre(HasSubstr("2: anomaly mode is on for a block")));
}

TEST(AnomalyMode, NotOfAnotherFunction) {
  EXPECT_EQ(Changes(kAnomalyModeAsked, "set_detect_anomaly(True)\nmine.set_detect_anomaly(True)\n"),
            "");
}

}  // namespace
}  // namespace rankscope::fix
