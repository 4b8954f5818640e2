#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "base/text.h"
#include "serving/base/metric_names.h"
#include "serving/base/words.h"
#include "serving/inputs/exposition.h"
#include "serving/inputs/power_metrics.h"
#include "serving/inputs/readers.h"

namespace rankscope::serving {
namespace {

// Shares are rounded, and some servers count blocks that they keep for themselves.
constexpr double kMostKvUsage = 1.01;

struct Place {
  std::uint16_t metric = 0;
  Part part = Part::kValue;
};

// A histogram's parts have endings of their own.
std::optional<Place> PlaceOf(std::string_view name) {
  if (const auto metric = FindMetric(name)) {
    const bool is_histogram = KindOf(KnownMetrics()[*metric].metric) == MetricKind::kHistogram;
    return is_histogram ? std::nullopt : std::optional(Place{*metric, Part::kValue});
  }
  for (const auto& [ending, part] : {std::pair(std::string_view("_bucket"), Part::kBucket),
                                     std::pair(std::string_view("_sum"), Part::kSum),
                                     std::pair(std::string_view("_count"), Part::kCount)}) {
    if (!name.ends_with(ending)) continue;
    const auto metric = FindMetric(name.substr(0, name.size() - ending.size()));
    if (!metric || KindOf(KnownMetrics()[*metric].metric) != MetricKind::kHistogram)
      return std::nullopt;
    return Place{*metric, part};
  }
  return std::nullopt;
}

constexpr std::string_view kStages = "sglang:per_stage_req_latency_seconds";

// SGLang has one histogram for all stages of a request: its name with the stage.
std::string NameWithStage(const ExpositionSample& sample) {
  std::string name = sample.name;
  for (const auto& [label, value] : sample.labels) {
    if (label == "stage") name.insert(kStages.size(), "/" + value);
  }
  return name;
}

class ScrapesReading {
 public:
  ScrapesReading(const InputFile& file, Collection& to) : file_(file), to_(to) {}

  Status Run() {
    Lines lines(file_.text);
    std::string_view line;
    while (lines.Next(line)) {
      if (Trimmed(line).empty()) continue;
      if (Trimmed(line).starts_with('#')) {
        TakeComment(Trimmed(line));
      } else if (auto sample = ParseSample(line)) {
        TakeSample(std::move(*sample));
      } else {
        ++bad_;
        if (first_bad_ == 0) first_bad_ = lines.number();
      }
    }
    End();
    return Finish();
  }

 private:
  void TakeComment(std::string_view line) {
    line = Trimmed(line.substr(1));
    if (line == "EOF") return End();
    if (line.starts_with("scraped_at")) {
      End();
      comment_time_ = ToMoment(line.substr(std::string_view("scraped_at").size()));
      if (!comment_time_) ++bad_;
    } else if (line.starts_with("instance ")) {
      instance_ = std::string(Trimmed(line.substr(9)));
    }
  }

