// queueing and small-batches: requests wait for the scheduler, and why.
//
// Requests wait when their queue is a fifth of their time, or, where no record tells it, when a
// fifth of those in the server wait, in half of the samples. A full KV cache explains it and is
// told as kv-cache-pressure. Otherwise the reason is
//
//   deferred     in nine of ten samples with waiting requests vLLM says that most of them do not
//                wait for capacity: their LoRA adapter or KV cache is not there yet
//   slots        in nine of ten such samples, ten at least, as many run as ever do (or fewer for
//                want of cache, in at most half as many), and in most the KV cache is below 85%.
//                Where decode steps of twice as many requests would
//                give a quarter more tokens per second by their measured cost, it is small-batches.
//                Where twice the slots gain less than 20% in the model and requests come a tenth
//                faster than they are served, it is the rate, or the burst
//   token budget steps with prompts are as large as they ever are, in half of them
//   overload     the queue grows over the recording
//   bursts       gaps between arrivals vary: their coefficient of variation is 2 or more
//   unknown      nothing of this was recorded
//
// Where metrics are of several models, each is judged by its own requests and servers: the one
// whose requests wait the longest together is told.
//
// Triton: small-batches when requests wait for a fifth of their time, an execution serves fewer
// than 1.5 of them, and fewer than 1.5 executions run at once on average: a backend that batches
// in flight counts an execution for each request.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "serving/causes/cause.h"
#include "serving/causes/server_words.h"
#include "serving/causes/waiting.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr double kQueueingWaitsShare = 0.2;
constexpr std::int64_t kLeastSamples = 10;
constexpr double kLeastOfAllPct = 3;  // of all models' time, that the queue of one takes
constexpr double kPays = 1.25;
constexpr double kSlotsPayPct = 20;  // below, more slots are not the answer
constexpr double kOverload = 1.1;    // so many times come as are served
constexpr double kBurst = 0.1;       // of the time in which they are served, they come

// Coefficient of variation of gaps between arrivals.
std::optional<double> VariationOf(const std::vector<Request>& requests) {
  std::vector<double> gaps;
  Ns before;
  for (const Request& request : requests) {
    if (!request.arrival) continue;
    if (before) gaps.push_back(static_cast<double>(*request.arrival - *before));
    before = request.arrival;
  }
  if (gaps.size() < 50) return std::nullopt;
  double mean = 0, square = 0;
  for (const double gap : gaps) mean += gap / static_cast<double>(gaps.size());
  for (const double gap : gaps)
    square += (gap - mean) * (gap - mean) / static_cast<double>(gaps.size());
  return mean > 0 ? std::optional(std::sqrt(square) / mean) : std::nullopt;
}

// Share of steps with prompts that are within 5% of the largest.
std::optional<double> AtBudget(const std::vector<Iteration>& iterations) {
  std::int64_t most = 0, steps = 0, full = 0;
  for (const Iteration& one : iterations)
    most = std::max(most, one.context_tokens + one.generation_tokens);
  for (const Iteration& one : iterations) {
    if (one.context_requests == 0 || one.is_dummy) continue;
    ++steps;
    full += (one.context_tokens + one.generation_tokens) * 20 >= most * 19;
  }
  if (steps < 20) return std::nullopt;
  return static_cast<double>(full) / static_cast<double>(steps);
}

// Share of the queue in the time of requests that came later.
std::optional<double> ShareBehind(const Analysis& analysis, std::int64_t until) {
  const Population& population = analysis.population;
  if (population.depth < Depth::kQueue) return std::nullopt;
  double queue = 0, total = 0;
  for (std::size_t i = 0; i < population.requests.size(); ++i) {
    const Ns arrival = analysis.requests[population.requests[i]].arrival;
    if (!arrival || *arrival < until) continue;
    queue += static_cast<double>(population.parts[i].of(Stage::kQueue).value_or(0));
    total += static_cast<double>(population.parts[i].total);
  }
  return total > 0 ? std::optional(queue / total) : std::nullopt;
}

struct Rates {
  double come = 0, served = 0;             // per second
  double arriving_ns = 0, lasting_ns = 0;  // to the last arrival, and to the last end
};

std::optional<Rates> RatesOf(const Analysis& analysis) {
  const Population& population = analysis.population;
  Ns first, last, end;
  for (std::size_t i = 0; i < population.requests.size(); ++i) {
    const Ns arrival = analysis.requests[population.requests[i]].arrival;
    if (!arrival) return std::nullopt;
    first = std::min(first.value_or(*arrival), *arrival);
    last = std::max(last.value_or(*arrival), *arrival);
    const std::int64_t ended = *arrival + population.parts[i].total;
    end = std::max(end.value_or(ended), ended);
  }
  if (!first || *end <= *first) return std::nullopt;
  const auto count = static_cast<double>(population.requests.size());
  Rates rates{.arriving_ns = static_cast<double>(*last - *first),
              .lasting_ns = static_cast<double>(*end - *first)};
  rates.come = count / std::max(rates.arriving_ns, 1.0) * 1e9;
  rates.served = count / rates.lasting_ns * 1e9;
  return rates;
}

