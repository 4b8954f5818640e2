// nan-checks: tensors are checked for NaN again and again.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

void Check(Program& of, std::string_view test) {
  of.Op(test, "vectorized_elementwise_kernel", 5);
  of.Op("aten::any", "reduce_kernel", 5);
  of.InOp("aten::_local_scalar_dense", [&] {
    of.Copy("Memcpy DtoH (Device -> Pageable)", 2);
    of.Synchronise("cudaStreamSynchronize");
  });
}

Body Checks(int count, std::string_view test) {
  return [=](Program& of, int) {
    for (int i = 0; i < 16; ++i) {
      of.Product();
      if (i < count) Check(of, test);
    }
  };
}

TEST(NanChecks, GainTheirKernelsAndWaits) {
  const Told told = TellOf(Checks(16, "aten::ne"));
  EXPECT_EQ(told.first(), "nan-checks") << told.ids;
  EXPECT_EQ(told.title,
            "tensors are checked for NaN 16 times a step, and the host waits for each "
            "answer");
  EXPECT_FALSE(told.Has("host-sync")) << told.all;
  EXPECT_NEAR(told.gain, 100 * (1 - TellOf(Checks(0, "")).mean_step / told.mean_step), 2);
}

// What autograd's anomaly mode does behind each function of backward.
TEST(NanChecks, InBackwardAreAnomalyMode) {
  const Told told = TellOf([](Program& of, int) {
    of.Products(4);
    for (int i = 0; i < 16; ++i) {
      of.InOp("autograd::engine::evaluate_function: MmBackward0", [&] {
        of.Product();
        Check(of, "aten::ne");
      });
    }
  });
  EXPECT_EQ(told.first(), "nan-checks") << told.ids;
  EXPECT_NE(told.title.find("backward checks its gradients for NaN 16 times"), std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("set_detect_anomaly(False)"), std::string::npos) << told.change;
}

TEST(NanChecks, AFewAreOrdinary) { EXPECT_FALSE(TellOf(Checks(3, "aten::ne")).Has("nan-checks")); }

// A reduction whose value is read is told as what it is.
TEST(NanChecks, OtherValuesAreHostSync) {
  const Told told = TellOf(Checks(16, "aten::exp"));
  EXPECT_FALSE(told.Has("nan-checks")) << told.all;
  EXPECT_TRUE(told.Has("host-sync")) << told.all;
}

}  // namespace
}  // namespace rankscope
