// The tables that compare FLOPs with the devices' peaks.
#pragma once

#include <string_view>

#include "schemas/rank_rows.h"

namespace rankscope {

struct FlopUtilisation : Schema<FlopUtilisation, RankRows> {
  static constexpr std::string_view kName = "flop_utilisation";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfDevice());
  IntColumn duration_ns = Int(column::DeviceWindowLength());
  RealColumn flops =
      Real("flops", "FLOP", "of the matmuls, convolutions and attentions launched in the step");
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
extern template const FlopUtilisation& SchemaOf<FlopUtilisation>();

struct Roofline : Schema<Roofline> {
  static constexpr std::string_view kName = "roofline";

  StringColumn op = Text("op", "the op; null = computing without a model");
  StringColumn family =
      Text("family",
           "matmul, convolution, attention, elementwise, reduction, normalisation, "
           "indexing, pooling or optimizer");
  StringColumn shapes = Text("shapes", "shapes of its inputs, as recorded");
  StringColumn dtype = Text("dtype", "of its first operand");
  StringColumn device = Text("device", "name of the device; null when the trace does not state it");
  IntColumn ranks = Int("ranks", "", "ranks on which it ran");
  IntColumn count = Int("count", "", "how often it ran with device work, on all ranks");
  IntColumn device_ns = Int("device_ns", "ns", "sum of the durations of its kernels");
  RealColumn share_pct = Real("share_pct", "%", "device_ns of all computing kernels");
  RealColumn mean_ns = Real("mean_ns", "ns", "device_ns / count");
  RealColumn flops = Real("flops", "FLOP", "what one run has to compute");
  RealColumn bytes = Real("bytes", "bytes", "what one run has to move at least");
  RealColumn flop_per_byte =
      Real("flop_per_byte", "FLOP/byte", "flops / bytes: the arithmetic intensity");
  RealColumn flops_per_s = Real("flops_per_s", "FLOP/s", "achieved: flops / mean_ns");
  RealColumn bytes_per_s = Real("bytes_per_s", "bytes/s", "achieved: bytes / mean_ns");
  StringColumn bound =
      Text("bound", "compute or memory: what limits it; null for an unknown device");
  RealColumn efficiency_pct = Real("efficiency_pct", "%", "time at the device's peak / mean_ns");
  IntColumn headroom_ns = Int(
      "headroom_ns", "ns", "device_ns less the time at the peak: what a perfect kernel would save");
  RealColumn matrix_cores_pct =
      Real("matrix_cores_pct", "%",
           "part of device_ns in kernels whose name says that they use matrix cores");
  FlagColumn fits_matrix_cores =
      Flag("fits_matrix_cores",
           "a matmul, convolution or attention whose dtype and sizes matrix cores can take");
  FlagColumn above_roof =
      Flag("above_roof",
           "more than 110% of the peak: inputs lay in a cache, or the model is wrong here");
  RealColumn peak_flops_per_s =
      Real("peak_flops_per_s", "FLOP/s",
           "the device's peak for the dtype, on these units; null when it is not known");
  RealColumn peak_bytes_per_s = Real("peak_bytes_per_s", "bytes/s",
                                     "the device's memory bandwidth; null for an unknown device");
  StringColumn units =
      Text("units", "matrix cores or vector units: whose peak it is measured against");
  FlagColumn units_stated = Flag(
      "units_stated",
      "false: the kernels' names do not say it, so a matmul, convolution or attention of 16 or 8 "
      "bits is taken to run on matrix cores, one of more bits not to");
  StringColumn roof_confidence =
      Text("roof_confidence",
           "how the peak that bounds it was come by: stated, halved, derived or unsure, as "
           "device_peaks explains");
  FlagColumn lower_bound = Flag(
      "lower_bound",
      "flops are at least these: the lengths of the sequences were not recorded, only their sum "
      "and the longest");
};
extern template const Roofline& SchemaOf<Roofline>();

}  // namespace rankscope
