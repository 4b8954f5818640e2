// CopySum: bytes, durations and bandwidth of a group of copies or memsets.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interval.h"
#include "base/saturating.h"
#include "table/table.h"
#include "trace/trace.h"

namespace rankscope {

class CopySum {
 public:
  // `row` is a copy or memset of the trace.
  void Add(const RankTrace& trace, Row row) {
    ++count_;
    const std::int64_t duration = trace.dur_ns[row];
    AddSaturating(total_ns_, duration);
    extents_.push_back({trace.ts_ns[row], trace.end_ns(row)});
    const std::int64_t bytes = trace.aux[row] == kNoAux ? -1 : trace.copies[trace.aux[row]].bytes;
    if (bytes < 0) return;
    ++with_bytes_;
    AddSaturating(bytes_, bytes);
    AddSaturating(ns_of_bytes_, duration);
  }

  std::int64_t count() const { return count_; }
  std::int64_t total_ns() const { return total_ns_; }
  // United time; consumes the extents.
  std::int64_t BusyNs() { return Total(Normalise(std::move(extents_))); }
  // Null when no copy of the group states its bytes.
  Value Bytes() const { return with_bytes_ > 0 ? Value(bytes_) : Value(kNull); }
  // Bytes per second of copying, over the copies that state their bytes; null without any.
  Value BytesPerSecond() const {
    return with_bytes_ > 0 && ns_of_bytes_ > 0
               ? Value(1e9 * static_cast<double>(bytes_) / static_cast<double>(ns_of_bytes_))
               : Value(kNull);
  }

 private:
  std::int64_t count_ = 0;
  std::int64_t with_bytes_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t ns_of_bytes_ = 0;
  std::int64_t total_ns_ = 0;
  std::vector<Interval> extents_;
};

}  // namespace rankscope
