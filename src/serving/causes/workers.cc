#include "serving/causes/workers.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::serving {
namespace {

constexpr std::size_t kWorkersLeastRequests = 50;

struct Call {
  std::int64_t arrival = 0, dequeue = 0, end = 0;
  std::int64_t thread = 0, connection = 0;

  std::int64_t wait() const { return dequeue - arrival; }
  std::int64_t service() const { return end - dequeue; }
};

// A change of how many wait, are busy and are held.
struct Step {
  std::int64_t time = 0;
  int waiting = 0, busy = 0, held = 0;
};

std::map<std::string_view, std::vector<Call>> CallsOf(const Analysis& analysis) {
  std::map<std::string_view, std::vector<Call>> calls;
  const Population& population = analysis.population;
  for (std::size_t i = 0; i < population.requests.size(); ++i) {
    const Request& request = analysis.requests[population.requests[i]];
    const Parts& parts = population.parts[i];
    if (!request.arrival || !parts.of(Stage::kQueue)) continue;
    calls[request.replica].push_back({.arrival = *request.arrival,
                                      .dequeue = *request.arrival + *parts.of(Stage::kQueue),
                                      .end = *request.arrival + parts.total,
                                      .thread = request.thread,
                                      .connection = request.connection});
  }
  return calls;
}

// By thread and time; each ends before its thread takes the next.
void SortByWorker(std::vector<Call>& calls) {
  std::ranges::stable_sort(calls, {},
                           [](const Call& call) { return std::pair(call.thread, call.dequeue); });
  for (std::size_t i = 0; i + 1 < calls.size(); ++i) {
    if (calls[i].thread != 0 && calls[i].thread == calls[i + 1].thread)
      calls[i].end = std::min(calls[i].end, calls[i + 1].dequeue);
  }
}

// `calls` as SortByWorker leaves them.
std::vector<Step> StepsOf(const std::vector<Call>& calls) {
  std::vector<Step> steps;
  for (const Call& call : calls) {
    steps.push_back({.time = call.arrival, .waiting = 1});
    steps.push_back({.time = call.dequeue, .waiting = -1, .busy = 1});
    steps.push_back({.time = call.end, .busy = -1});
  }
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const Call &before = calls[i - 1], &call = calls[i];
    if (call.thread == 0 || call.thread != before.thread) continue;
    if (call.connection == 0 || call.connection != before.connection) continue;
    if (call.dequeue <= before.end) continue;
    steps.push_back({.time = before.end, .held = 1});
    steps.push_back({.time = call.dequeue, .held = -1});
  }
  // What ends at a moment ends before what begins then.
  std::ranges::stable_sort(
      steps, {}, [](const Step& step) { return std::pair(step.time, step.busy + step.held); });
  return steps;
}

void AddReplica(const std::vector<Step>& steps, Workers& to) {
  std::int64_t busy = 0, held = 0, most = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    busy += steps[i].busy;
    held += steps[i].held;
    if (i + 1 == steps.size() || steps[i + 1].time != steps[i].time)
      most = std::max(most, busy + held);
  }
  std::int64_t waiting = 0;
  busy = held = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    waiting += steps[i].waiting;
    busy += steps[i].busy;
    held += steps[i].held;
    const double waited =
        static_cast<double>(steps[i + 1].time - steps[i].time) * static_cast<double>(waiting);
    to.waiting_ns += waited;
    if (busy >= most) {
      to.full_ns += waited;
    } else if (busy + held >= most) {
      to.held_ns += waited;
    }
  }
  to.workers = std::max(to.workers, most);
}

struct Sums {
  double count = 0, sum = 0, squares = 0;

  void Add(double value) {
    count += 1;
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / count; }
  std::optional<double> Variation() const {
    if (count < 2 || !(mean() > 0)) return std::nullopt;
    return std::max(0.0, squares / count - mean() * mean()) / (mean() * mean());
  }
};

double MeanWait(const std::vector<Call>& calls, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += static_cast<double>(calls[i].wait());
  return sum / static_cast<double>(end - begin);
}

}  // namespace

double ErlangC(std::int64_t servers, double busy) {
  // By Erlang's B of one server more each time, which stays between 0 and 1.
  const double load = busy * static_cast<double>(servers);
  double blocked = 1;
  for (std::int64_t i = 1; i <= servers; ++i)
    blocked = load * blocked / (static_cast<double>(i) + load * blocked);
  return blocked / (1 - busy * (1 - blocked));
}

std::optional<Workers> WorkersOf(const Analysis& analysis) {
  auto replicas = CallsOf(analysis);
  std::size_t count = 0;
  for (const auto& [replica, calls] : replicas) count += calls.size();
  if (count < kWorkersLeastRequests) return std::nullopt;
  Workers result{.replicas = static_cast<std::int64_t>(replicas.size())};
  Sums gaps, services;
  double worker_ns = 0, arriving_ns = 0;
  for (auto& [replica, calls] : replicas) {
    SortByWorker(calls);
    Workers own;
    AddReplica(StepsOf(calls), own);
    std::ranges::stable_sort(calls, {}, &Call::arrival);
    result.waiting_ns += own.waiting_ns;
    result.full_ns += own.full_ns;
    result.held_ns += own.held_ns;
    result.workers = std::max(result.workers, own.workers);
    std::int64_t end = calls.front().end;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      services.Add(static_cast<double>(calls[i].service()));
      if (i > 0) gaps.Add(static_cast<double>(calls[i].arrival - calls[i - 1].arrival));
      end = std::max(end, calls[i].end);
    }
    worker_ns +=
        static_cast<double>(end - calls.front().arrival) * static_cast<double>(own.workers);
    arriving_ns += static_cast<double>(calls.back().arrival - calls.front().arrival);
    const std::size_t fifth = calls.size() / 5;
    if (fifth < 5) continue;
    const double first = MeanWait(calls, 0, fifth);
    const double last = MeanWait(calls, calls.size() - fifth, calls.size());
    result.grows = result.grows || (last > 2 * first && last > services.mean());
  }
  result.service_ns = services.mean();
  result.busy_share = worker_ns > 0 ? services.sum / worker_ns : 0;
  result.arrivals_variation = gaps.Variation();
  result.service_variation = services.Variation();
  if (arriving_ns > 0) result.rate_per_s = gaps.count / arriving_ns * 1e9;
  const double load = result.rate_per_s * result.service_ns / 1e9 /
                      static_cast<double>(std::max<std::int64_t>(result.workers, 1));
  if (load > 0 && load < 1 && result.arrivals_variation && result.service_variation) {
    const double free_per_s = (1 - load) * static_cast<double>(result.workers) / result.service_ns;
    result.expected_wait_ns = ErlangC(result.workers, load) / free_per_s *
                              (*result.arrivals_variation + *result.service_variation) / 2;
  }
  return result;
}

}  // namespace rankscope::serving
