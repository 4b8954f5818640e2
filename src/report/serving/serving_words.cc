#include "report/serving/serving_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/base/wording.h"
#include "report/serving/load_words.h"
#include "report/serving/tuning_words.h"
#include "table/human_number.h"

namespace rankscope {
namespace {

// Below half a nanosecond it is what sums of doubles leave.
std::string Time(std::optional<double> ns) {
  if (!ns) return "-";
  return HumanDuration(std::abs(*ns) < 0.5 ? 0 : *ns);
}
std::string Share(std::optional<double> percent) { return percent ? HumanPercent(*percent) : "-"; }

// A quantile that is known, or the bounds of its bucket.
std::string QuantileCell(std::optional<double> exact, std::optional<double> least,
                         std::optional<double> most) {
  if (exact) return HumanDuration(*exact);
  if (!least) return "-";
  return most ? "<=" + HumanDuration(*most) : ">" + HumanDuration(*least);
}

std::string StageWords(std::string_view stage) {
  if (stage == "queue") return "the queue";
  if (stage == "first_token") return "waiting for the first token";
  if (stage == "frontend") return "the frontend";
  if (stage == "network") return "the network";
  if (stage == "response") return "being served";
  if (stage == "read") return "reading requests";
  if (stage == "lock") return "waiting for locks";
  if (stage == "handler") return "the handler";
  if (stage == "send") return "sending answers";
  return std::string(stage);
}

std::string InTenths(double value) { return HumanDecimal(std::round(value * 10) / 10); }

// Of several methods of a service, those that take the most of the time.
void AddMethods(const ServingView& view, std::vector<ServingLine>& lines) {
  constexpr std::size_t kMostShown = 3;
  const auto& rows = view.methods;
  std::size_t methods = 0;
  std::string text;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.String(row, rows->stage) != "total") continue;
    if (++methods > kMostShown) continue;
    const std::int64_t calls = rows.Int(row, rows->requests).value_or(0);
    text += fmt::format("{}{} ", text.empty() ? "" : ", ", rows.String(row, rows->method));
    if (calls == 0) {
      text += fmt::format("({} failed)", GroupedInteger(rows.Int(row, rows->failed).value_or(0)));
      continue;
    }
    text += fmt::format("{} ({} x {})", Share(rows.Number(row, rows->share_pct)),
                        GroupedInteger(calls), Time(rows.Number(row, rows->mean_ns)));
  }
  if (methods > kMostShown) text += fmt::format(", {} more", methods - kMostShown);
  if (methods > 1) lines.push_back({"Methods", std::move(text)});
}

void AddTail(const ServingView& view, std::vector<ServingLine>& lines) {
  if (view.tail.empty()) return;
  double excess = 0;
  for (std::size_t row = 0; row < view.tail.rows(); ++row)
    excess += view.tail.Number(row, view.tail->excess_ns).value_or(0);
  std::string text =
      fmt::format("slowest {} take {} longer: ", view.tail.Int(0, view.tail->requests).value_or(0),
                  HumanDuration(excess));
  for (std::size_t row = 0; row < view.tail.rows() && row < 3; ++row) {
    const double share = view.tail.Number(row, view.tail->share_pct).value_or(0);
    if (row > 0 && std::abs(share) < 1) break;
    const std::string_view part = view.tail.String(row, view.tail->part);
    text += fmt::format("{}{} {}", row > 0 ? ", " : "", HumanPercent(share),
                        part == "length"   ? "more tokens"
                        : part == "method" ? "slower methods"
                                           : part);
  }
  lines.push_back({"Tail", std::move(text)});
}

// Of steps of a trace; of a few it says little.
std::optional<double> BusyOf(const ServingView& view, std::size_t row) {
  constexpr std::int64_t kLeastSteps = 10;
  if (view.batches.Int(row, view.batches->iterations).value_or(0) < kLeastSteps)
    return std::nullopt;
  return view.batches.Number(row, view.batches->device_busy_pct);
}

