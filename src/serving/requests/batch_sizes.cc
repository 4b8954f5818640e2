#include "serving/requests/batch_sizes.h"

#include <algorithm>
#include <bit>
#include <map>

#include "statistics/statistics.h"

namespace rankscope::serving {
namespace {

constexpr std::int64_t kAlone = 16;
constexpr std::int64_t kRows = 8;  // between powers of two

struct Sums {
  std::vector<double> elapsed;
  double total = 0, requests = 0, context_tokens = 0, generation_tokens = 0;
};

}  // namespace

std::pair<std::int64_t, std::int64_t> SizesWith(std::int64_t size) {
  if (size <= kAlone) return {size, size};
  // Of 17..32 the power is 16, of 33..64 32.
  const auto power =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(size - 1)));
  const std::int64_t width = power / kRows;
  const std::int64_t least = power + 1 + (size - 1 - power) / width * width;
  return {least, least + width - 1};
}

std::vector<SizeRow> BySize(const std::vector<Iteration>& iterations) {
  std::map<std::tuple<BatchKind, std::int64_t, std::int64_t>, Sums> rows;
  for (const Iteration& one : iterations) {
    const BatchKind kind = KindOf(one);
    if (one.is_dummy || kind == BatchKind::kIdle) continue;
    const std::int64_t size = one.context_requests + one.generation_requests;
    const auto [least, most] = SizesWith(size);
    Sums& sums = rows[{kind, least, most}];
    sums.elapsed.push_back(static_cast<double>(one.elapsed_ns));
    sums.total += static_cast<double>(one.elapsed_ns);
    sums.requests += static_cast<double>(size);
    sums.context_tokens += static_cast<double>(one.context_tokens);
    sums.generation_tokens += static_cast<double>(one.generation_tokens);
  }
  std::vector<SizeRow> result;
  for (auto& [key, sums] : rows) {
    const auto& [kind, least, most] = key;
    std::ranges::sort(sums.elapsed);
    const auto count = static_cast<double>(sums.elapsed.size());
    const std::span<const double> sorted(sums.elapsed);
    SizeRow row{.kind = kind,
                .least = least,
                .most = most,
                .iterations = static_cast<std::int64_t>(sums.elapsed.size()),
                .requests = sums.requests / count,
                .mean_ns = sums.total / count,
                .p50_ns = Quantile(sorted, 0.5),
                .p99_ns = Quantile(sorted, 0.99),
                .context_tokens = sums.context_tokens / count};
    if (kind != BatchKind::kPrefill && sums.total > 0)
      row.tokens_per_s = sums.generation_tokens / (sums.total / 1e9);
    result.push_back(row);
  }
  return result;
}

}  // namespace rankscope::serving
