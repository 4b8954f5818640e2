// RowFeed: how a single-threaded reader hands rows to a TraceBuilder, one after the other. Rows
// come in the order of the file; their index is their source.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/builder.h"

namespace rankscope {

// A size or count as stored in the model's tables; -1 (unknown) if it is negative or does not fit.
inline std::int32_t Narrow(std::int64_t value) {
  return value >= 0 && value <= INT32_MAX ? static_cast<std::int32_t>(value) : -1;
}

// Kind, place and time of a row. `end_ns` before `ts_ns` means an unknown duration, and is
// reported.
struct FedRow {
  EventKind kind = EventKind::kOther;
  std::string_view category;
  std::string_view name;
  std::int64_t ts_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t track = 0;
  std::int64_t correlation = kNoCorrelation;
};

class RowFeed {
 public:
  // Strings longer than 64 KiB are cut, and bytes that are not UTF-8 replaced; both are reported.
  StringId Intern(std::string_view text);
  // A timeline: (pid, tid) or (device, stream).
  std::uint32_t Track(Domain domain, std::int64_t first, std::int64_t second);
  void NameThread(std::int64_t pid, std::int64_t tid, std::string_view name);
  void NameProcess(std::int64_t pid, std::string_view name);

  // An event with its side table; each kind has its overload. A row with times out of range is
  // skipped and reported.
  void Add(const FedRow& row);
  void Add(const FedRow& row, const KernelArgs& kernel) { AddWith(row, batch_.kernels, kernel); }
  void Add(const FedRow& row, const CopyArgs& copy) { AddWith(row, batch_.copies, copy); }
  void Add(const FedRow& row, const OpArgs& op) { AddWith(row, batch_.ops, op); }
  void StateStep(const StatedStep& step) { builder_.StateStep(step); }
  // An event that could not be read.
  void CountBad(std::string_view why, std::int64_t byte = -1);

  QualityLog& quality() { return quality_; }
  // Names in `meta` need not be UTF-8 either; they are repaired.
  RankTrace Finish(TraceMeta meta) &&;

 private:
  template <typename Args>
  void AddWith(const FedRow& row, std::vector<Args>& table, const Args& args) {
    if (!IsUsable(row)) return;
    table.push_back(args);
    AddRow(row, static_cast<std::uint32_t>(table.size() - 1));
  }
  bool IsUsable(const FedRow& row);
  void AddRow(const FedRow& row, std::uint32_t aux);
  void Flush();

  NameScope scope_;
  EventBatch batch_;
  TraceBuilder builder_;
  QualityLog quality_;
};

}  // namespace rankscope