void AddSteps(const ServingView& view, std::vector<ServingLine>& lines) {
  std::string text;
  for (std::size_t row = 0; row < view.batches.rows(); ++row) {
    const auto& rows = view.batches;
    const std::string_view kind = rows.String(row, rows->kind);
    // A log has all steps, a trace some.
    if (rows.String(row, rows->from) != rows.String(0, rows->from)) break;
    const double share = rows.Number(row, rows->time_pct).value_or(0);
    if (kind == "idle" || share < 1) continue;
    text += fmt::format("{}{} {} ({}", text.empty() ? "" : ", ", kind, HumanPercent(share),
                        Time(rows.Number(row, rows->mean_ns)));
    const double tokens = rows.Number(row, rows->context_tokens).value_or(0);
    const double requests = rows.Number(row, rows->generation_requests).value_or(0);
    if (requests > 0) text += fmt::format(", {} requests", InTenths(requests));
    if (tokens > 0)
      text += fmt::format("{} {} prompt tokens", requests > 0 ? " +" : ",",
                          HumanDecimal(std::round(tokens)));
    if (const auto busy = BusyOf(view, row))
      text += fmt::format(", devices busy {}", HumanPercent(*busy));
    text += ')';
  }
  if (!text.empty()) lines.push_back({"Steps", std::move(text)});
}

void AddLittle(const ServingView& view, std::vector<ServingLine>& lines) {
  std::string text;
  const auto& rows = view.little;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double rate = rows.Number(row, rows->rate_per_s).value_or(0);
    const double time = rows.Number(row, rows->time_ns).value_or(0) / 1e9;
    text += fmt::format("{}{} {} = {}: {}", text.empty() ? "L = lambda W: " : ", ",
                        rows.String(row, rows->stage),
                        InTenths(rows.Number(row, rows->level).value_or(0)), InTenths(rate * time),
                        rows.String(row, rows->verdict));
  }
  if (!text.empty()) lines.push_back({"Little", std::move(text)});
}

void AddLoad(const ServingView& view, std::vector<ServingLine>& lines) {
  const auto& rows = view.load;
  if (rows.empty()) return;
  std::map<std::string_view, bool> replicas;
  double running = 0, waiting = 0, kv = 0, tokens = 0;
  std::int64_t known_running = 0, known_waiting = 0, known_tokens = 0;
  bool has_kv = false;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    replicas[rows.String(row, rows->replica)] = true;
    if (const auto value = rows.Number(row, rows->running)) {
      running += *value;
      ++known_running;
    }
    if (const auto value = rows.Number(row, rows->waiting)) {
      waiting += *value;
      ++known_waiting;
    }
    if (const auto value = rows.Number(row, rows->generation_tokens_per_s)) {
      tokens += *value;
      ++known_tokens;
    }
    if (const auto value = rows.Number(row, rows->kv_cache_pct)) {
      kv = std::max(kv, *value);
      has_kv = true;
    }
  }
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (known_running > 0)
    add(fmt::format("{} running", InTenths(running / static_cast<double>(known_running))));
  if (known_waiting > 0)
    add(fmt::format("{} waiting", InTenths(waiting / static_cast<double>(known_waiting))));
  if (known_tokens > 0)
    add(fmt::format("{} tokens/s",
                    HumanDecimal(std::round(tokens / static_cast<double>(known_tokens)))));
  if (has_kv) add(fmt::format("KV cache up to {}", HumanPercent(kv)));
  if (replicas.size() > 1)
    text += fmt::format(" (each of {} replicas, {} samples)", replicas.size(), rows.rows());
  else if (rows.rows() == 1)
    text += " (one sample)";
  lines.push_back({"Load", std::move(text)});
}

void AddGoodput(const ServingView& view, std::vector<ServingLine>& lines) {
  const auto& rows = view.goodput;
  std::string text;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::string_view objective = rows.String(row, rows->objective);
    const auto known = rows.Number(row, rows->good_pct);
    if (objective != "all") {
      const std::string limit =
          fmt::format("{} {}", objective, Time(rows.Number(row, rows->limit_ns)));
      text += text.empty() ? "" : ", ";
      text += known ? fmt::format("{} keep {}", Share(known), limit) : limit + " is not recorded";
    } else {
      const auto rate = rows.Number(row, rows->per_s);
      if (rows.rows() > 2) text += known ? fmt::format("; {} all", Share(known)) : "; all unknown";
      if (rate) text += fmt::format(", {} good requests a second", HumanDecimal(*rate));
    }
  }
  if (!text.empty()) lines.push_back({"Goodput", std::move(text)});
}

// Whether the server bears a level of load ("level 2").
bool IsBorne(const ServingView& view, std::string_view part) {
  const auto& rows = view.levels;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::string_view state = rows.String(row, rows->state);
    if (part == fmt::format("level {}", rows.Int(row, rows->level).value_or(-1)))
      return state != "overload" && state != "failing";
  }
  return false;
}

