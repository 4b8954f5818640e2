// Telemetry: the files beside a job's traces, in memory: samples, 40 bytes each (names, hosts and
// units are stored once), and the windows of snoop and offcpu.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "snoop_file/read_windows.h"
#include "telemetry/samples.h"

namespace rankscope {

class Telemetry {
 public:
  static constexpr std::int64_t kNoRank = -1;
  struct Row {
    std::int64_t time_ns = 0;  // since 1970, by the host's clock
    std::int64_t rank = kNoRank;
    double value = 0;
    std::uint32_t name = 0, host = 0, unit = 0;  // indices of texts
  };

  void Add(const std::vector<MetricSample>& samples);

  bool empty() const { return rows_.empty() && windows_.empty(); }
  // In the order of insertion.
  std::span<const Row> rows() const { return rows_; }
  std::string_view Text(std::uint32_t id) const { return texts_[id]; }

  const snoop_file::Windows& windows() const { return windows_; }
  snoop_file::Windows& windows() { return windows_; }

 private:
  std::uint32_t IdOf(const std::string& text);
  std::vector<Row> rows_;
  std::vector<std::string> texts_;
  std::map<std::string, std::uint32_t, std::less<>> ids_;
  snoop_file::Windows windows_;
};

// Whether the name has the ending of a sample file beside traces.
bool IsTelemetryName(std::string_view path);
// Reads NAME.telemetry.json. kBadData if it is not a list of samples, kResource beyond 1 GiB.
Result<std::vector<MetricSample>> ReadTelemetryFile(const std::string& path);

// Whether a file beside traces is not a trace itself: samples, or a window of snoop or offcpu.
bool IsBesideTraces(std::string_view path);
// Adds the content of such a file. Errors as in ReadTelemetryFile and snoop_file::AddWindowFile.
Status AddFile(const std::string& path, Telemetry& telemetry);

}  // namespace rankscope
