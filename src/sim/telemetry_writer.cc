#include "sim/telemetry_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/file.h"
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

class Writer {
 public:
  explicit Writer(AtomicFile& file) : file_(file) {}

  void Add(std::int64_t time_ns, int rank, std::string_view name, double value,
           std::string_view unit) {
    fmt::format_to(std::back_inserter(text_),
                   "{}{{\"time\":\"{}\",\"rank\":{},\"host\":\"node{}\",\"name\":\"{}\","
                   "\"value\":{},\"unit\":\"{}\"}}",
                   is_first_ ? "[\n" : ",\n", time_ns, rank, rank / kDevicesPerHost, name, value,
                   unit);
    is_first_ = false;
  }
  Status Flush(bool is_end) {
    if (is_end) text_ += is_first_ ? "[]\n" : "\n]\n";
    const Status written = file_.Write(text_.data(), text_.size());
    text_.clear();
    return written;
  }

 private:
  AtomicFile& file_;
  std::string text_;
  bool is_first_ = true;
};

void AddSamples(std::int64_t time_ns, int rank, const Struck& struck, Writer& writer) {
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
  Writer writer(*file);
  const SimulateOptions& options = plan.options();
  for (int rank = 0; rank < options.ranks; ++rank) {
    if (std::ranges::binary_search(options.missing_ranks, rank)) continue;
    const Struck struck = StruckAt(options, rank);
    for (std::int64_t at = -kBefore; at <= job_ns; at += kInterval)
      AddSamples(kBaseNs + kJobStartNs + plan.clock(rank).offset_ns + at, rank, struck, writer);
    RS_RETURN_IF_ERROR(writer.Flush(false));
  }
  RS_RETURN_IF_ERROR(writer.Flush(true));
  return file->Commit();
}

}  // namespace rankscope::sim
