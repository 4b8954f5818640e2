#include "probe/backend/probe_backend.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "probe/live/live_reader.h"
#include "probe/run/host.h"

namespace rankscope::probe {
namespace {

using device::DeviceState;

struct NumberPlace {
  std::string_view metric;
  device::Known DeviceState::*place;
};
constexpr NumberPlace kNumbers[] = {
    {"device_utilization", &DeviceState::busy},
    {"memory_bandwidth_utilization", &DeviceState::memory_busy},
    {"memory_used", &DeviceState::memory_used_bytes},
    {"memory_total", &DeviceState::memory_total_bytes},
    {"power", &DeviceState::power_watts},
    {"power_limit", &DeviceState::power_limit_watts},
    {"energy", &DeviceState::energy_joules},
    {"temperature", &DeviceState::temperature_celsius},
    {"clock", &DeviceState::sm_clock_hz},
    {"memory_clock", &DeviceState::memory_clock_hz},
    {"ecc_corrected", &DeviceState::corrected_errors},
    {"ecc_uncorrected", &DeviceState::uncorrected_errors},
};
// Counters whose rates are told.
constexpr NumberPlace kRates[] = {
    {"pcie_rx", &DeviceState::pcie_received_bytes_per_s},
    {"pcie_tx", &DeviceState::pcie_sent_bytes_per_s},
    {"link_rx", &DeviceState::nvlink_received_bytes_per_s},
    {"link_tx", &DeviceState::nvlink_sent_bytes_per_s},
};

device::Known NumberOf(const Value& value) {
  if (const auto* whole = value.If<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* natural = value.If<std::uint64_t>()) return static_cast<double>(*natural);
  const auto* const real = value.If<double>();
  return real == nullptr ? std::nullopt : device::Known(*real);
}

std::string TextOf(const Value& value) {
  const auto* const text = value.If<std::string>();
  return text == nullptr ? std::string() : *text;
}

// What tells a file from its next version.
using Version = std::tuple<ino_t, off_t, std::int64_t>;

Result<Version> VersionOf(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0)
    return Error(StatusCode::kIo, "{}: {}", file, std::strerror(errno));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return Error(StatusCode::kInvalidArgument,
                 "{}: others than its owner may write to it; chmod go-w {}", file, file);
  return Version(status.st_ino, status.st_size,
                 status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec);
}

// A file, and the last version of it that was good.
class Loaded {
 public:
  explicit Loaded(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  std::uint64_t reloads() const { return reloads_; }
  Host* host() { return host_.get(); }  // null: none was good
  const Host* host() const { return host_.get(); }
  const std::string& problem() const { return problem_; }  // of the file as it is now

  // True if it is another host now, or the problem is another.
  bool Look(SourceReader& reader, const Clock& clock) {
    const Result<Version> version = VersionOf(file_);
    if (!version.ok()) {
      version_.reset();
      return SetProblem(version.status().message());
    }
    if (version_ == *version) return false;
    version_ = *version;
    Result<Spec> spec = ReadSpec(file_);
    if (!spec.ok()) return SetProblem(spec.status().message());
    if (spec_ != nullptr && spec_->text == spec->text) return SetProblem("");
    if (host_ != nullptr) ++reloads_;
    host_.reset();  // it refers to the old one
    spec_ = std::make_unique<const Spec>(std::move(*spec));
    host_ = std::make_unique<Host>(*spec_, reader, clock);
    problem_.clear();
    return true;
  }

 private:
  bool SetProblem(std::string problem) {
    const bool is_new = problem_ != problem;
    problem_ = std::move(problem);
    return is_new;
  }

  std::string file_;
  std::optional<Version> version_;
  std::uint64_t reloads_ = 0;
  std::string problem_;
  std::unique_ptr<const Spec> spec_;
  std::unique_ptr<Host> host_;
};

// Tells of faults that come, change and end.
class FaultLog {
 public:
  static constexpr std::int64_t kPause_ns = 60'000'000'000;

  explicit FaultLog(std::function<void(std::string_view)> said) : said_(std::move(said)) {}

  void Say(std::string_view line) const {
    if (said_) said_(line);
  }
  // `why` of what has that key now; "": it is well.
  void See(const std::string& key, const std::string& why, std::int64_t now_ns) {
    const auto found = faults_.find(key);
    if (why.empty()) {
      if (found == faults_.end() || now_ns < found->second.said_ns + kPause_ns) return;
      Say(key + ": there again");
      faults_.erase(found);
      return;
    }
    const bool is_new = found == faults_.end();
    if (!is_new && (found->second.why == why || now_ns < found->second.said_ns + kPause_ns)) return;
    Say(key + ": " + why);
    faults_[key] = {why, now_ns};
  }

 private:
  struct Fault {
    std::string why;  // as it was said
    std::int64_t said_ns = 0;
  };
  const std::function<void(std::string_view)> said_;
  std::map<std::string, Fault> faults_;
};

// Devices keep their numbers. One that is known by its uuid does in whatever place it is now.
class Numbers {
 public:
  void BeginReading() { taken_.clear(); }

