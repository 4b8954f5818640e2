#include "probe/run/module.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/letter_case.h"
#include "probe/run/interpreter.h"
#include "probe/source/paths.h"

namespace rankscope::probe {
namespace {

// Whether the process that answered is no more.
bool IsLost(ReadFault fault) {
  return fault == ReadFault::kStuck || fault == ReadFault::kCrashed ||
         fault == ReadFault::kCorrupt || fault == ReadFault::kGone;
}

bool HasLost(const SourceCost& cost) { return IsLost(cost.fault); }

}  // namespace

Module::Module(const DeviceSpec& device, SourceReader& reader, Clock clock)
    : Module(std::make_unique<Interpreter>(device), reader, std::move(clock)) {}

Module::Module(std::unique_ptr<const Program> program, SourceReader& reader, Clock clock)
    : program_(std::move(program)),
      device_(program_->device()),
      reader_(reader),
      clock_(std::move(clock)) {
  for (const Source& source : device_.sources) {
    const bool is_known = std::ranges::count(periods_, source.every_ns, &Period::every_ns) > 0;
    if (source.is_needed && source.every_ns != kForever && !is_known)
      periods_.push_back({source.every_ns, 0});
  }
  // Sources that are read once are tried again with those that state nothing.
  if (periods_.empty()) periods_.push_back({kDefaultEvery_ns, 0});
}

InstanceState Module::Empty(const Instance& instance) const {
  InstanceState state;
  state.instance = instance;
  state.metrics.resize(device_.exports.size());
  state.samples.now.resize(device_.sources.size());
  state.samples.before.resize(device_.sources.size());
  state.memory = program_->NewMemory();
  state.costs.resize(device_.sources.size());
  state.retry_ns.resize(device_.sources.size());
  return state;
}

void Module::ReadForDiscovery(InstanceState& state, std::int64_t now_ns) {
  for (const int source : device_.discovery)
    ReadOne(state, static_cast<std::size_t>(source), now_ns);
}

bool Module::IsWanted(const Instance& candidate, std::int64_t now_ns) {
  if (device_.where < 0) return true;
  InstanceState state = Empty(candidate);
  ReadForDiscovery(state, now_ns);
  const Value value = program_->Where({state.samples, candidate.index, state.faults});
  const bool* const flag = value.If<bool>();
  return flag != nullptr && *flag;
}

std::vector<Instance> Module::FindInstances(std::int64_t now_ns) {
  trouble_.clear();
  const std::string name = LowerCase(device_.name);
  if (device_.instances == InstanceKind::kOne) return {{.name = name}};
  std::vector<Instance> found;
  if (device_.instances == InstanceKind::kGlob) {
    bool has_more = false;
    for (std::string& folder : reader_.Folders(device_.pattern)) {
      Instance one;
      one.name = NameOfMatch(folder, device_.pattern);
      one.index = static_cast<std::int64_t>(found.size());
      one.folder = std::move(folder);
      const bool is_wanted = !has_more && IsWanted(one, now_ns);
      if (is_wanted && found.size() < kMostInstances) {
        found.push_back(std::move(one));
        continue;
      }
      reader_.Forget(one);
      has_more = has_more || is_wanted;
    }
    if (has_more) TellTooMany();
    return found;
  }
  InstanceState state = Empty({.name = name});
  ReadForDiscovery(state, now_ns);
  const Value count = program_->Count({state.samples, 0, state.faults});
  for (const SourceCost& cost : state.costs)
    if (!cost.why.empty()) trouble_ = cost.why;
  AddFaults(state, old_faults_);
  // A library that hangs does not take its devices away: they are told as what does not answer.
  if (count.is_absent() && std::ranges::any_of(state.costs, HasLost)) return Known();
  std::uint64_t number = 0;
  if (const auto* whole = count.If<std::int64_t>(); whole != nullptr && *whole > 0)
    number = static_cast<std::uint64_t>(*whole);
  if (const auto* natural = count.If<std::uint64_t>()) number = *natural;
  if (number > kMostInstances) TellTooMany();
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(number, kMostInstances); ++i)
    found.push_back({.name = fmt::format("{}{}", name, i), .index = static_cast<std::int64_t>(i)});
  return found;
}

void Module::TellTooMany() {
  trouble_ = fmt::format(
      "there are more than {} devices, the first of which are read; narrow "
      "`instances`",
      kMostInstances);
}

