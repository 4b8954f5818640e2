// NVIDIA's devices, by the page of a dcgm-exporter, which holds the counters that only one program
// at a time can have.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "device/device.h"
#include "device/last_xids.h"
#include "device/prometheus_text.h"

namespace rankscope::device {
namespace {

struct Field {
  std::string_view name;
  Known DeviceState::*place;
  double factor;
};
constexpr double kMib = 1048576;
// Names as the exporter has them, and as DCGM has had them since it renamed the counters.
constexpr std::array<Field, 30> kFields = {{
    {"DCGM_FI_DEV_GPU_UTIL", &DeviceState::busy, 0.01},
    {"DCGM_FI_DEV_MEM_COPY_UTIL", &DeviceState::memory_busy, 0.01},
    {"DCGM_FI_DEV_POWER_USAGE", &DeviceState::power_watts, 1},
    {"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", &DeviceState::power_limit_watts, 1},
    {"DCGM_FI_DEV_POWER_MGMT_LIMIT", &DeviceState::power_limit_watts, 1},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", &DeviceState::energy_joules, 1e-3},
    {"DCGM_FI_DEV_SM_CLOCK", &DeviceState::sm_clock_hz, 1e6},
    {"DCGM_FI_DEV_MEM_CLOCK", &DeviceState::memory_clock_hz, 1e6},
    {"DCGM_FI_DEV_GPU_TEMP", &DeviceState::temperature_celsius, 1},
    {"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", &DeviceState::corrected_errors, 1},
    {"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", &DeviceState::uncorrected_errors, 1},
    {"DCGM_FI_DEV_FB_USED", &DeviceState::memory_used_bytes, kMib},
    {"DCGM_FI_DEV_FB_TOTAL", &DeviceState::memory_total_bytes, kMib},
    {"DCGM_FI_PROF_SM_ACTIVE", &DeviceState::sm_active, 1},
    {"DCGM_FI_PROF_SM_OCCUPANCY", &DeviceState::sm_occupancy, 1},
    {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", &DeviceState::tensor_active, 1},
    {"DCGM_FI_PROF_DRAM_ACTIVE", &DeviceState::dram_active, 1},
    {"DCGM_FI_PROF_PIPE_FP64_ACTIVE", &DeviceState::fp64_active, 1},
    {"DCGM_FI_PROF_PIPE_FP32_ACTIVE", &DeviceState::fp32_active, 1},
    {"DCGM_FI_PROF_PIPE_FP16_ACTIVE", &DeviceState::fp16_active, 1},
    {"DCGM_FI_PROF_SM_UTIL_RATIO", &DeviceState::sm_active, 1},
    {"DCGM_FI_PROF_PIPE_TENSOR_UTIL_RATIO", &DeviceState::tensor_active, 1},
    {"DCGM_FI_PROF_DRAM_UTIL_RATIO", &DeviceState::dram_active, 1},
    {"DCGM_FI_PROF_PIPE_FP64_UTIL_RATIO", &DeviceState::fp64_active, 1},
    {"DCGM_FI_PROF_PIPE_FP32_UTIL_RATIO", &DeviceState::fp32_active, 1},
    {"DCGM_FI_PROF_PIPE_FP16_UTIL_RATIO", &DeviceState::fp16_active, 1},
    {"DCGM_FI_PROF_PCIE_TX_BYTES", &DeviceState::pcie_sent_bytes_per_s, 1},
    {"DCGM_FI_PROF_PCIE_RX_BYTES", &DeviceState::pcie_received_bytes_per_s, 1},
    {"DCGM_FI_PROF_NVLINK_TX_BYTES", &DeviceState::nvlink_sent_bytes_per_s, 1},
    {"DCGM_FI_PROF_NVLINK_RX_BYTES", &DeviceState::nvlink_received_bytes_per_s, 1},
}};

// What DCGM says of a field that it cannot read is a number from here on (its BLANK values of
// 64-bit, 32-bit and floating-point fields): 0x7ffffff0, 0x7ffffffffffffff0 and 2^47.
bool IsBlank(double value) {
  return (value >= 2147483632.0 && value <= 2147483647.0) || value >= 9.2e18 ||
         (value >= 140737488355328.0 && value <= 140737488355343.0);
}

class DcgmExporter final : public Backend {
 public:
  explicit DcgmExporter(std::function<Result<std::string>()> fetch) : fetch_(std::move(fetch)) {}
  std::string_view name() const override { return "dcgm"; }

  Result<std::vector<DeviceState>> Read() override {
    RS_ASSIGN_OR_RETURN(const std::string text, fetch_());
    std::map<int, DeviceState> states;
    for (const TextSample& sample : ParsePrometheusText(text).samples) TakeSample(sample, states);
    if (states.empty())
      return Error(StatusCode::kNotFound,
                   "dcgm: the page tells of no device (DCGM_FI_...{{gpu=...}})");
    std::vector<DeviceState> found;
    found.reserve(states.size());
    for (auto& [index, state] : states) found.push_back(std::move(state));
    return found;
  }

 private:
  void TakeSample(const TextSample& sample, std::map<int, DeviceState>& states) {
    if (!sample.name.starts_with("DCGM_FI_")) return;
    // Parts of a device (MIG) are none of their own here.
    if (!sample.Label("GPU_I_ID").empty()) return;
    const std::string_view gpu = sample.Label("gpu");
    int index = -1;
    const auto [end, error] = std::from_chars(gpu.data(), gpu.data() + gpu.size(), index);
    constexpr int kMostDevices = 1024;
    if (error != std::errc() || end != gpu.data() + gpu.size() || index < 0 ||
        index >= kMostDevices)
      return;
    DeviceState& state = states[index];
    state.index = index;
    if (state.uuid.empty()) state.uuid = sample.Label("UUID");
    if (state.name.empty()) state.name = sample.Label("modelName");
    if (IsBlank(sample.value) || sample.value < 0) return;
    if (sample.name == "DCGM_FI_DEV_XID_ERRORS") {
      xids_.Take(index, static_cast<unsigned>(std::min(sample.value, 1e6)), state);
      return;
    }
    const auto field = std::ranges::find(kFields, sample.name, &Field::name);
    if (field != kFields.end()) state.*field->place = sample.value * field->factor;
  }

  const std::function<Result<std::string>()> fetch_;
  LastXids xids_;
};

}  // namespace

std::unique_ptr<Backend> MakeDcgmExporter(std::function<Result<std::string>()> fetch) {
  return std::make_unique<DcgmExporter>(std::move(fetch));
}

}  // namespace rankscope::device