  void TakeSample(ExpositionSample sample) {
    ++samples_;
    if (sample.time && line_time_ && *sample.time != *line_time_) {
      const Ns time = sample.time;
      End();
      line_time_ = time;
    }
    if (sample.time) line_time_ = sample.time;
    if (const auto power = FindPowerMetric(sample.name)) return TakePower(*power, sample);
    const auto place =
        sample.name.starts_with(kStages) ? PlaceOf(NameWithStage(sample)) : PlaceOf(sample.name);
    if (!place) return;
    const KnownMetric& metric = KnownMetrics()[place->metric];
    if (!IsUsable(metric.metric, sample.value)) {
      ++unusable_;
      // A gauge of nothing is unknown; of what counts, the gain after it is, too.
      if (KindOf(metric.metric) == MetricKind::kGauge || sample.value < 0) return;
      sample.value = std::numeric_limits<double>::quiet_NaN();
    } else {
      ++usable_;
    }
    double bound = 0;
    std::string labels, pod;
    std::string instance = instance_;
    std::ranges::sort(sample.labels);
    for (const auto& [name, value] : sample.labels) {
      if (name == "le") {
        const auto number = ToNumber(value);
        if (!number || std::isnan(*number)) return;
        bound = *number * metric.scale;
      } else if (name == "quantile") {
        return;
      } else if (name == "instance") {
        instance = value;
      } else if (name == "pod") {
        pod = value;
      } else {
        labels += name + "=" + value + std::string(1, '\0');
      }
    }
    if (instance.empty()) instance = pod;
    if (!metric.server.empty()) servers_.insert(std::string(metric.server));
    const double scale =
        place->part == Part::kValue || place->part == Part::kSum ? metric.scale : 1;
    const Point point{.metric = place->metric,
                      .part = place->part,
                      .labels = to_.LabelsId(labels),
                      .bound = bound,
                      .value = sample.value * scale};
    const auto key = std::tuple(point.metric, point.part, point.labels, point.bound, instance);
    if (!seen_.insert(key).second) {
      // `curl .. >> file` puts one behind the other.
      const Ns time = line_time_;
      End();
      line_time_ = time;
      seen_.insert(key);
    }
    ScrapeOf(instance).points.push_back(point);
  }

  void TakePower(const PowerMetric& metric, const ExpositionSample& sample) {
    // DCGM writes so where a device does not tell.
    constexpr double kBlank = 1e15;
    const double value = sample.value * metric.scale;
    if (!std::isfinite(value) || value < 0 || value >= kBlank) return;
    const std::string device =
        instance_.empty() ? DeviceOf(sample) : instance_ + " " + DeviceOf(sample);
    const auto value_of = [&](PowerReading& reading) -> std::optional<double>& {
      return metric.is_energy ? reading.joules : reading.watts;
    };
    auto found = std::ranges::find(open_power_, device, &PowerReading::device);
    if (found != open_power_.end() && value_of(*found)) {
      if (IsOfPart(sample)) return;
      // `curl .. >> file` puts one behind the other.
      const Ns time = line_time_;
      End();
      line_time_ = time;
      found = open_power_.end();
    }
    if (found == open_power_.end()) {
      open_power_.push_back({.is_of_agent = metric.is_of_agent, .device = device});
      found = open_power_.end() - 1;
    }
    value_of(*found) = value;
  }

  // Counts those that say what cannot be.
  bool IsUsable(Metric metric, double value) {
    if (!std::isfinite(value)) return false;
    if (value < 0) {
      ++negative_;
      return false;
    }
    if (metric == Metric::kKvUsage && value > kMostKvUsage) {
      ++overfull_;
      return false;
    }
    return true;
  }

  // Federated scrapes have several instances at one time.
  Scrape& ScrapeOf(const std::string& instance) {
    for (Scrape& scrape : open_)
      if (scrape.replica == instance) return scrape;
    open_.push_back({.replica = instance});
    return open_.back();
  }

  void End() {
    if (!open_.empty()) last_begin_ = done_.size();
    for (Scrape& scrape : open_) {
      scrape.time = line_time_ ? line_time_ : comment_time_;
      done_.push_back(std::move(scrape));
    }
    if (!open_power_.empty()) last_power_ = power_.size();
    for (PowerReading& reading : open_power_) {
      reading.time = line_time_ ? line_time_ : comment_time_;
      power_.push_back(std::move(reading));
    }
    open_.clear();
    open_power_.clear();
    seen_.clear();
    line_time_.reset();
    comment_time_.reset();
  }

