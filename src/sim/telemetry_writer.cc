#include "sim/telemetry_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/file.h"
#include "json/writer.h"
#include "quantity/quantity.h"
#include "quantity/slowdowns.h"
#include "sim/engine/recorder.h"

namespace rankscope::sim {
namespace {

namespace q = quantity;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kInterval = 5 * kSecond;
constexpr std::int64_t kBefore = 60 * kSecond;

// An A100 under load.
constexpr double kClockHz = 1.41e9;
constexpr double kMemoryBytes = 80e9;

// What the causes that strike a rank make of its device and host.
struct Struck {
  double slower_device = 0;  // share of time added
  double slower_host = 0;
};

Struck StruckAt(const SimulateOptions& options, int rank) {
  Struck struck;
  for (const PlantedCause& cause : options.causes) {
    if (!cause.StrikesRank(rank)) continue;
    if (cause.cause == CauseId::kPowerThrottle) struck.slower_device += cause.severity;
    if (cause.cause == CauseId::kCpuContention) struck.slower_host += cause.severity;
  }
  return struck;
}

// A sample a line.
class SampleWriter {
 public:
  explicit SampleWriter(AtomicFile& file) : file_(file) { json_.BeginArray(); }

  void Add(std::int64_t time_ns, int rank, std::string_view name, double value,
           std::string_view unit) {
    json_.Line().BeginObject();
    json_.Member("time", std::to_string(time_ns)).Member("rank", rank);
    json_.Member("host", fmt::format("node{}", rank / kDevicesPerHost)).Member("name", name);
    json_.Member("value", value).Member("unit", unit).EndObject();
  }
  Status Flush() {
    const Status written = file_.Write(text_.data(), text_.size());
    text_.clear();
    return written;
  }
  Status End() {
    text_ += '\n';
    json_.EndArray();
    text_ += '\n';
    return Flush();
  }

 private:
  AtomicFile& file_;
  std::string text_;
  json::Writer json_{text_};
};

void AddSamples(std::int64_t time_ns, int rank, const Struck& struck, SampleWriter& writer) {
  const double speed = 1 / (1 + struck.slower_device);
  const bool is_hot = struck.slower_device > 0;
  const double waits = struck.slower_host / (1 + struck.slower_host);
  const auto add = [&](const q::Quantity& quantity, double value) {
    writer.Add(time_ns, rank, quantity.name, value, quantity.unit);
  };
  add(q::kDeviceBusy, 0.97);
  add(q::kDeviceSmActive, 0.78);
  add(q::kDeviceSmClock, kClockHz * speed);
  add(q::kDeviceSmClockMax, kClockHz);
  writer.Add(time_ns, rank, q::SlowedBy(q::kHardwareThermal), is_hot ? 1 : 0, "ratio");
  add(q::kDeviceTemperature, is_hot ? 91 : 63);
  add(q::kDevicePower, 380 * speed);
  add(q::kDeviceMemoryUsed, 0.8 * kMemoryBytes);
  add(q::kDeviceMemoryTotal, kMemoryBytes);
  add(q::kProcessCoreWait, std::max(0.002, waits));
}

}  // namespace

bool HasTelemetry(const SimulateOptions& options) {
  return options.telemetry || std::ranges::any_of(options.causes, [](const PlantedCause& cause) {
           return cause.cause == CauseId::kPowerThrottle || cause.cause == CauseId::kCpuContention;
         });
}

Status WriteTelemetry(const std::string& path, const JobPlan& plan, std::int64_t job_ns) {
  RS_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(path));
  SampleWriter writer(*file);
  const SimulateOptions& options = plan.options();
  for (int rank = 0; rank < options.ranks; ++rank) {
    if (std::ranges::binary_search(options.missing_ranks, rank)) continue;
    const Struck struck = StruckAt(options, rank);
    for (std::int64_t at = -kBefore; at <= job_ns; at += kInterval)
      AddSamples(kBaseNs + kJobStartNs + plan.clock(rank).offset_ns + at, rank, struck, writer);
    RS_RETURN_IF_ERROR(writer.Flush());
  }
  RS_RETURN_IF_ERROR(writer.End());
  return file->Commit();
}

}  // namespace rankscope::sim
