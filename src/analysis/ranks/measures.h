// Measures: values of each rank as a whole, from a per-step table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/steps/counted_windows.h"
#include "schemas/words.h"
#include "table/schema.h"

namespace rankscope {

enum class MeasureKind : std::uint8_t {
  kPerStep,  // sum of `columns` over the counted windows / number of complete steps; unknown for a
             // rank without any among ranks that have some
  kRatio,    // scale * sum of `columns` / sum of `weight`
  kMean,     // mean of `columns`, weighted by `weight`
  kMax,      // largest of `columns`
};

// Of a table of schema T.
template <typename T>
struct MeasureOf {
  MetricId metric;
  std::string_view unit;
  MeasureKind kind = MeasureKind::kPerStep;
  std::vector<AnyColumnOf<T>> columns;  // numbers; several are added up
  std::optional<AnyColumnOf<T>> weight = {};
  double scale = 1;
  std::optional<AnyColumnOf<T>> less = {};  // taken from the weight
};

// The same, for lists of measures of several tables: columns by their index.
struct Measure {
  template <typename T>
  Measure(const MeasureOf<T>& of)  // NOLINT: converts
      : metric(of.metric), unit(of.unit), kind(of.kind), scale(of.scale) {
    for (const AnyColumnOf<T> column : of.columns) columns.push_back(column.index);
    if (of.weight) weight = of.weight->index;
    if (of.less) less = of.less->index;
  }

  MetricId metric;
  std::string_view unit;
  MeasureKind kind;
  double scale;
  std::vector<std::size_t> columns;
  std::optional<std::size_t> weight;
  std::optional<std::size_t> less;
};

template <typename T>
std::vector<std::size_t> IndexesOf(std::initializer_list<AnyColumnOf<T>> columns) {
  std::vector<std::size_t> indexes;
  for (const AnyColumnOf<T> column : columns) indexes.push_back(column.index);
  return indexes;
}

struct RankValues {
  std::map<std::int64_t, double> by_rank;  // ranks on which it is known
  double total = 0;                        // of kPerStep: the sum itself over all ranks and windows
};

// The measure by key and rank, over the counted windows. A key is the text of `key_columns`, joined
// by '/'; "" without any. Null cells, and windows where the weight is null or 0, do not count.
std::map<std::string, RankValues> MeasureRanks(const Table& table, const WindowColumns& windows,
                                               const CountedWindows& counted,
                                               const std::vector<std::size_t>& key_columns,
                                               const Measure& measure);

}  // namespace rankscope
