// What fake libraries of accelerators know of the calls that were made of them: the truth that
// snoop's numbers are compared with. Addresses are handed out again after they were freed, as
// drivers do.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fake {

class Truth {
 public:
  // `first`: the first address that it gives. Those of two libraries are apart.
  explicit Truth(std::uint64_t first) : next_(first) {}
  static constexpr std::uint64_t kMostBytes = 1ULL << 40;  // of one allocation: more fails

  // False: there is no such memory, and the call fails.
  bool Allocate(const char* call, std::uint64_t bytes, std::uint64_t* address) {
    const std::scoped_lock lock(mutex_);
    Count& count = counts_[call];
    ++count.calls;
    if (bytes > kMostBytes) {
      ++count.failed;
      return false;
    }
    count.bytes += bytes;
    if (free_.empty()) {
      free_.push_back(next_);
      next_ += 1 << 20;
    }
    *address = free_.back();
    free_.pop_back();
    live_[*address] = bytes;
    return true;
  }
  // Of an address that the level below gave, or of a call that failed there.
  void Adopt(const char* call, std::uint64_t bytes, bool succeeded, std::uint64_t address) {
    const std::scoped_lock lock(mutex_);
    Count& count = counts_[call];
    ++count.calls;
    if (!succeeded) {
      ++count.failed;
      return;
    }
    count.bytes += bytes;
    live_[address] = bytes;
  }
  // Before the level below gives the address to somebody else.
  void Disown(const char* call, std::uint64_t address) {
    const std::scoped_lock lock(mutex_);
    ++counts_[call].calls;
    live_.erase(address);
  }
  void Free(const char* call, std::uint64_t address) {
    const std::scoped_lock lock(mutex_);
    ++counts_[call].calls;
    if (live_.erase(address) > 0) free_.push_back(address);
  }
  void Call(const char* call, std::uint64_t bytes = 0) {
    const std::scoped_lock lock(mutex_);
    ++counts_[call].calls;
    counts_[call].bytes += bytes;
  }
  // {"calls": {"cudaMalloc": {"calls": 3, "failed": 0, "bytes": 96}}, "live": 1, "live_bytes": 32}
  void Write(const std::string& path) {
    const std::scoped_lock lock(mutex_);
    std::FILE* file = std::fopen((path + ".part").c_str(), "w");
    std::fprintf(file, "{\"calls\": {");
    const char* comma = "";
    for (const auto& [name, count] : counts_) {
      std::fprintf(file, "%s\"%s\": {\"calls\": %llu, \"failed\": %llu, \"bytes\": %llu}", comma,
                   name.c_str(), Long(count.calls), Long(count.failed), Long(count.bytes));
      comma = ", ";
    }
    std::uint64_t bytes = 0;
    for (const auto& [address, of_one] : live_) bytes += of_one;
    std::fprintf(file, "}, \"live\": %zu, \"live_bytes\": %llu}\n", live_.size(), Long(bytes));
    std::fclose(file);
    std::rename((path + ".part").c_str(), path.c_str());
  }

 private:
  struct Count {
    std::uint64_t calls = 0, failed = 0, bytes = 0;
  };
  static unsigned long long Long(std::uint64_t number) { return number; }

  std::mutex mutex_;
  std::map<std::string, Count> counts_;
  std::map<std::uint64_t, std::uint64_t> live_;
  std::vector<std::uint64_t> free_;
  std::uint64_t next_;
};

}  // namespace fake