std::vector<Instance> Module::Known() const {
  std::vector<Instance> known;
  for (const InstanceState& state : instances_) known.push_back(state.instance);
  return known;
}

// An instance that stays keeps what is known of it.
void Module::Discover(std::int64_t now_ns) {
  std::vector<InstanceState> next;
  for (const Instance& one : FindInstances(now_ns)) {
    const auto known = std::ranges::find_if(instances_, [&](const InstanceState& state) {
      return state.instance.name == one.name && state.instance.folder == one.folder;
    });
    next.push_back(known == instances_.end() ? Empty(one) : std::move(*known));
    if (known != instances_.end()) {
      instances_.erase(known);
      next.back().instance.index = one.index;
    }
  }
  for (const InstanceState& lost : instances_) {
    AddFaults(lost, old_faults_);
    reader_.Forget(lost.instance);
  }
  instances_ = std::move(next);
  discover_due_ns_ = now_ns + kDiscoverEvery_ns;
  is_gone_ = false;
}

void Module::AddFaults(const InstanceState& state,
                       std::map<std::string_view, std::uint64_t>& counts) {
  for (const SourceCost& cost : state.costs)
    for (std::size_t i = 1; i < kReadFaults; ++i)
      if (cost.faults[i] > 0) counts[ToString(static_cast<ReadFault>(i))] += cost.faults[i];
  for (std::size_t i = 0; i < kFaultKinds; ++i)
    if (const std::uint64_t count = state.faults.Of(static_cast<Fault>(i)); count > 0)
      counts[kFaultNames[i]] += count;
}

std::map<std::string_view, std::uint64_t> Module::CountedFaults() const {
  std::map<std::string_view, std::uint64_t> counts = old_faults_;
  for (const InstanceState& state : instances_) AddFaults(state, counts);
  return counts;
}

bool Module::Refresh(std::int64_t now_ns) {
  const bool is_first = rounds_ == 0;
  if (!is_first && now_ns < next_due_ns_) return false;
  if (is_first || is_gone_ || now_ns >= discover_due_ns_) Discover(now_ns);
  for (InstanceState& state : instances_) ReadDue(state, now_ns);
  for (Period& period : periods_) {
    if (is_first) period.due_ns = now_ns;
    // To the next multiple behind now, however many were missed.
    if (now_ns >= period.due_ns)
      period.due_ns += ((now_ns - period.due_ns) / period.every_ns + 1) * period.every_ns;
  }
  next_due_ns_ = std::ranges::min(periods_, {}, &Period::due_ns).due_ns;
  ++rounds_;
  return true;
}

bool Module::IsDue(const InstanceState& state, std::size_t source, std::int64_t now_ns) const {
  if (!device_.sources[source].is_needed) return false;
  if (state.costs[source].reads == 0) return true;
  if (device_.sources[source].every_ns == kForever)
    return state.samples.now[source].value.is_absent() && now_ns >= state.retry_ns[source];
  const auto period =
      std::ranges::find(periods_, device_.sources[source].every_ns, &Period::every_ns);
  return now_ns >= period->due_ns;
}

void Module::ReadDue(InstanceState& state, std::int64_t now_ns) {
  std::vector<char> is_read(device_.sources.size());
  for (std::size_t i = 0; i < is_read.size(); ++i) {
    if (!IsDue(state, i, now_ns)) continue;
    ReadOne(state, i, now_ns);
    is_read[i] = 1;
  }
  CountSilence(state, is_read);
  TakeMetrics(state, is_read);
}

// A call that is lost stays so until it has an answer, whatever others have in between.
void Module::CountSilence(InstanceState& state, const std::vector<char>& is_read) const {
  bool is_lost = false, is_stuck = false, was_asked = false;
  for (std::size_t i = 0; i < is_read.size(); ++i) {
    const Source& source = device_.sources[i];
    if (source.kind != SourceKind::kCall || !source.is_needed) continue;
    const ReadFault fault = state.costs[i].fault;
    was_asked = was_asked || (is_read[i] != 0 && IsLost(fault));
    is_lost = is_lost || IsLost(fault);
    is_stuck = is_stuck || fault == ReadFault::kStuck;
  }
  if (was_asked) ++state.silent_rounds;
  if (!is_lost) state.silent_rounds = 0;
  state.silence = !is_lost ? "" : is_stuck ? "driver-stuck" : "driver-crashed";
}