// "2.64 J per output token (617 W on average, 2 devices, 70.3% of the energy while nothing ran);
// 0.31 J at level 3, the least of those that the server bears"
void AddEnergy(const ServingView& view, std::vector<ServingLine>& lines) {
  const auto& rows = view.energy;
  std::string text;
  std::optional<std::size_t> least;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto per_token = rows.Number(row, rows->joules_per_token);
    if (rows.String(row, rows->part) != "all") {
      if (per_token && IsBorne(view, rows.String(row, rows->part)) &&
          (!least || *per_token < *rows.Number(*least, rows->joules_per_token)))
        least = row;
      continue;
    }
    const auto devices = static_cast<std::size_t>(rows.Int(row, rows->devices).value_or(0));
    text = per_token ? fmt::format("{} J per output token (", HumanDecimal(*per_token)) : "";
    text +=
        fmt::format("{} W on average, {}", HumanDecimal(rows.Number(row, rows->watts).value_or(0)),
                    Plural(devices, "device"));
    if (const auto idle = rows.Number(row, rows->idle_pct); idle && *idle >= 1)
      text += fmt::format(", {} of the energy while nothing ran", HumanPercent(*idle));
    if (per_token) text += ")";
  }
  if (least)
    text += fmt::format("{}{} J at {}, the least of those that the server bears",
                        text.empty() ? "" : "; ",
                        HumanDecimal(*rows.Number(*least, rows->joules_per_token)),
                        rows.String(*least, rows->part));
  if (!text.empty()) lines.push_back({"Energy", std::move(text)});
}

}  // namespace

ServingView::ServingView(const ServingReport& report)
    : findings(report.Find(ServingFindings::kName)),
      stages(report.Find(ServingStages::kName)),
      methods(report.Find(ServingMethods::kName)),
      tail(report.Find(ServingTail::kName)),
      little(report.Find(ServingLittle::kName)),
      levels(report.Find(ServingLevels::kName)),
      batches(report.Find(ServingBatches::kName)),
      load(report.Find(ServingLoad::kName)),
      metrics(report.Find(ServingMetrics::kName)),
      goodput(report.Find(ServingGoodput::kName)),
      energy(report.Find(ServingEnergy::kName)),
      tunings(report.Find(ServingTunings::kName)),
      trials(report.Find(ServingTrials::kName)),
      sources(report.Find(ServingSources::kName)),
      notes(report.Find(ServingNotes::kName)) {}

std::optional<std::size_t> ServingView::Stage(std::string_view stage) const {
  for (std::size_t row = 0; row < stages.rows(); ++row)
    if (stages.String(row, stages->stage) == stage) return row;
  return std::nullopt;
}

namespace {

// The worst finding, else where the time goes, else what the server has; "" where no record has a
// duration.
std::string AnswerOf(const ServingView& view) {
  if (!view.findings.empty())
    return fmt::format("{} ({})", view.findings.String(0, view.findings->title),
                       view.findings.String(0, view.findings->id));
  std::size_t unchecked = 0;
  for (std::size_t row = 0; row < view.notes.rows(); ++row)
    unchecked += view.notes.Flag(row, view.notes->is_unchecked);
  const std::string healthy =
      unchecked == 0 ? "nothing is wrong"
                     : fmt::format("nothing is wrong of what could be looked for ({} could not)",
                                   Plural(unchecked, "cause"));
  if (const auto total = view.Stage("total")) {
    std::optional<std::size_t> most;
    for (std::size_t row = 0; row < view.stages.rows(); ++row) {
      if (view.stages.String(row, view.stages->stage) == "total") continue;
      const auto share = [&](std::size_t one) {
        return view.stages.Number(one, view.stages->share_pct).value_or(0);
      };
      if (!most || share(row) > share(*most)) most = row;
    }
    const std::string mean = Time(view.stages.Number(*total, view.stages->mean_ns));
    // The total and the response alone.
    if (!most ||
        (view.stages.String(*most, view.stages->stage) == "response" && view.stages.rows() == 2))
      return fmt::format("Requests take {} on average; where in it is not recorded, and {}", mean,
                         healthy);
    const bool is_undivided = view.stages.String(*most, view.stages->stage) == "first_token";
    return fmt::format("Requests take {} on average, {} of it {}; {}", mean,
                       Share(view.stages.Number(*most, view.stages->share_pct)),
                       StageWords(view.stages.String(*most, view.stages->stage)),
                       is_undivided
                           ? "whether in the queue or its prefill only the server's records tell"
                           : healthy);
  }
  for (std::size_t row = 0; row < view.batches.rows(); ++row) {
    if (view.batches.String(row, view.batches->kind) != "decode") continue;
    const auto requests = view.batches.Number(row, view.batches->generation_requests);
    const auto busy = BusyOf(view, row);
    return fmt::format(
        "A decode step takes {} on average of {}{}{}; {}",
        Time(view.batches.Number(row, view.batches->mean_ns)),
        GroupedInteger(view.batches.Int(row, view.batches->iterations).value_or(0)),
        requests ? fmt::format(" and serves {} requests", InTenths(*requests)) : "",
        busy ? fmt::format(", devices are busy for {} of it", HumanPercent(*busy)) : "", healthy);
  }
  if (!view.batches.empty())
    return fmt::format("{} of the engine's time is {}; {}",
                       Share(view.batches.Number(0, view.batches->time_pct)),
                       view.batches.String(0, view.batches->kind), healthy);
  std::vector<ServingLine> lines;
  AddLoad(view, lines);
  if (!lines.empty()) return fmt::format("The server has {}; {}", lines[0].text, healthy);
  return "";
}

}  // namespace

