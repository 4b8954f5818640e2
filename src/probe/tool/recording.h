// Readings kept in a file, so that an odd machine can become a test: JSON, one object per line.
//
//   {"schema":"rankscope.probe_recording/1","file":"chip.probe"}
//   {"round":1000}                                               nanoseconds of the machine's clock
//   {"pattern":"/sys/class/accel/accel*","folders":["/sys/class/accel/accel0"]}
//   {"class":"Chip","instance":"accel0","source":"raw","value":{"i64":5},"fault":"none","why":""}
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "probe/source/reading.h"

namespace rankscope::probe {

// Reads through another reader, and appends each result to `out`.
class RecordingReader final : public SourceReader {
 public:
  RecordingReader(SourceReader& of, std::string& out) : of_(of), out_(out) {}

  void WriteHead(std::string_view file);
  void BeginRound(std::int64_t now_ns);
  std::vector<std::string> Folders(const std::string& pattern) override;
  Reading Read(const DeviceSpec& device, int source, const Instance& instance,
               std::span<const Value> arguments) override;
  void Forget(const Instance& instance) override { of_.Forget(instance); }

 private:
  SourceReader& of_;
  std::string& out_;
};

// Returns what was recorded last, up to the round. Sources without a record are missing.
class ReplayReader final : public SourceReader {
 public:
  // kBadData with file and line. O(text).
  static Result<std::unique_ptr<ReplayReader>> Parse(std::string_view text,
                                                     const std::string& file);

  const std::vector<std::int64_t>& rounds() const { return rounds_; }
  void BeginRound(std::size_t round);
  std::vector<std::string> Folders(const std::string& pattern) override;
  Reading Read(const DeviceSpec& device, int source, const Instance& instance,
               std::span<const Value> arguments) override;

 private:
  struct Line {
    std::size_t round = 0;
    std::string key;
    Reading reading;
    std::vector<std::string> folders;
  };
  Status ParseLine(std::string_view line);

  std::vector<std::int64_t> rounds_;
  std::vector<Line> lines_;
  std::size_t next_line_ = 0;
  std::map<std::string, const Line*> last_;
};

}  // namespace rankscope::probe
