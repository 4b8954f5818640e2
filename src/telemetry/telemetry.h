// Telemetry: the samples of a job in memory, 40 bytes each: names, hosts and units once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/samples.h"

namespace rankscope {

class Telemetry {
 public:
  static constexpr std::int64_t kNoRank = -1;
  struct Row {
    std::int64_t time_ns = 0;  // since 1970, by the host's clock
    std::int64_t rank = kNoRank;
    double value = 0;
    std::uint32_t name = 0, host = 0, unit = 0;  // Text
  };

  void Add(const std::vector<MetricSample>& samples);

  bool empty() const { return rows_.empty(); }
  // As they were added.
  std::span<const Row> rows() const { return rows_; }
  std::string_view Text(std::uint32_t id) const { return texts_[id]; }

 private:
  std::uint32_t IdOf(const std::string& text);
  std::vector<Row> rows_;
  std::vector<std::string> texts_;
  std::map<std::string, std::uint32_t, std::less<>> ids_;
};

// Files of samples beside traces end so.
bool IsTelemetryName(std::string_view path);
// NAME.telemetry.json. kBadData for what holds no samples, kResource beyond 1 GiB.
Result<std::vector<MetricSample>> ReadTelemetryFile(const std::string& path);

}  // namespace rankscope
