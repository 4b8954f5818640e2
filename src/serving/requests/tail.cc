#include "serving/requests/tail.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace rankscope::serving {
namespace {

constexpr std::size_t kLeastBody = 5;

int Bin(Count tokens) { return tokens ? std::bit_width(static_cast<std::uint64_t>(*tokens)) : -1; }

struct Means {
  std::size_t count = 0;
  double total = 0;
  std::array<double, kStageCount> stage{};
};

// Of those between the 40th and the 60th percentile of their time.
Means BodyOf(std::vector<std::size_t> members, const std::vector<Parts>& parts) {
  std::ranges::sort(members, {}, [&](std::size_t i) { return std::pair(parts[i].total, i); });
  const std::size_t begin = members.size() * 2 / 5;
  const std::size_t end = std::max(begin + 1, members.size() * 3 / 5);
  Means means;
  for (std::size_t at = begin; at < end; ++at) {
    const Parts& one = parts[members[at]];
    means.total += static_cast<double>(one.total);
    for (std::size_t stage = 0; stage < kStageCount; ++stage)
      means.stage[stage] += static_cast<double>(one.ns[stage].value_or(0));
    ++means.count;
  }
  means.total /= static_cast<double>(means.count);
  for (double& stage : means.stage) stage /= static_cast<double>(means.count);
  return means;
}

}  // namespace

std::optional<Tail> TailOf(const std::vector<Request>& requests, const Population& population) {
  const std::vector<Parts>& parts = population.parts;
  const std::size_t count = parts.size();
  if (count < kLeastForTail) return std::nullopt;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(parts[i].total, i); });
  const std::size_t tail_count = std::max(kLeastTail, count / 100);

  const bool is_by_method = IsOfService(population.depth);
  std::map<std::string_view, int> methods;
  const auto bins_of = [&](const Request& request) -> std::pair<int, int> {
    if (!is_by_method) return {Bin(request.output_tokens), Bin(request.prompt_tokens)};
    return {methods.emplace(request.method, static_cast<int>(methods.size())).first->second, 0};
  };
  std::map<std::pair<int, int>, std::vector<std::size_t>> by_both;
  std::map<int, std::vector<std::size_t>> by_output;
  for (std::size_t i = 0; i < count; ++i) {
    const Request& request = requests[population.requests[i]];
    by_both[bins_of(request)].push_back(i);
    by_output[bins_of(request).first].push_back(i);
  }
  const Means all = BodyOf(order, parts);
  std::map<std::pair<int, int>, Means> bodies;
  const auto body_of = [&](std::size_t i) -> const Means& {
    const Request& request = requests[population.requests[i]];
    const std::pair key = bins_of(request);
    const auto known = bodies.find(key);
    if (known != bodies.end()) return known->second;
    Means body = all;
    // A fifth of a bin is its body.
    if (by_both[key].size() >= kLeastBody * 5) {
      body = BodyOf(by_both[key], parts);
    } else if (by_output[key.first].size() >= kLeastBody * 5) {
      body = BodyOf(by_output[key.first], parts);
    }
    return bodies.emplace(key, body).first->second;
  };

  Tail tail{.requests = static_cast<std::int64_t>(tail_count),
            .quantile = 1 - static_cast<double>(tail_count) / static_cast<double>(count),
            .body_ns = all.total,
            .is_by_method = is_by_method};
  std::array<double, kStageCount> excess{};
  std::array<bool, kStageCount> is_known{};
  const auto per = static_cast<double>(tail_count);
  for (std::size_t at = count - tail_count; at < count; ++at) {
    const Parts& one = parts[order[at]];
    const Means& body = body_of(order[at]);
    tail.tail_ns += static_cast<double>(one.total) / per;
    tail.length_ns += (body.total - all.total) / per;
    for (std::size_t stage = 0; stage < kStageCount; ++stage) {
      is_known[stage] = is_known[stage] || one.ns[stage].has_value() || body.stage[stage] > 0;
      excess[stage] += (static_cast<double>(one.ns[stage].value_or(0)) - body.stage[stage]) / per;
    }
  }
  if (!(tail.excess_ns() > 0)) return std::nullopt;
  for (std::size_t stage = 0; stage < kStageCount; ++stage)
    if (is_known[stage]) tail.stage_ns[stage] = excess[stage];
  return tail;
}

}  // namespace rankscope::serving