  Status Finish() {
    if (samples_ == 0)
      return Error(StatusCode::kBadData, "{}: line {} is no metric of Prometheus' text format",
                   file_.path, std::max<std::int64_t>(first_bad_, 1));
    if (usable_ == 0 && unusable_ > 0)
      return Error(
          StatusCode::kBadData,
          "{}: {} values of metrics that rankscope knows, all of them NaN, infinite, below 0 "
          "or a cache fuller than full; was the server up?",
          file_.path, unusable_);
    if (done_.empty() && !power_.empty())
      return FinishPower(to_.AddSource(file_, "power of devices"));
    if (done_.empty())
      return Error(StatusCode::kBadData,
                   "{}: metrics of Prometheus' text format, but none that rankscope knows of vLLM, "
                   "SGLang, TensorRT-LLM, Triton, Ray Serve, llama.cpp or TGI",
                   file_.path);
    std::string server;
    for (const std::string& one : servers_) server += (server.empty() ? "" : ", ") + one;
    if (servers_.empty())
      return Error(StatusCode::kBadData,
                   "{}: metrics of a process, none of a serving program that rankscope knows",
                   file_.path);
    const std::uint32_t source = to_.AddSource(file_, "metrics of " + server);
    const Ns named = MomentInName(std::filesystem::path(file_.path).filename().string());
    // The file was written to when the last, of however many instances, was scraped.
    for (std::size_t i = last_begin_; i < done_.size(); ++i) {
      if (!done_[i].time) done_[i].time = named && last_begin_ == 0 ? named : file_.modified;
    }
    std::size_t untimed = 0;
    for (Scrape& scrape : done_) {
      untimed += !scrape.time.has_value();
      scrape.source = source;
      to_.data.scrapes.push_back(std::move(scrape));
    }
    to_.Count(source, static_cast<std::int64_t>(done_.size()));
    RS_RETURN_IF_ERROR(FinishPower(source));
    if (untimed > 0)
      to_.Note(
          fmt::format("{}: {} scrapes have no time, so that rates are not known; write "
                      "`# scraped_at TIME` before each",
                      file_.path, untimed));
    if (negative_ > 0)
      to_.Note(fmt::format("{}: {} values are below 0, which none of these can be", file_.path,
                           negative_));
    if (overfull_ > 0)
      to_.Note(fmt::format("{}: {} values of the KV cache's usage are over 1, which is all of it",
                           file_.path, overfull_));
    if (bad_ > 0)
      to_.Note(fmt::format("{}: {} lines are no metrics, the first at line {}", file_.path, bad_,
                           first_bad_));
    return OkStatus();
  }

  // Readings without a time tell nothing: energy is power over time.
  Status FinishPower(std::uint32_t source) {
    const Ns named = MomentInName(std::filesystem::path(file_.path).filename().string());
    std::int64_t timed = 0;
    for (std::size_t i = 0; i < power_.size(); ++i) {
      PowerReading& reading = power_[i];
      if (!reading.time && i >= last_power_)
        reading.time = named && last_power_ == 0 ? named : file_.modified;
      if (!reading.time) continue;
      reading.source = source;
      to_.data.power.push_back(std::move(reading));
      ++timed;
    }
    if (done_.empty()) to_.Count(source, timed);
    return OkStatus();
  }

  const InputFile& file_;
  Collection& to_;
  std::vector<Scrape> open_, done_;
  std::vector<PowerReading> open_power_, power_;
  std::size_t last_power_ = 0;  // of power_, where the last scrape's devices begin
  std::set<std::tuple<std::uint16_t, Part, std::uint32_t, double, std::string>> seen_;
  std::set<std::string> servers_;
  std::string instance_;        // of a comment: of what has no label of its own
  std::size_t last_begin_ = 0;  // of done_, where the last scrape's instances begin
  Ns comment_time_, line_time_;
  std::int64_t samples_ = 0, usable_ = 0, unusable_ = 0, negative_ = 0, overfull_ = 0, bad_ = 0,
               first_bad_ = 0;
};

}  // namespace

Status ReadScrapes(const InputFile& file, Collection& to) { return ScrapesReading(file, to).Run(); }

}  // namespace rankscope::serving
