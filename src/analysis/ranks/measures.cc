#include "analysis/ranks/measures.h"

#include <algorithm>
#include <optional>

namespace rankscope {
namespace {

std::optional<double> Number(const Table& table, std::size_t row, std::size_t column) {
  const Value value = table.At(row, column);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::string KeyText(const Value& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return "";
}

struct MeasuresSum {
  double value = 0;
  double weight = 0;
  bool any = false;
};

class RowReader {
 public:
  RowReader(const Table& table, const Measure& measure) : table_(table), measure_(measure) {}
  // Sum of the columns; nullopt when one is null.
  std::optional<double> ValueOf(std::size_t row) const {
    double sum = 0;
    for (const std::size_t column : measure_.columns) {
      const auto number = Number(table_, row, column);
      if (!number) return std::nullopt;
      sum += *number;
    }
    return sum;
  }
  double WeightOf(std::size_t row) const {
    const auto number = [&](const std::optional<std::size_t>& column) {
      return column ? Number(table_, row, *column).value_or(0) : 0;
    };
    return number(measure_.weight) - number(measure_.less);
  }

 private:
  const Table& table_;
  const Measure& measure_;
};

void Add(MeasuresSum& sum, MeasureKind kind, double value, double weight) {
  switch (kind) {
    case MeasureKind::kPerStep:
    case MeasureKind::kRatio:
      sum.value += value;
      break;
    case MeasureKind::kMean:
      sum.value += value * weight;
      break;
    case MeasureKind::kMax:
      sum.value = sum.any ? std::max(sum.value, value) : value;
      break;
  }
  sum.weight += weight;
  sum.any = true;
}

}  // namespace

std::map<std::string, RankValues> MeasureRanks(const Table& table, const WindowColumns& windows,
                                               const CountedWindows& counted,
                                               const std::vector<std::size_t>& key_columns,
                                               const Measure& measure) {
  const RowReader reader(table, measure);
  std::map<std::string, std::map<std::int64_t, MeasuresSum>> sums;
  std::string key;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (!counted.Counts(table, row, windows)) continue;
    const auto value = reader.ValueOf(row);
    const double weight = reader.WeightOf(row);
    if (!value || (measure.weight && weight == 0)) continue;
    key.clear();
    for (const std::size_t column : key_columns) {
      if (!key.empty()) key += '/';
      key += KeyText(table.At(row, column));
    }
    Add(sums[key][table.Int(row, windows.rank)], measure.kind, *value, weight);
  }
  std::map<std::string, RankValues> result;
  for (const auto& [name, by_rank] : sums) {
    RankValues values;
    for (const auto& [rank, sum] : by_rank) {
      double value = sum.value;
      if (measure.kind == MeasureKind::kPerStep) {
        const auto steps = counted.StepsOf(rank);
        if (!steps) continue;
        value /= *steps;
      }
      values.total += sum.value;
      if (measure.kind == MeasureKind::kRatio) value *= measure.scale / sum.weight;
      if (measure.kind == MeasureKind::kMean) value /= sum.weight;
      values.by_rank[rank] = value;
    }
    if (!values.by_rank.empty()) result[name] = std::move(values);
  }
  return result;
}

}  // namespace rankscope
