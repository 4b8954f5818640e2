// Measures: what a per-step table says about each rank as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/steps/counted_windows.h"
#include "schemas/words.h"
#include "table/table.h"

namespace rankscope {

enum class MeasureKind : std::uint8_t {
  kPerStep,  // sum of `columns` over the counted windows / number of complete steps; unknown for a
             // rank without any among ranks that have some
  kRatio,    // scale * sum of `columns` / sum of `weight`
  kMean,     // mean of `columns`, weighted by `weight`
  kMax,      // largest of `columns`
};

struct Measure {
  MetricId metric;
  std::string_view unit;
  MeasureKind kind = MeasureKind::kPerStep;
  std::vector<AnyColumn> columns;  // numbers; several are added up
  std::optional<AnyColumn> weight = {};
  double scale = 1;
  std::optional<AnyColumn> less = {};  // taken from the weight
};

struct RankValues {
  std::map<std::int64_t, double> by_rank;  // ranks on which it is known
  double total = 0;                        // of kPerStep: the sum itself over all ranks and windows
};

// The measure by key and rank, over the counted windows. A key is the text of `key_columns`, joined
// by '/'; "" without any. Null cells, and windows where the weight is null or 0, do not count.
std::map<std::string, RankValues> MeasureRanks(const Table& table, const WindowColumns& windows,
                                               const CountedWindows& counted,
                                               const std::vector<AnyColumn>& key_columns,
                                               const Measure& measure);

}  // namespace rankscope