void Module::ReadOne(InstanceState& state, std::size_t index, std::int64_t now_ns) {
  const Source& source = device_.sources[index];
  SourceCost& cost = state.costs[index];
  Sample& now = state.samples.now[index];
  state.samples.before[index] = std::move(now);
  now = {.value = {}, .time_ns = now_ns};
  ++cost.reads;
  if (source.kind == SourceKind::kClock) {
    now.value = {now_ns};
    return;
  }
  std::optional<Reading> asked = Ask(state, index);
  const bool is_call = source.kind == SourceKind::kCall;
  if (is_call && asked && asked->fault == ReadFault::kGone) {
    // Another device ended the common process: what was read once is read again from the new one.
    for (const int argument : ForgetArguments(state, source))
      ReadOne(state, static_cast<std::size_t>(argument), now_ns);
    asked = Ask(state, index);
  }
  // What a call needs is not there: it is not made.
  if (!asked) return;
  Reading& reading = *asked;
  const bool is_fault = reading.fault != ReadFault::kNone &&
                        !(source.is_optional && reading.fault == ReadFault::kMissing);
  if (is_fault) ++cost.faults[static_cast<std::size_t>(reading.fault)];
  cost.fault = is_fault ? reading.fault : ReadFault::kNone;
  cost.why = is_fault ? reading.why : "";
  if (reading.fault == ReadFault::kGone && source.kind == SourceKind::kFile) is_gone_ = true;
  if (is_call && IsLost(reading.fault)) ForgetArguments(state, source);
  if (reading.value.is_absent()) state.retry_ns[index] = now_ns + kDefaultEvery_ns;
  now.value = std::move(reading.value);
}

// nullopt: an argument is absent.
std::optional<Reading> Module::Ask(InstanceState& state, std::size_t index) {
  const Source& source = device_.sources[index];
  std::vector<Value> arguments;
  for (std::size_t i = 0; i < source.arguments.size(); ++i) {
    if (source.arguments[i].kind == CallArgument::Kind::kOut) continue;
    arguments.push_back(program_->Argument(static_cast<int>(index), static_cast<int>(i),
                                           {state.samples, state.instance.index, state.faults}));
    if (arguments.back().is_absent()) return std::nullopt;
  }
  const std::int64_t begin = clock_();
  Reading reading = reader_.Read(device_, static_cast<int>(index), state.instance, arguments);
  const std::int64_t took = std::max<std::int64_t>(clock_() - begin, 0);
  state.costs[index].sum_ns += took;
  state.costs[index].most_ns = std::max(state.costs[index].most_ns, took);
  return reading;
}

// What was read once from a library's process is of no use to its successor.
std::vector<int> Module::ForgetArguments(InstanceState& state, const Source& call) const {
  std::vector<int> forgotten;
  for (const CallArgument& argument : call.arguments) {
    for (const int index : argument.sources) {
      const auto at = static_cast<std::size_t>(index);
      if (device_.sources[at].every_ns != kForever) continue;
      state.samples.now[at].value = {};
      state.retry_ns[at] = 0;
      forgotten.push_back(index);
    }
  }
  return forgotten;
}

void Module::TakeHealth(InstanceState& state, const Export& health,
                        const std::vector<char>& is_read, Value& value) {
  if (state.silent_rounds >= kSilentRounds) value = {std::string("degraded")};
  const bool is_read_now = std::ranges::any_of(
      health.sources, [&](int source) { return is_read[static_cast<std::size_t>(source)] != 0; });
  if (!value.is_absent()) {
    state.unknown_health_rounds = 0;
  } else if (is_read_now || health.sources.empty()) {
    ++state.unknown_health_rounds;
  }
}

void Module::TakeMetrics(InstanceState& state, const std::vector<char>& is_read) {
  std::vector<Value> values(device_.exports.size());
  program_->Evaluate({state.samples, state.instance.index, state.faults}, is_read, *state.memory,
                     values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Export& one = device_.exports[i];
    Metric& metric = state.metrics[i];
    metric.value = std::move(values[i]);
    if (one.name == "health") TakeHealth(state, one, is_read, metric.value);
    if (one.name == "health_reason" && state.silent_rounds >= kSilentRounds)
      metric.value = {std::string(state.silence)};
    metric.time_ns = 0;
    for (const int source : one.sources) {
      const std::int64_t time = state.samples.now[static_cast<std::size_t>(source)].time_ns;
      if (metric.time_ns == 0 || time < metric.time_ns) metric.time_ns = time;
    }
  }
}

}  // namespace rankscope::probe
