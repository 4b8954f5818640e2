// queueing of a service whose requests a recorder tells: they wait for a worker, and why.
//
// Requests wait when their queue is a fifth of their time. Where locks take half of the workers'
// time, the queue is theirs (lock-contention). Otherwise the reason is, of the time that requests
// wait (workers.h):
//
//   connections  in half of it workers are held by connections that send nothing, and all others
//                are busy
//   workers      in nine tenths of it all are busy, and there are never more. Then, if
//                  requests come faster than they are served (the queue grows): the rate
//                  workers are busy for less than 80%, and gaps between arrivals vary more (their
//                  coefficient of variation is 2 or more): bursts
//                  the same of the time with a worker: a few long requests hold the workers
//                  else: too few workers
//   unknown      otherwise
//
// What a model of queues expects of load and variation is told beside (Allen and Cunneen), and
// decides nothing.
#include <fmt/core.h>

#include <cmath>
#include <map>

#include "serving/causes/cause.h"
#include "serving/causes/workers.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr double kServiceQueueingWaitsShare = 0.2;
constexpr double kHeld = 0.5;
constexpr double kFull = 0.9;
constexpr double kLoaded = 0.8;
constexpr double kVaries = 4;  // of squares: a coefficient of variation of 2
constexpr double kModelMisses = 0.2;

std::string WorkerWords(const Workers& workers) {
  if (workers.workers == 1) return "The only worker is taken";
  return fmt::format("All {} workers are taken", workers.workers);
}

std::string LoadWords(const Workers& workers, double wait_ns) {
  std::string text = fmt::format(
      "in {} of the time that requests wait {} busy, never more; over the recording {} of the time",
      HumanPercent(100 * workers.full_ns / workers.waiting_ns),
      workers.workers == 1 ? "the worker is" : fmt::format("{} workers are", workers.workers),
      HumanPercent(100 * workers.busy_share));
  if (workers.replicas > 1) text += fmt::format(" (each of {} replicas)", workers.replicas);
  if (workers.arrivals_variation && workers.service_variation)
    text += fmt::format(
        "; coefficients of variation: gaps between arrivals {:.1f}, time with a "
        "worker {:.1f}",
        std::sqrt(*workers.arrivals_variation), std::sqrt(*workers.service_variation));
  if (workers.expected_wait_ns) {
    const double expected = *workers.expected_wait_ns;
    if (std::abs(expected - wait_ns) <= kModelMisses * wait_ns)
      text += fmt::format("; by this load and variation a wait of {} is to be expected",
                          HumanDuration(expected));
  }
  return text;
}

// The method that takes most of the workers' time in calls of over twice the mean.
std::string LongestMethod(const Analysis& analysis, double service_ns) {
  std::map<std::string, double> methods;
  const Population& population = analysis.population;
  for (std::size_t i = 0; i < population.requests.size(); ++i) {
    const Parts& parts = population.parts[i];
    const double service = static_cast<double>(parts.total - parts.of(Stage::kQueue).value_or(0));
    if (service > 2 * service_ns)
      methods[analysis.requests[population.requests[i]].method] += service;
  }
  std::string longest;
  double most = 0;
  for (const auto& [method, ns] : methods) {
    if (ns <= most) continue;
    most = ns;
    longest = method;
  }
  return longest;
}

void TakeWorkers(const Analysis& analysis, const Workers& workers, const std::string& waits,
                 Finding& finding) {
  finding.evidence = LoadWords(workers, *analysis.times.queue);
  const double arrivals = workers.arrivals_variation.value_or(0);
  const double services = workers.service_variation.value_or(0);
  const bool is_loaded = workers.busy_share >= kLoaded;
  if (workers.grows && is_loaded) {
    finding.title = fmt::format("Requests come faster than they are served: {}", waits);
    finding.evidence += "; the queue grows over the recording";
    finding.change =
        "Give the service more workers or replicas, or refuse requests early; a handler that is "
        "shorter serves more, too.";
  } else if (!is_loaded && arrivals >= kVaries && arrivals >= services) {
    finding.title = fmt::format("Requests come in bursts: {}", waits);
    finding.change =
        "Keep workers for bursts, or smooth them where they come from (batch jobs, retries, "
        "timers that fire together).";
  } else if (!is_loaded && services >= kVaries) {
    const std::string method = LongestMethod(analysis, workers.service_ns);
    finding.title = fmt::format("A few long requests{} hold the workers: {}",
                                method.empty() ? "" : fmt::format(" ({})", method), waits);
    finding.change =
        "Give long requests workers of their own, split them, or bound how many of them run at "
        "once.";
  } else {
    finding.title = fmt::format("{}: {}", WorkerWords(workers), waits);
    finding.change = fmt::format(
        "Raise the number of workers beyond {} where cores and what they call bear it, or shorten "
        "the handler; else add a replica.",
        workers.workers);
  }
}

}  // namespace

void FindServiceQueueing(const Analysis& analysis, Causes& causes) {
  const auto share = analysis.times.QueueShare();
  if (!share) {
    causes.unchecked.emplace_back(
        "queueing: needs arrivals; what the hooks of this server see begins with the handler "
        "(docs/record-requests.md)");
    return;
  }
  if (*share < kServiceQueueingWaitsShare || causes.is_queue_of_lock) return;
  const auto workers = WorkersOf(analysis);
  Finding finding{.id = "queueing", .lost_pct = 100 * *share};
  finding.no_gain =
      "whether more workers are as fast depends on what they wait for, which is not recorded";
  const std::string waits =
      fmt::format("requests wait {} on average, {} of their time",
                  HumanDuration(*analysis.times.queue), HumanPercent(*finding.lost_pct));
  if (workers && workers->waiting_ns > 0 && workers->held_ns >= kHeld * workers->waiting_ns) {
    finding.title = fmt::format("Connections hold the workers: {}", waits);
    finding.evidence = fmt::format(
        "in {} of that time workers wait for the next request of their own connection, and all {} "
        "are busy or held so",
        HumanPercent(100 * workers->held_ns / workers->waiting_ns), workers->workers);
    finding.change =
        "Let the server take requests and not connections (Thrift: TNonblockingServer), give it as "
        "many workers as connections, or let clients close what they do not use.";
  } else if (workers && workers->waiting_ns > 0 &&
             workers->full_ns >= kFull * workers->waiting_ns) {
    TakeWorkers(analysis, *workers, waits, finding);
  } else {
    finding.title = fmt::format("For a worker, {}", waits);
    finding.evidence =
        !workers ? "the reason needs 50 requests whose queue is known"
                 : fmt::format(
                       "all workers that were ever seen are busy in {} of that time",
                       HumanPercent(100 * workers->full_ns / std::max(workers->waiting_ns, 1.0)));
    finding.change =
        "Look at what gives requests to workers: its thread, its lock, or a core that it waits "
        "for.";
  }
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