std::vector<Load> LoadsBehind(const Analysis& analysis, Ns until) {
  std::vector<Load> loads = analysis.loads;
  if (until)
    std::erase_if(loads, [&](const Load& load) { return load.time && *load.time < *until; });
  return loads;
}

// The requests of one model, or all.
struct Subject {
  std::string model;  // "": all
  MeanTimes times;
  Waiting waiting;
  std::optional<double> share;  // of the queue, in their time

  // All that their requests wait: a time, or a number of them.
  double Queued() const {
    return times.queue ? *times.queue * times.requests : waiting.mean_waiting;
  }
  double ByLevel() const {
    return waiting.mean_waiting / std::max(waiting.mean_waiting + waiting.mean_running, 1e-9);
  }
  bool Waits() const {
    if (share) return *share >= kQueueingWaitsShare;
    return ByLevel() >= kQueueingWaitsShare && waiting.waiting * 2 >= waiting.samples &&
           waiting.samples >= kLeastSamples;
  }
};

Subject AllOf(const Analysis& analysis, Ns cold_until) {
  return {.times = analysis.times,
          .waiting = WaitingOf(LoadsBehind(analysis, cold_until)),
          .share = cold_until ? ShareBehind(analysis, *cold_until) : analysis.times.QueueShare()};
}

// In percent of the time of all requests.
double LostPct(const Subject& subject, const MeanTimes& all) {
  if (!subject.share) return 100 * subject.ByLevel();
  const double time = all.total.value_or(0) * all.requests;
  if (subject.model.empty() || !(time > 0)) return 100 * *subject.share;
  return 100 * std::min(1.0, subject.Queued() / time);
}

// Of several models that whose requests wait for the longest, but for uneven replicas.
Subject SubjectOf(const Analysis& analysis, const Causes& causes) {
  Subject most = AllOf(analysis, causes.cold_until);
  if (analysis.models.empty() || causes.cold_until) return most;
  if (!causes.uneven_model.empty()) most.share = 0;
  bool is_first = true;
  for (const ModelTimes& one : analysis.models) {
    if (!one.model.empty() && one.model == causes.uneven_model) continue;
    std::vector<Load> loads = analysis.loads;
    // Triton's are of all its models together.
    if (analysis.executions.empty())
      std::erase_if(loads, [&](const Load& load) { return load.model != one.model; });
    Subject subject{.model = one.model,
                    .times = one.times,
                    .waiting = WaitingOf(loads),
                    .share = one.times.QueueShare()};
    if (!subject.Waits() || LostPct(subject, analysis.times) < kLeastOfAllPct) continue;
    if (!is_first && subject.Queued() <= most.Queued()) continue;
    most = std::move(subject);
    is_first = false;
  }
  return most;
}

std::string WaitsFor(const Subject& subject) {
  const std::string of_model = subject.model.empty() ? "" : " of " + subject.model;
  if (const auto share = subject.times.QueueShare())
    return fmt::format("requests{} wait {} on average, {} of their time", of_model,
                       HumanDuration(*subject.times.queue), HumanPercent(100 * *share));
  return fmt::format("{} requests{} wait on average while {} run",
                     HumanDecimal(subject.waiting.mean_waiting), of_model,
                     HumanDecimal(subject.waiting.mean_running));
}