  int Of(const std::string& place, const std::string& uuid) {
    const std::string name = "uuid " + uuid;
    int number = -1;
    if (!uuid.empty()) number = Free(name);
    if (number < 0) number = Free("place " + place);
    if (number < 0) number = next_++;
    taken_.insert(number);
    numbers_["place " + place] = number;
    if (!uuid.empty()) numbers_[name] = number;
    return number;
  }

 private:
  int Free(const std::string& key) const {
    const auto found = numbers_.find(key);
    return found == numbers_.end() || taken_.contains(found->second) ? -1 : found->second;
  }

  std::map<std::string, int> numbers_;
  std::set<int> taken_;  // in this reading
  int next_ = 0;
};

class LiveProbes final : public ProbeBackend {
 public:
  explicit LiveProbes(const ProbeBackendOptions& options)
      : clock_(options.clock),
        log_(options.said),
        reader_(OpenReader({.root = options.root,
                            .worker = options.worker,
                            .clock = options.clock,
                            .opening = Opening::kGoesOnBeside})) {
    for (const std::string& file : options.files) {
      loaded_.emplace_back(file);
      LookAt(loaded_.back());
    }
  }

  std::string_view name() const override { return "probe"; }

  std::map<std::string, std::uint64_t> versions() const override {
    std::map<std::string, std::uint64_t> versions;
    for (const Loaded& one : loaded_) versions[one.file()] = one.reloads();
    return versions;
  }

  Result<std::vector<DeviceState>> Read() override {
    std::vector<DeviceState> states;
    std::string why;
    numbers_.BeginReading();
    for (Loaded& one : loaded_) {
      LookAt(one);
      if (one.host() == nullptr) {
        why += fmt::format("; {}", one.problem());
        continue;
      }
      one.host()->Refresh(clock_());
      for (const Module& module : one.host()->modules()) {
        SayFaults(module);
        if (module.instances().empty())
          why += fmt::format("; there is no device of {}{}{}", module.device().name,
                             module.trouble().empty() ? "" : ": ", module.trouble());
        for (const InstanceState& instance : module.instances()) {
          states.push_back(StateOf(module.device(), instance));
          DeviceState& state = states.back();
          state.file = one.file();
          state.index = numbers_.Of(state.id, state.uuid);
        }
      }
    }
    if (states.empty())
      return Error(StatusCode::kNotFound, "probe: {}",
                   why.empty() ? "there is no device" : why.substr(2));
    return states;
  }

  std::vector<SpecFaults> faults() const override {
    std::map<std::pair<std::string, std::string>, std::uint64_t> counts = old_faults_;
    for (const Loaded& one : loaded_) AddFaults(one, counts);
    std::vector<SpecFaults> faults;
    for (const auto& [key, count] : counts) faults.push_back({key.first, key.second, count});
    return faults;
  }

  int refused() const override {
    return static_cast<int>(
        std::ranges::count_if(loaded_, [](const Loaded& one) { return !one.problem().empty(); }));
  }

 private:
  using FaultKey = std::pair<std::string, std::string>;  // class, fault

  void LookAt(Loaded& one) {
    std::map<FaultKey, std::uint64_t> counts;
    AddFaults(one, counts);
    const bool had_host = one.host() != nullptr;
    const std::uint64_t reloads = one.reloads();
    if (!one.Look(*reader_, clock_)) return;
    // What is counted does not fall.
    if (one.reloads() != reloads)
      for (const auto& [key, count] : counts) old_faults_[key] += count;
    if (!one.problem().empty())
      log_.Say(fmt::format("probe: {}{}", one.problem(),
                           had_host ? "; the version before stays in use" : ""));
    else if (had_host)
      log_.Say(fmt::format("probe: {}: read anew", one.file()));
  }

  static void AddFaults(const Loaded& one, std::map<FaultKey, std::uint64_t>& counts) {
    if (one.host() == nullptr) return;
    for (const Module& module : one.host()->modules()) {
      const std::string& name = module.device().name;
      for (const auto& [fault, count] : module.CountedFaults())
        counts[{name, std::string(fault)}] += count;
    }
  }

  void SayFaults(const Module& module) {
    const std::int64_t now = clock_();
    const DeviceSpec& device = module.device();
    log_.See("probe: " + device.name, module.trouble(), now);
    for (const InstanceState& state : module.instances()) {
      const std::string name = fmt::format("probe: {} {}", device.name, state.instance.name);
      for (std::size_t i = 0; i < state.costs.size(); ++i)
        log_.See(fmt::format("{} {}", name, device.sources[i].name), state.costs[i].why, now);
      for (std::size_t i = 0; i < kFaultKinds; ++i)
        if (state.faults.Of(static_cast<Fault>(i)) > 0)
          log_.See(fmt::format("{}: values are dropped", name), std::string(kFaultNames[i]), now);
    }
  }

  struct Counted {
    std::int64_t time_ns = 0;
    double value = 0;
    device::Known per_s;
  };

