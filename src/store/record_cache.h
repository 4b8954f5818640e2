// RecordCache: parsed records of a database, by their versions, so that a list of 10,000 runs
// parses only those that have changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "store/run.h"

namespace rankscope::store {

// Safe for many threads. Keeps the most recently used, up to `most_bytes` of records.
class RecordCache {
 public:
  explicit RecordCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Null if the cache does not have that version.
  std::shared_ptr<const Run> Find(std::string_view id, std::int64_t version);
  // The version in the cache; -1 if none.
  std::int64_t VersionOf(std::string_view id) const;
  // `bytes` of its record.
  void Put(std::shared_ptr<const Run> run, std::int64_t version, std::size_t bytes);
  void Remove(std::string_view id);

 private:
  struct Kept {
    std::shared_ptr<const Run> run;
    std::int64_t version = 0;
    std::size_t bytes = 0;
    std::list<std::string>::iterator place;
  };
  void DropLocked(std::map<std::string, Kept, std::less<>>::iterator kept);

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::map<std::string, Kept, std::less<>> kept_;
  std::list<std::string> used_;  // the last first
  std::size_t bytes_ = 0;
};

}  // namespace rankscope::store
