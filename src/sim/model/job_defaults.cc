#include "sim/model/job_defaults.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "sim/model/gpu.h"

namespace rankscope::sim {
namespace {

constexpr int kMaxDegree = 20'000;

struct Dimension {
  std::string_view name;
  int Degrees::*degree;
  unsigned jobs;  // that have it
};
constexpr std::array<Dimension, 5> kDimensions = {{{"tp", &Degrees::tp, Bit(JobKind::kThreeD)},
                                                   {"cp", &Degrees::cp, Bit(JobKind::kThreeD)},
                                                   {"pp", &Degrees::pp, Bit(JobKind::kThreeD)},
                                                   {"ep", &Degrees::ep, Bit(JobKind::kMoe)},
                                                   {"dp", &Degrees::dp, ~0U}}};

Status SetDegree(std::string_view setting, std::string_view text, SimulateOptions* options) {
  const auto equals =
      static_cast<std::size_t>(std::find(setting.begin(), setting.end(), '=') - setting.begin());
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value = setting.substr(std::min(equals + 1, setting.size()));
  const auto dimension = std::find_if(kDimensions.begin(), kDimensions.end(),
                                      [&](const Dimension& d) { return d.name == name; });
  int degree = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), degree);
  if (dimension == kDimensions.end() || error != std::errc() ||
      end != value.data() + value.size() || degree < 1 || degree > kMaxDegree) {
    return Error(StatusCode::kInvalidArgument,
                 "layout: '{}' should read like tp=2,pp=4,dp=2, with degrees from 1 to 20000",
                 text);
  }
  if ((dimension->jobs & Bit(options->job)) == 0) {
    return Error(StatusCode::kInvalidArgument, "layout: {} jobs have no {}", NameOf(options->job),
                 name);
  }
  options->degrees.*(dimension->degree) = degree;
  return OkStatus();
}

// Two ways of tensor parallelism and stages where the ranks can be divided so.
Degrees DefaultThreeD(int ranks) {
  if (ranks % 4 == 0) return {.tp = 2, .pp = 2, .dp = ranks / 4};
  if (ranks % 2 == 0) return {.pp = 2, .dp = ranks / 2};
  return {.pp = ranks};
}

// The ranks of a host share the experts, or as many as divide the job.
int DefaultExperts(int ranks) {
  int experts = std::min(ranks, kDevicesPerHost);
  while (ranks % experts != 0) --experts;
  return experts;
}

ModelShape ModelOf(JobKind job) {
  if (job != JobKind::kThreeD) return {};
  // Larger layers, and a small vocabulary: the stages are nearly equal.
  return {.hidden = 2048, .feed_forward = 8192, .heads = 16, .vocabulary = 4096};
}

}  // namespace

Status ParseLayout(std::string_view text, SimulateOptions* options) {
  if (text.empty()) return OkStatus();
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    RS_RETURN_IF_ERROR(SetDegree(rest.substr(0, comma), text, options));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  const Degrees& degrees = options->degrees;
  const std::int64_t ranks = std::int64_t{degrees.tp} * degrees.cp * degrees.pp * degrees.dp;
  if (ranks > kMaxDegree) {
    return Error(StatusCode::kInvalidArgument,
                 "layout: '{}' has {} ranks; at most 20000 are possible", text, ranks);
  }
  options->ranks = static_cast<int>(ranks);
  return OkStatus();
}

SimulateOptions WithDefaults(SimulateOptions options) {
  Degrees& set = options.degrees;
  if (set.tp * set.cp * set.pp * set.dp != options.ranks) {
    options.degrees = options.job == JobKind::kThreeD ? DefaultThreeD(options.ranks)
                                                      : Degrees{.dp = options.ranks};
  }
  if (options.job == JobKind::kMoe && set.ep == 1) set.ep = DefaultExperts(options.ranks);
  if (!options.model) options.model = ModelOf(options.job);
  return options;
}

}  // namespace rankscope::sim
