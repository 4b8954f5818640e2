#include "agent/run_samples.h"

#include <algorithm>
#include <set>

#include "agent/device_numbers.h"
#include "json/writer.h"
#include "quantity/slowdowns.h"

namespace rankscope::agent {
namespace {

using device::DeviceState;

bool IsUsedBy(const DeviceState& state, pid_t pid) {
  return state.processes && std::ranges::find(*state.processes, pid, &device::DeviceProcess::pid) !=
                                state.processes->end();
}

// local_rank below 0: not known.
const DeviceState* DeviceOf(const std::vector<DeviceState>& states, pid_t pid,
                            std::int64_t local_rank) {
  for (const DeviceState& state : states) {
    if (IsUsedBy(state, pid)) return &state;
  }
  // In a container the driver says other numbers, or none.
  for (const DeviceState& state : states) {
    if (state.index == local_rank) return &state;
  }
  return nullptr;
}

// The samples of a rank, as JSON.
class SampleLines {
 public:
  SampleLines(std::int64_t rank, std::string_view host) : rank_(rank), host_(host) {
    writer_.BeginArray();
  }
  void Add(std::int64_t unix_us, std::string_view name, std::string_view unit, double value) {
    is_empty_ = false;
    // Nanoseconds are more than a double holds.
    writer_.BeginObject().Member("time", std::to_string(unix_us * 1000));
    writer_.Member("name", name).Member("unit", unit).Member("rank", rank_);
    writer_.Member("value", value).Member("host", host_).EndObject();
  }
  std::string Done() && {
    writer_.EndArray();
    return is_empty_ ? std::string() : std::move(json_);
  }

 private:
  std::string json_;
  json::Writer writer_{json_};
  bool is_empty_ = true;
  const std::int64_t rank_;
  const std::string_view host_;
};

}  // namespace

std::string RunSamplesJson(const std::vector<DevicesThen>& history,
                           const std::vector<HostSample>& of_host, const CaptureMember& member,
                           const std::vector<Process>& processes, std::string_view host) {
  if (!member.rank) return {};
  const auto process = std::ranges::find_if(
      processes, [&](const Process& one) { return one.info.pid == member.pid; });
  const std::int64_t local_rank =
      process == processes.end() ? -1 : process->info.local_rank.value_or(-1);
  // That they are not so is worth knowing, too.
  const auto defects = quantity::SlowdownDefects();
  std::set<std::string> reasons(defects.begin(), defects.end());
  for (const DevicesThen& then : history) {
    const DeviceState* state = DeviceOf(then.states, member.pid, local_rank);
    if (state != nullptr && state->slowed_by)
      reasons.insert(state->slowed_by->begin(), state->slowed_by->end());
  }
  SampleLines samples(*member.rank, host);
  for (const DevicesThen& then : history) {
    const DeviceState* state = DeviceOf(then.states, member.pid, local_rank);
    if (state == nullptr) continue;
    for (const DeviceNumber& told : DeviceNumbers()) {
      if (const device::Known& value = state->*told.place)
        samples.Add(then.unix_us, told.quantity->name, told.quantity->unit, *value);
    }
    if (!state->slowed_by) continue;
    for (const std::string& reason : reasons) {
      const bool is_so = std::ranges::find(*state->slowed_by, reason) != state->slowed_by->end();
      samples.Add(then.unix_us, quantity::SlowedBy(reason), "", is_so ? 1 : 0);
    }
  }
  for (const HostSample& one : of_host) {
    if (one.pid == 0 || one.pid == member.pid)
      samples.Add(one.unix_us, one.quantity->name, one.quantity->unit, one.value);
  }
  return std::move(samples).Done();
}

}  // namespace rankscope::agent
