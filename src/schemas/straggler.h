// A job's operations as a plain table, and the cost of its stragglers.
#pragma once

#include <string_view>

#include "table/schema.h"

namespace rankscope {

// Written by a training framework's own profiler: one operation of a rank per row. Names and units
// are those of the published straggler traces, whose files are read without conversion.
struct Operations : Schema<Operations> {
  static constexpr std::string_view kName = "operations";

  IntColumn step = Int("step");
  IntColumn dp_rank = Int("dp_rank", "", "which replica of the model");
  IntColumn stage = Int("stage", "", "of the pipeline");
  StringColumn optype = Text("optype", "\"forward-compute\", \"grads-reduce-scatter\", ...");
  IntColumn mc = Int("mc", "", "chunk of the model, with interleaved stages; -1: of none");
  RealColumn start_ts = Real("start_ts", "s");
  RealColumn duration = Real("duration", "s", "waiting for other ranks included");
};
extern template const Operations& SchemaOf<Operations>();

struct StragglerSlowdown : Schema<StragglerSlowdown> {
  static constexpr std::string_view kName = "straggler_slowdown";

  StringColumn scope = Text("scope", "job, step, dp_rank, stage or optype");
  StringColumn key = Text("key", "which of them; null for the job");
  RealColumn slowdown =
      Real("slowdown", "",
           "job, step: replayed time / replayed time with every operation at the mean (computing) "
           "or median (communication) of its type. Others: the time with only these operations as "
           "they were / the same. Null where the replay cannot be trusted (replay_fidelity)");
};
extern template const StragglerSlowdown& SchemaOf<StragglerSlowdown>();

}  // namespace rankscope
