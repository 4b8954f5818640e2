// QualityLog: problems of an input, one entry per kind of problem with a count and the first place.
#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

class QualityLog {
 public:
  // Counts a problem. Problems with equal code and `what` share an entry with the smallest byte.
  // `what` is a sentence without varying numbers, so a damaged file of any size gives a short list.
  void Add(QualityCode code, std::int64_t byte, std::string_view what, std::int64_t count = 1);
  void Merge(const QualityLog& other);
  const std::vector<QualityEntry>& entries() const { return entries_; }
  // In order of place; whole-file entries last.
  std::vector<QualityEntry> TakeSorted();

 private:
  std::vector<QualityEntry> entries_;
};

}  // namespace rankscope
