// A simulated server as the subject of a search, with ground truth from a grid: for tests and the
// benchmark.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "sim/serving/draw.h"
#include "sim/serving/run_to_end.h"
#include "tune/search/space.h"
#include "tune/search/trial.h"

namespace rankscope::tune {

// Llama-3-8B on an A100 of 40 GB, with lengths as in the Azure trace of conversations of 2023
// (medians 1020 and 129 tokens, 99th percentiles 4142 and 601) and Poisson arrivals. The objective
// is the rate of requests with the first token within 1 s and later ones every 50 ms; the limit is
// on the 95th percentile of the time to the first token.
class SimulatedSubject {
 public:
  struct Options {
    double rate_per_s = 6.3;
    int requests = 1500;
    double ttft_limit_s = 4;
    double resolution = 2;  // points per octave
    bool tunes_memory = true;
  };
  struct Truth {
    double goodput = 0;
    bool is_ok = false;  // never dies, and keeps the limit on average
  };

  explicit SimulatedSubject(const Options& options)
      : options_(options), shape_(sim::CostShapeOf("llama3-8b-a100").value()) {
    shape_.device_bytes = 28e9;
  }

  Space MakeSpace() const {
    std::vector<Parameter> parameters = {{.name = "max_num_seqs",
                                          .scale = Scale::kLog2,
                                          .least = 8,
                                          .most = 512,
                                          .standard = 256,
                                          .resolution = options_.resolution},
                                         {.name = "max_num_batched_tokens",
                                          .scale = Scale::kLog2,
                                          .least = 128,
                                          .most = 8192,
                                          .standard = 2048,
                                          .resolution = options_.resolution}};
    if (options_.tunes_memory)
      parameters.push_back({.name = "gpu_memory_utilization",
                            .least = 0.8,
                            .most = 0.98,
                            .standard = 0.9,
                            .resolution = 0.02});
    return Space::Make(parameters,
                       {{.greater = "max_num_batched_tokens", .lesser = "max_num_seqs"}})
        .value();
  }
  std::vector<Limit> limits() const {
    return {{.metric = "ttft_p95_s", .most = options_.ttft_limit_s}};
  }

  Measurement Run(const Point& point, std::uint64_t seed) const {
    sim::EngineSettings settings{.max_num_seqs = static_cast<std::int64_t>(point[0]),
                                 .max_num_batched_tokens = static_cast<std::int64_t>(point[1])};
    if (options_.tunes_memory) settings.gpu_memory_utilization = point[2];
    const auto outcome = RunToEnd(shape_, settings, {.seed = seed}, Plan(seed));
    if (!outcome.ok() || outcome->died_ns) return {.crashed = true};
    std::vector<double> ttft_s;
    for (const sim::RequestRecord& one : outcome->requests)
      ttft_s.push_back(static_cast<double>(one.TtftNs()) * 1e-9);
    const auto p95 = ttft_s.begin() + static_cast<std::ptrdiff_t>(ttft_s.size() * 95 / 100);
    std::nth_element(ttft_s.begin(), p95, ttft_s.end());
    return {.objective = sim::GoodputPerS(*outcome, 1'000'000'000, 50'000'000), .metrics = {*p95}};
  }

  // Over `runs` schedules that no search uses. Cached.
  Truth TruthOf(const Point& point, int runs) {
    const auto known = truth_.find(point);
    if (known != truth_.end()) return known->second;
    Truth truth{.is_ok = true};
    double excess = 0;
    for (int i = 0; i < runs && truth.is_ok; ++i) {
      const Measurement one =
          Run(point, sim::MixAll(0x7275746874, static_cast<std::uint64_t>(i), 0));
      truth.is_ok = !one.crashed;
      if (one.crashed) break;
      truth.goodput += one.objective / runs;
      excess += std::log(one.metrics[0] / options_.ttft_limit_s);
    }
    truth.is_ok = truth.is_ok && excess <= 0;
    truth_.emplace(point, truth);
    return truth;
  }

  // The greatest goodput on the grid.
  Truth Best(const Space& space, int runs) {
    Truth best;
    Point point = space.Standard();
    ForEachPoint(space, 0, point, [&](const Point& at) {
      const Truth truth = TruthOf(at, runs);
      if (truth.is_ok && truth.goodput > best.goodput) best = truth;
    });
    return best;
  }

  template <typename Visit>
  static void ForEachPoint(const Space& space, std::size_t parameter, Point& point, Visit visit) {
    if (parameter == space.size()) {
      if (space.KeepsOrders(point)) visit(point);
      return;
    }
    for (const double value : space.Values(parameter)) {
      point[parameter] = value;
      ForEachPoint(space, parameter + 1, point, visit);
    }
  }

 private:
  static std::int64_t Length(double median, double sigma, std::uint64_t key, std::int64_t most) {
    const double drawn = median * std::exp(sigma * sim::Normal(key));
    return std::clamp<std::int64_t>(std::llround(drawn), 1, most);
  }
  std::vector<sim::PlannedRequest> Plan(std::uint64_t seed) const {
    std::vector<sim::PlannedRequest> planned;
    double now_s = 0;
    for (int i = 0; i < options_.requests; ++i) {
      const std::uint64_t key = sim::MixAll(seed, static_cast<std::uint64_t>(i), 11);
      now_s -= std::log(sim::Uniform(sim::Mix(key))) / options_.rate_per_s;
      planned.push_back({.arrival_ns = static_cast<std::int64_t>(now_s * 1e9),
                         .spec = {.prompt_tokens = Length(1020, 0.6, key + 10, 6000),
                                  .output_tokens = Length(129, 0.66, key + 20, 2000)}});
    }
    return planned;
  }

  const Options options_;
  sim::CostShape shape_;
  std::map<Point, Truth> truth_;
};

}  // namespace rankscope::tune