std::string ServingHeadlineOf(const ServingView& view) {
  // What lies beside a tuning is what it began with.
  if (!view.tunings.empty()) return TuningHeadline(view);
  std::string lead;
  for (std::size_t row = 0; row < view.notes.rows(); ++row)
    if (view.notes.Flag(row, view.notes->leads))
      lead += (lead.empty() ? "" : ". ") + std::string(view.notes.String(row, view.notes->note));
  const std::string load = LoadHeadline(view);
  if (!load.empty()) {
    // Of all levels together nothing is said but what is wrong.
    if (!lead.empty()) return load + ". " + lead;
    if (view.findings.empty()) return load;
    const std::string at = FocusWords(view);
    return fmt::format("{}. {}{}{}", load, AnswerOf(view), at.empty() ? "" : " ", at);
  }
  std::string answer = AnswerOf(view);
  if (!lead.empty()) return answer.empty() ? lead : lead + ". " + answer;
  if (!answer.empty()) return answer;
  std::int64_t records = 0;
  for (std::size_t row = 0; row < view.sources.rows(); ++row)
    records += view.sources.Int(row, view.sources->records).value_or(0);
  return fmt::format("{} were read, and none has a duration",
                     Plural(static_cast<std::size_t>(records), "record"));
}

std::vector<ServingLine> ServingLines(const ServingView& view) {
  std::vector<ServingLine> lines;
  AddMethods(view, lines);
  AddTail(view, lines);
  AddSteps(view, lines);
  // Means over levels of load say nothing of any.
  if (view.levels.rows() < 2) AddLoad(view, lines);
  AddLittle(view, lines);
  if (view.levels.empty()) AddGoodput(view, lines);
  AddEnergy(view, lines);
  return lines;
}

std::vector<std::string> StageCells(const ServingView& view, std::size_t row) {
  const auto& rows = view.stages;
  return {std::string(rows.String(row, rows->stage)),
          Share(rows.Number(row, rows->share_pct)),
          Time(rows.Number(row, rows->mean_ns)),
          QuantileCell(rows.Number(row, rows->p50_ns), rows.Number(row, rows->p50_least_ns),
                       rows.Number(row, rows->p50_most_ns)),
          Time(rows.Number(row, rows->p90_ns)),
          QuantileCell(rows.Number(row, rows->p99_ns), rows.Number(row, rows->p99_least_ns),
                       rows.Number(row, rows->p99_most_ns))};
}

std::string StagesFrom(const ServingView& view) {
  const auto requests =
      static_cast<std::size_t>(view.stages.Int(0, view.stages->requests).value_or(0));
  const std::string count =
      fmt::format("{} request{}", GroupedInteger(static_cast<std::int64_t>(requests)),
                  requests == 1 ? "" : "s");
  return view.stages.String(0, view.stages->from) == "metrics" ? count + ", by metrics" : count;
}

std::string GainWords(const ServingView& view, std::size_t finding) {
  const auto gain = view.findings.Number(finding, view.findings->gain_pct);
  if (!gain)
    return fmt::format("no gain stated: {}", view.findings.String(finding, view.findings->no_gain));
  return fmt::format("gains {} of mean time (model error {})", HumanPercent(*gain),
                     Share(view.findings.Number(finding, view.findings->model_error_pct)));
}

}  // namespace rankscope