void TakeSlots(const Analysis& analysis, const Subject& subject, Finding& finding) {
  const Waiting& waiting = subject.waiting;
  const double slots = waiting.most_running;
  finding.evidence = fmt::format("{} run in {} of {} samples with waiting requests, never more",
                                 HumanDecimal(slots), waiting.at_ceiling, waiting.waiting);
  const std::string server = ServerOf(analysis);
  if (HasKvCache(server))
    finding.evidence += waiting.kv_known > 0
                            ? fmt::format("; the KV cache is {} full then",
                                          HumanPercent(100 * waiting.mean_kv_waiting))
                            : "; how full the KV cache is was not recorded";
  const auto preemptions = PreemptionsOf(analysis.replicas);
  const bool preempts = preemptions && preemptions->events >= 1;
  if (preempts) finding.evidence += "; " + PreemptionWords(*preemptions);
  finding.more_slots = 2;
  const auto& cost = analysis.batches.cost;
  const double pays = cost ? cost->TokensPerSecond(2 * slots) / cost->TokensPerSecond(slots) : 0;
  if (cost && pays >= kPays && waiting.kv_known > 0) {
    finding.id = "small-batches";
    finding.title =
        fmt::format("Batches end at {} requests while {}", HumanDecimal(slots), WaitsFor(subject));
    finding.evidence += fmt::format(
        "; a decode step takes {} + {} a request, so steps of {} would give {:.2f}x the tokens",
        HumanDuration(cost->floor_ns), HumanDuration(cost->slope_ns), HumanDecimal(2 * slots),
        pays);
    finding.change = fmt::format(
        "Raise the most requests at once, {} as it seems ({}), to {} or more, as far as the KV "
        "cache allows.",
        HumanDecimal(slots), OptionsOf(server, Setting::kSlots), HumanDecimal(2 * slots));
    if (preempts)
      finding.change += " The cache is full at times: give it more memory with the slots.";
    return;
  }
  finding.title =
      fmt::format("{}: {}",
                  slots == 1 ? "The only slot is taken"
                             : fmt::format("All {} slots are taken", HumanDecimal(slots)),
                  WaitsFor(subject));
  // Of Ray Serve it is the sum of all replicas'.
  if (server == "Ray Serve")
    finding.title = fmt::format("No more than {} requests run at once: {}", HumanDecimal(slots),
                                WaitsFor(subject));
  finding.change = MoreSlots(server, HumanDecimal(slots));
}

// All slots are taken in nine of ten samples, those aside in which the cache keeps some empty; and
// mostly the cache has room.
bool IsForSlots(const Waiting& waiting) {
  const std::int64_t explained = waiting.at_ceiling + waiting.kv_below;
  return waiting.waiting >= kLeastSamples && waiting.Share(explained) >= 0.9 &&
         waiting.at_ceiling > 2 * waiting.kv_below &&
         (waiting.kv_known == 0 || waiting.kv_room * 2 > waiting.kv_known);
}

void TakeDeferred(const Subject& subject, Finding& finding) {
  const Waiting& waiting = subject.waiting;
  finding.title = fmt::format("Requests are deferred, not for want of slots or KV cache: {}",
                              WaitsFor(subject));
  finding.evidence = fmt::format(
      "vLLM's waiting_by_reason: in {} of {} samples with waiting requests most do not wait for "
      "capacity",
      waiting.deferred, waiting.waiting);
  finding.change =
      "vLLM defers requests whose LoRA adapter does not fit beside those in use (raise "
      "--max-loras) "
      "or whose KV cache is still to come from another server (look at that transfer). More slots "
      "or cache do not help.";
}

constexpr double kSmallBatch = 1.5;
constexpr double kSeldom = 0.5;  // of the time that a model executes

// Of Triton: the model's, or those of the only one.
std::optional<Executions> ExecutionsOf(const Analysis& analysis, const Subject& subject) {
  if (subject.model.empty() && analysis.executions.size() != 1) return std::nullopt;
  const auto found =
      subject.model.empty() ? analysis.executions.begin() : analysis.executions.find(subject.model);
  return found == analysis.executions.end() ? std::nullopt : std::optional(found->second);
}

bool AreBatchesSmall(const Executions& executions) {
  return executions.size < kSmallBatch && executions.at_once.value_or(0) < kSmallBatch;
}

void TakeSmallBatches(const Executions& executions, const Subject& subject, Finding& finding) {
  finding.id = "small-batches";
  finding.title = fmt::format("An execution serves {:.2f} requests while {}", executions.size,
                              WaitsFor(subject));
  finding.evidence = "counts of inferences and executions; what waits could share executions";
  finding.change =
      "Let Triton batch: dynamic_batching with max_queue_delay_microseconds, max_batch_size above "
      "1, or more instances where the model cannot batch.";
}

void TakeExecutions(const Executions& executions, const Subject& subject, Finding& finding) {
  finding.title = fmt::format("In the queue, {}", WaitsFor(subject));
  finding.evidence = fmt::format("an execution serves {:.2f} requests", executions.size);
  if (executions.at_once)
    finding.evidence +=
        fmt::format("; {:.2f} executions run at once on average", *executions.at_once);
  if (executions.at_once && *executions.at_once < kSeldom) {
    finding.change =
        "The model executes in less than half of the time: requests come in bursts, or dynamic "
        "batching holds them (lower max_queue_delay_microseconds, look at preferred_batch_size).";
    return;
  }
  finding.change =
      "Add instances (instance_group count) where the device has room, or let an execution serve "
      "more (max_batch_size, dynamic_batching with max_queue_delay_microseconds); of a backend "
      "that batches in flight (TensorRT-LLM, vLLM) raise its own limit of requests at once.";
}

