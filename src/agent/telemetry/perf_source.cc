#include "agent/telemetry/perf_source.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

struct Event {
  std::string_view name;
  PerfEvent event;
};
constexpr std::array<Event, 6> kEvents = {{
    {"cpu_clock", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK}},
    {"context_switches", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES}},
    {"cpu_migrations", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS}},
    {"page_faults", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}},
    {"cycles", {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES}},
    {"instructions", {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS}},
}};

// What is open of one event: all cores, or nothing.
class Opened {
 public:
  Opened() = default;
  ~Opened() { Close(); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  // 0, or errno of the first core that has none.
  int Open(const PerfOpen& open, const PerfEvent& event, int cores) {
    for (int cpu = 0; cpu < cores; ++cpu) {
      const int file = open(event, cpu);
      // A core that is switched off counts nothing.
      if (file == -ENODEV) continue;
      if (file < 0) {
        Close();
        return -file;
      }
      files_.push_back(file);
    }
    return files_.empty() ? ENODEV : 0;
  }
  bool is_open() const { return !files_.empty(); }
  std::optional<double> Sum() const {
    double sum = 0;
    for (const int file : files_) {
      std::uint64_t value = 0;
      if (read(file, &value, sizeof(value)) != sizeof(value)) return std::nullopt;
      sum += static_cast<double>(value);
    }
    return sum;
  }

 private:
  void Close() {
    for (const int file : files_) close(file);
    files_.clear();
  }
  std::vector<int> files_;
};

struct Counters {
  std::array<Opened, kEvents.size()> opened;
  bool is_tried = false;
  int wrong = 0;  // errno of the first event that has none
};

}  // namespace

int OpenPerfEvent(const PerfEvent& event, int cpu) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  constexpr int kAllProcesses = -1;
  const long file =
      syscall(SYS_perf_event_open, &attributes, kAllProcesses, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return file < 0 ? -errno : static_cast<int>(file);
}

Source PerfSource(PerfOpen open, int cores) {
  const auto counters = std::make_shared<Counters>();
  return {
      "perf", std::chrono::milliseconds(10'000),
      [open = std::move(open), cores, counters](const std::string&, Readings& readings) {
        bool any = false;
        for (std::size_t i = 0; i < kEvents.size(); ++i) {
          Opened& opened = counters->opened[i];
          const int wrong = counters->is_tried ? 0 : opened.Open(open, kEvents[i].event, cores);
          if (wrong != 0 && counters->wrong == 0) counters->wrong = wrong;
          if (!opened.is_open()) continue;
          any = true;
          if (const auto sum = opened.Sum()) {
            readings.Add(quantity::kPerfEvents, {{"event", std::string(kEvents[i].name)}}, *sum);
          } else {
            ++readings.unreadable;
          }
        }
        counters->is_tried = any;
        if (any) return OkStatus();
        const int why = std::exchange(counters->wrong, 0);
        return Error(StatusCode::kNotFound,
                     "perf_event_open: {}: it needs CAP_PERFMON, or "
                     "kernel.perf_event_paranoid of 0 or less",
                     std::strerror(why));
      }};
}

}  // namespace rankscope::agent
