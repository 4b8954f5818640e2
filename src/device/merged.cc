#include <algorithm>
#include <array>
#include <set>

#include "device/device.h"

namespace rankscope::device {
namespace {

using D = DeviceState;
constexpr std::array kNumbers = {
    &D::busy,
    &D::memory_busy,
    &D::memory_used_bytes,
    &D::memory_total_bytes,
    &D::power_watts,
    &D::power_limit_watts,
    &D::energy_joules,
    &D::sm_clock_hz,
    &D::memory_clock_hz,
    &D::sm_clock_max_hz,
    &D::temperature_celsius,
    &D::sm_active,
    &D::sm_occupancy,
    &D::tensor_active,
    &D::fp64_active,
    &D::fp32_active,
    &D::fp16_active,
    &D::dram_active,
    &D::pcie_sent_bytes_per_s,
    &D::pcie_received_bytes_per_s,
    &D::nvlink_sent_bytes_per_s,
    &D::nvlink_received_bytes_per_s,
    &D::corrected_errors,
    &D::uncorrected_errors,
};

bool AreOne(const DeviceState& a, const DeviceState& b) {
  return (!a.uuid.empty() && a.uuid == b.uuid) ||
         (!a.pci_address.empty() && a.pci_address == b.pci_address);
}

class Filled final : public Backend {
 public:
  Filled(std::unique_ptr<Backend> first, std::unique_ptr<Backend> second)
      : first_(std::move(first)), second_(std::move(second)) {}
  std::string_view name() const override { return first_->name(); }
  void SetCounting(Counting counting) override {
    first_->SetCounting(counting);
    second_->SetCounting(counting);
  }
  Result<std::vector<DeviceState>> Read() override {
    RS_ASSIGN_OR_RETURN(std::vector<DeviceState> states, first_->Read());
    const Result<std::vector<DeviceState>> more = second_->Read();
    if (!more.ok()) return states;
    return Merged(std::move(states), *more);
  }

 private:
  const std::unique_ptr<Backend> first_, second_;
};

}  // namespace

std::vector<DeviceState> Joining::Join(std::vector<DeviceState> first,
                                       std::vector<DeviceState> second) {
  std::set<int> of_first;
  int next = 0;
  for (const DeviceState& state : first) {
    of_first.insert(state.index);
    next = std::max(next, state.index + 1);
  }
  for (const auto& [own, number] : numbers_) next = std::max(next, number + 1);
  const std::size_t count = first.size();
  for (DeviceState& one : second) {
    const bool is_known =
        std::any_of(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(count),
                    [&](const DeviceState& state) { return AreOne(state, one); });
    if (is_known) continue;
    const auto [known, is_new] = numbers_.try_emplace(one.index, next);
    // The first has more devices than before.
    if (!is_new && of_first.contains(known->second)) known->second = next;
    next = std::max(next, known->second + 1);
    one.index = known->second;
    first.push_back(std::move(one));
  }
  return first;
}

std::unique_ptr<Backend> MakeFilled(std::unique_ptr<Backend> first,
                                    std::unique_ptr<Backend> second) {
  return std::make_unique<Filled>(std::move(first), std::move(second));
}

std::vector<DeviceState> Merged(std::vector<DeviceState> first,
                                const std::vector<DeviceState>& second) {
  for (DeviceState& state : first) {
    const auto other =
        std::ranges::find_if(second, [&](const DeviceState& one) { return AreOne(state, one); });
    // Of one that is lost nothing holds.
    if (other == second.end() || !state.problem.empty()) continue;
    for (const auto place : kNumbers) {
      if (!(state.*place)) state.*place = (*other).*place;
    }
    if (state.name.empty()) state.name = other->name;
    // Counts from different moments on are not mixed.
    if (!state.xid_errors) {
      state.xid_errors = other->xid_errors;
      state.last_xid = other->last_xid;
      state.xids = other->xids;
    }
    if (!state.slowed_by) state.slowed_by = other->slowed_by;
    if (!state.processes) state.processes = other->processes;
  }
  return first;
}

}  // namespace rankscope::device