void TakeUnknown(const Analysis& analysis, const Subject& subject, Finding& finding) {
  const Waiting& waiting = subject.waiting;
  const std::string server = ServerOf(analysis);
  finding.title = fmt::format("In the queue, {}", WaitsFor(subject));
  finding.change = RecordMore(server);
  if (waiting.waiting == 0) {
    finding.evidence = "the reason is not recorded: scrape /metrics while requests wait";
    return;
  }
  if (waiting.waiting < kLeastSamples) {
    finding.evidence =
        fmt::format("{} sample{} with waiting requests are too few to tell for what they wait",
                    waiting.waiting, waiting.waiting == 1 ? "" : "s");
    if (!analysis.data.levels.empty())
      finding.change = fmt::format(
          "Let each level last longer (--duration), so that /metrics, which is scraped each "
          "second, is read {} times or more while requests wait.",
          kLeastSamples);
    return;
  }
  if (waiting.running_known == 0) {
    finding.evidence = "how many requests run at once is not recorded";
    return;
  }
  finding.evidence =
      fmt::format("{} full in most of {} samples with waiting requests",
                  HasKvCache(server) && waiting.kv_known > 0 ? "neither slots nor the KV cache were"
                                                             : "slots were not",
                  waiting.waiting);
}

}  // namespace

void FindQueueing(const Analysis& analysis, Causes& causes) {
  const Subject subject = SubjectOf(analysis, causes);
  const Waiting& waiting = subject.waiting;
  if (!subject.share && waiting.samples == 0) {
    causes.unchecked.emplace_back(
        "queueing, small-batches: need spans or a log of the server, or scrapes of /metrics");
    return;
  }
  if (causes.is_queue_of_cache || causes.is_queue_of_imbalance) return;
  if (!subject.Waits()) return;
  Finding finding{.id = "queueing"};
  finding.lost_pct = LostPct(subject, analysis.times);
  const auto executions = ExecutionsOf(analysis, subject);
  const auto budget = AtBudget(analysis.data.iterations);
  const std::string server = ServerOf(analysis);
  // A load generator's arrivals are its own.
  const auto variation =
      analysis.data.levels.empty() ? VariationOf(analysis.requests) : std::nullopt;
  if (executions && AreBatchesSmall(*executions)) {
    TakeSmallBatches(*executions, subject, finding);
  } else if (waiting.reason_known >= kLeastSamples &&
             waiting.deferred * 10 >= waiting.waiting * 9) {
    TakeDeferred(subject, finding);
  } else if (IsForSlots(waiting)) {
    TakeSlots(analysis, subject, finding);
  } else if (budget && *budget >= 0.5) {
    finding.title = fmt::format("Prompts fill the token budget of steps: {}", WaitsFor(subject));
    finding.evidence = fmt::format("{} of the steps with prompts are as large as any",
                                   HumanPercent(100 * *budget));
    finding.change = fmt::format("Raise the token budget of a step ({}), or add a replica.",
                                 OptionsOf(server, Setting::kTokenBudget));
  } else if (waiting.grows) {
    finding.title = fmt::format("Requests come faster than they are served: {}", WaitsFor(subject));
    finding.evidence = "the queue grows over the recording";
    finding.change = MoreServers(server);
  } else if (variation && *variation >= 2) {
    finding.title = fmt::format("Requests come in bursts: {}", WaitsFor(subject));
    finding.evidence = fmt::format(
        "gaps between arrivals have a coefficient of variation of {:.1f} (1 if at random)",
        *variation);
    finding.change = "Keep room for bursts (more replicas), or smooth them at the gateway.";
  } else if (executions) {
    TakeExecutions(*executions, subject, finding);
  } else {
    TakeUnknown(analysis, subject, finding);
  }
  causes.findings.push_back(std::move(finding));
}

void TellRateFirst(const Analysis& analysis, const Causes& causes, Finding& finding) {
  if (!finding.more_slots || !finding.gain_pct || *finding.gain_pct >= kSlotsPayPct) return;
  const auto rates = RatesOf(analysis);
  if (!rates || rates->come < kOverload * rates->served) return;
  const Subject subject = AllOf(analysis, causes.cold_until);
  const bool is_burst = rates->arriving_ns < kBurst * rates->lasting_ns;
  finding.id = "queueing";
  finding.title =
      is_burst ? fmt::format("{} requests come within {} and are served in {}: {}",
                             analysis.population.requests.size(), HumanDuration(rates->arriving_ns),
                             HumanDuration(rates->lasting_ns), WaitsFor(subject))
               : fmt::format("{:.1f} requests a second come and {:.1f} are served: {}", rates->come,
                             rates->served, WaitsFor(subject));
  finding.evidence += fmt::format("; twice the slots gain less than {}%", kSlotsPayPct);
  finding.change =
      (is_burst
           ? "Keep room for bursts (more replicas), or smooth them at the gateway. "
           : "Add a replica, or refuse requests early: more slots alone do not serve this rate. ") +
      finding.change;
}

}  // namespace rankscope::serving
