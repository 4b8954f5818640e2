// The tables of copies and memsets.
#pragma once

#include "schemas/rank_rows.h"

namespace rankscope {

struct Copies : Schema<Copies, RankRows> {
  static constexpr std::string_view kName = "copies";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfLaunch());
  StringColumn direction =
      Text("direction", "HtoD, DtoH, DtoD, PtoP, ... as the name says, or unknown");
  StringColumn memory =
      Text("memory", "kinds of memory, \"Pageable -> Device\"; null when the name does not say");
  IntColumn count = Int("count", "", "copies launched in the step");
  IntColumn bytes = Int("bytes", "bytes", "bytes copied; null where none is stated");
  IntColumn total_ns = Int("total_ns", "ns", "sum of their durations");
  IntColumn busy_ns = Int("busy_ns", "ns", "united time of the copies");
  RealColumn bandwidth_bytes_per_s = Real("bandwidth_bytes_per_s", "bytes/s",
                                          "bytes / total_ns of the copies that state their bytes");
  FlagColumn complete = Flag(column::Complete());
};
extern template const Copies& SchemaOf<Copies>();

struct Memsets : Schema<Memsets, RankRows> {
  static constexpr std::string_view kName = "memsets";

  IntColumn device = Int(column::Device());
  IntColumn step = Int(column::StepOfLaunch());
  IntColumn count = Int("count", "", "memsets launched in the step");
  IntColumn bytes = Int("bytes", "bytes", "bytes set; null where none is stated");
  IntColumn total_ns = Int("total_ns", "ns", "sum of their durations");
  IntColumn busy_ns = Int("busy_ns", "ns", "united time of the memsets");
  RealColumn bandwidth_bytes_per_s = Real("bandwidth_bytes_per_s", "bytes/s",
                                          "bytes / total_ns of the memsets that state their bytes");
  FlagColumn complete = Flag(column::Complete());
};
extern template const Memsets& SchemaOf<Memsets>();

struct CopyBandwidth : Schema<CopyBandwidth> {
  static constexpr std::string_view kName = "copy_bandwidth";

  IntColumn rank = Int("rank", "", "global rank; null = all ranks together");
  StringColumn direction = Text("direction", "HtoD, DtoH, DtoD, ..., or memset");
  IntColumn start_ns = Int("start_ns", "ns", "begin of the bin, from the job's origin");
  IntColumn duration_ns = Int("duration_ns", "ns", "length of the bin");
  IntColumn bytes = Int("bytes", "bytes",
                        "bytes moved in the bin: a copy's bytes are spread evenly over its time");
  IntColumn busy_ns =
      Int("busy_ns", "ns", "summed time of copies in the bin, over devices and ranks");
  RealColumn bandwidth_bytes_per_s =
      Real("bandwidth_bytes_per_s", "bytes/s", "bytes / duration_ns");
};
extern template const CopyBandwidth& SchemaOf<CopyBandwidth>();

}  // namespace rankscope
