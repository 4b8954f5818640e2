// The tables of FLOPs against what devices can do.
#pragma once

#include "schemas/rank_rows.h"

namespace rankscope {

struct FlopUtilisation : RankRows {
  static constexpr std::string_view kName = "flop_utilisation";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfWindow());
  IntColumn duration_ns = Int(column::WindowLength());
  RealColumn flops =
      Real("flops", "FLOP",
           "of the matmuls, convolutions and attentions whose kernels begin in the window");
  RealColumn flops_per_s = Real("flops_per_s", "FLOP/s", "flops / duration_ns");
  RealColumn known_pct =
      Real("known_pct", "%",
           "part of summed computing time whose op has a cost model; null without any");
  RealColumn peak_flops_per_s =
      Real("peak_flops_per_s", "FLOP/s",
           "dense 16-bit peak of the device's matrix cores; null for an unknown device");
  RealColumn hfu_pct = Real("hfu_pct", "%", "flops_per_s of the peak: hardware FLOP utilisation");
  RealColumn recomputed_flops = Real("recomputed_flops", "FLOP",
                                     "part of flops that activation checkpointing computed again");
  RealColumn mfu_pct =
      Real("mfu_pct", "%", "the same as hfu_pct without recomputed_flops: model FLOP utilisation");
  FlagColumn complete = Flag(column::Complete());
};

}  // namespace rankscope
