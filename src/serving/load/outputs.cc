#include "serving/load/outputs.h"

#include <algorithm>
#include <utility>

#include "statistics/statistics.h"

namespace rankscope::serving {
namespace {

std::int64_t EndOf(const Request& request) { return *request.arrival + request.e2e.value_or(0); }

bool IsTimed(const Request& request) { return request.arrival && request.e2e; }

double Overlap(double from, double to, double begin, double end) {
  return std::max(0.0, std::min(to, end) - std::max(from, begin));
}

}  // namespace

std::optional<Silence> LongestSilence(RequestList requests, std::int64_t begin, std::int64_t end) {
  // Arrivals change how many are inside by 1, ends by -1, outputs by 0. Of equal moments arrivals
  // come last: a request that begins where another ends was not waited for before.
  std::vector<std::pair<std::int64_t, int>> moments;
  for (const Request* const pointer : requests) {
    const Request& request = *pointer;
    if (!IsTimed(request)) continue;
    moments.emplace_back(*request.arrival, 1);
    if (request.ttft) {
      std::int64_t at = *request.arrival + *request.ttft;
      moments.emplace_back(at, 0);
      const std::int64_t end_of = EndOf(request);
      for (const std::int64_t gap : request.gaps) {
        if (gap > end_of - at) break;  // it contradicts itself
        moments.emplace_back(at += gap, 0);
      }
    }
    moments.emplace_back(EndOf(request), -1);
  }
  std::ranges::sort(moments);
  std::vector<std::int64_t> silences;
  Silence longest;
  std::int64_t inside = 0, since = begin;
  for (const auto& [moment, change] : moments) {
    if (moment >= begin && inside > 0 && change <= 0) {
      const std::int64_t from = std::max(since, begin), to = std::min(moment, end);
      if (to > from) {
        silences.push_back(to - from);
        if (to - from > longest.ns) longest = {.ns = to - from, .at = from};
      }
    }
    if (change <= 0 || inside == 0) since = moment;
    inside += change;
    if (moment >= end) break;
  }
  if (silences.empty()) return std::nullopt;
  std::ranges::sort(silences);
  longest.usual = static_cast<std::int64_t>(Quantile(
      std::span<const std::int64_t>(silences).first(silences.size() - silences.size() / 100),
      0.99));
  return longest;
}

std::vector<double> OutputOverTime(RequestList requests, std::int64_t begin, std::int64_t end,
                                   std::size_t bins) {
  std::vector<double> output(bins);
  if (bins == 0 || end <= begin) return output;
  const bool has_tokens = std::ranges::any_of(
      requests, [](const Request* request) { return request->output_tokens.has_value(); });
  const double width = static_cast<double>(end - begin) / static_cast<double>(bins);
  for (const Request* const pointer : requests) {
    const Request& request = *pointer;
    if (!IsTimed(request) || request.outcome != Outcome::kDone) continue;
    const auto last = static_cast<double>(EndOf(request) - begin);
    const bool is_spread = has_tokens && request.ttft && request.output_tokens;
    const double first =
        is_spread ? static_cast<double>(*request.arrival + *request.ttft - begin) : last;
    const double amount = has_tokens ? static_cast<double>(request.output_tokens.value_or(0)) : 1.0;
    if (last - first < width / 1000) {
      const double bin = last / width;
      if (bin >= 0 && bin < static_cast<double>(bins))
        output[static_cast<std::size_t>(bin)] += amount;
      continue;
    }
    const auto from =
        static_cast<std::size_t>(std::clamp(first / width, 0.0, static_cast<double>(bins)));
    for (std::size_t bin = from; bin < bins; ++bin) {
      const double at = static_cast<double>(bin) * width;
      if (at > last) break;
      output[bin] += amount * Overlap(first, last, at, at + width) / (last - first);
    }
  }
  return output;
}

std::vector<std::int64_t> InsideOverTime(RequestList requests, std::int64_t begin, std::int64_t end,
                                         std::size_t count) {
  std::vector<std::int64_t> arrivals, ends;
  for (const Request* const pointer : requests) {
    const Request& request = *pointer;
    if (!IsTimed(request)) continue;
    arrivals.push_back(*request.arrival);
    ends.push_back(EndOf(request));
  }
  std::ranges::sort(arrivals);
  std::ranges::sort(ends);
  std::vector<std::int64_t> inside(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto moment = begin + static_cast<std::int64_t>(
                                    static_cast<double>(end - begin) * static_cast<double>(i) /
                                    static_cast<double>(std::max<std::size_t>(count - 1, 1)));
    inside[i] = (std::ranges::upper_bound(arrivals, moment) - arrivals.begin()) -
                (std::ranges::upper_bound(ends, moment) - ends.begin());
  }
  return inside;
}

}  // namespace rankscope::serving