  DeviceState StateOf(const DeviceSpec& device, const InstanceState& instance) {
    DeviceState state;
    state.name = device.name;
    state.id = device.name + "/" + instance.instance.name;
    for (std::size_t i = 0; i < device.exports.size(); ++i) {
      const std::string& metric = device.exports[i].name;
      if (metric == "health") state.gives_health = true;
      const Metric& at = instance.metrics[i];
      for (const NumberPlace& one : kNumbers)
        if (one.metric == metric) state.*one.place = NumberOf(at.value);
      for (const NumberPlace& one : kRates)
        if (one.metric == metric) state.*one.place = RateOf(state.id + " " + metric, at);
      TakeText(metric, at.value, state);
      TakeOwn(device.exports[i], at.value, state);
    }
    TakeSilence(device, instance, state);
    return state;
  }

  // Of a device that does not answer, or whose health cannot be told for that long, "ok" is not
  // known; one that had failed has still.
  void TakeSilence(const DeviceSpec& device, const InstanceState& instance, DeviceState& state) {
    const bool is_silent = instance.silent_rounds >= Module::kSilentRounds;
    const auto last = said_.find(state.id);
    if (is_silent || instance.unknown_health_rounds >= Module::kSilentRounds) {
      const bool had_failed = last != said_.end() && last->second.first == device::Verdict::kFailed;
      state.said_health = had_failed ? device::Verdict::kFailed : device::Verdict::kDegraded;
      state.said_reason = fmt::format(
          "{}{}", had_failed ? "it was failed, and since then " : "",
          is_silent ? instance.silence : "its health is unknown" + WhyUnknown(device, instance));
    } else if (instance.unknown_health_rounds > 0) {
      if (last == said_.end()) return;
      std::tie(state.said_health, state.said_reason) = last->second;
      return;
    }
    said_[state.id] = {state.said_health, state.said_reason};
  }

  static std::string WhyUnknown(const DeviceSpec& device, const InstanceState& instance) {
    const auto health = std::ranges::find(device.exports, "health", &Export::name);
    for (const int source : health->sources) {
      const std::string& why = instance.costs[static_cast<std::size_t>(source)].why;
      if (!why.empty()) return ": " + why;
    }
    return "";
  }

  static void TakeText(const std::string& metric, const Value& value, DeviceState& state) {
    if (value.is_absent()) return;
    if (metric == "model") state.name = TextOf(value);
    if (metric == "uuid" || (metric == "serial" && state.uuid.empty())) state.uuid = TextOf(value);
    if (metric == "serial") state.serial = TextOf(value);
    if (metric == "firmware") state.firmware = TextOf(value);
    if (metric == "driver") state.driver = TextOf(value);
    if (metric == "throttled" && !state.slowed_by) {
      const bool* const flag = value.If<bool>();
      state.slowed_by.emplace();
      if (flag != nullptr && *flag) state.slowed_by->push_back("unknown");
    }
    if (metric == "throttle_reason") state.slowed_by = std::vector{TextOf(value)};
    if (metric == "health_reason") state.said_reason = TextOf(value);
    if (metric != "health") return;
    const std::string word = TextOf(value);
    state.said_health = word == "failed"     ? device::Verdict::kFailed
                        : word == "degraded" ? device::Verdict::kDegraded
                                             : device::Verdict::kOk;
  }

  // States and texts have no number.
  static void TakeOwn(const Export& metric, const Value& value, DeviceState& state) {
    if (FindStandard(metric.name) != nullptr) return;
    device::Known number = NumberOf(value);
    if (metric.kind == MetricKind::kState) return;
    if (const bool* const flag = value.If<bool>()) number = *flag ? 1 : 0;
    if (number) state.own.push_back({metric.name, metric.unit, *number});
  }

  device::Known RateOf(const std::string& key, const Metric& metric) {
    const device::Known value = NumberOf(metric.value);
    if (!value) {
      counted_.erase(key);
      return std::nullopt;
    }
    const auto [found, is_new] = counted_.try_emplace(key, Counted{metric.time_ns, *value, {}});
    Counted& last = found->second;
    if (is_new || metric.time_ns <= last.time_ns) return last.per_s;
    // A counter that falls began again.
    const double seconds = static_cast<double>(metric.time_ns - last.time_ns) * 1e-9;
    const device::Known per_s =
        *value >= last.value ? device::Known((*value - last.value) / seconds) : std::nullopt;
    last = {metric.time_ns, *value, per_s};
    return per_s;
  }

  const Clock clock_;
  FaultLog log_;
  const std::unique_ptr<SourceReader> reader_;
  std::vector<Loaded> loaded_;
  std::map<FaultKey, std::uint64_t> old_faults_;  // of versions that are no longer in use
  Numbers numbers_;
  std::map<std::string, Counted> counted_;
  // What a device's health was when it was known last.
  std::map<std::string, std::pair<std::optional<device::Verdict>, std::string>> said_;
};

}  // namespace

std::unique_ptr<ProbeBackend> OpenProbeBackend(ProbeBackendOptions options) {
  return std::make_unique<LiveProbes>(options);
}

Status CheckSpecs(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    RS_RETURN_IF_ERROR(VersionOf(file).status());
    RS_RETURN_IF_ERROR(ReadSpec(file).status());
  }
  return OkStatus();
}

}  // namespace rankscope::probe
