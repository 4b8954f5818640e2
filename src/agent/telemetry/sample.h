// The numbers of a source, and their origin.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "quantity/quantity.h"

namespace rankscope::agent {

// A family in Prometheus's terms: a quantity under its full name. Static (MetricOf).
struct Metric {
  std::string_view name;  // "rankscope_cpu_seconds_total": with its unit
  quantity::Kind kind = quantity::Kind::kGauge;
  std::string_view help;
};

using Labels = std::vector<std::pair<std::string, std::string>>;

struct Reading {
  const Metric* metric = nullptr;
  Labels labels;
  double value = 0;  // finite: what is unknown is no reading
};

struct Readings {
  std::vector<Reading> all;
  std::uint64_t unreadable = 0;  // fields that were no numbers: left out, never 0

  // Labels: of quantity::LabelsOf.
  void Add(const quantity::Quantity& quantity, Labels labels, double value);
};

// A source that can be read repeatedly. `read` may block as long as the files of /proc and /sys do.
// kNotFound: this host does not have it.
struct Source {
  std::string_view name;  // "cpu"
  std::chrono::milliseconds interval{10'000};
  std::function<Status(const std::string& root, Readings& readings)> read;
};

// All sources of the host. `root` is a prefix of /proc and /sys.
const std::vector<Source>& HostSources();

}  // namespace rankscope::agent
