#include "base/spilled_vector.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/spilled_pages.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kMostResidentBytes = std::uint64_t{252} << 20;
// Or somewhat less than the process took before the first file: to stay below that gains nothing.
constexpr std::uint64_t kBelowPeakBytes = std::uint64_t{32} << 20;
// Below that, and below that part of the other memory, letting go costs more than it gives back:
// what passes go through comes back again and again. It counts the program's own pages, too.
constexpr std::uint64_t kLeastWorthBytes = std::uint64_t{48} << 20;
constexpr std::uint64_t kLeastWorthPart = 3;
// Two threads that jump about in files touch up to 20 MB of new pages in a millisecond.
constexpr std::chrono::milliseconds kLooksEvery(1);
// So much of that a thread touches from one of its own looks to the next, at most.
constexpr std::uint64_t kBetweenMemoryLooksBytes = std::uint64_t{2} << 20;
// Which takes it so long at least, with a fault for every page.
constexpr std::chrono::microseconds kBetweenMemoryLooks(100);
// While that much is still free it looks less often.
constexpr std::uint64_t kFarBytes = std::uint64_t{96} << 20;
constexpr std::chrono::milliseconds kLooksFromAfarEvery(4);

struct Resident {
  std::uint64_t bytes = 0;
  std::uint64_t of_files = 0;
};

// What the process has resident, as /proc says. Thread-safe.
class Statm {
 public:
  Statm() : file_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}
  ~Statm() {
    if (file_ >= 0) close(file_);
  }
  Statm(const Statm&) = delete;
  Statm& operator=(const Statm&) = delete;

  // Zeros where the system does not say.
  Resident Now() const {
    char text[128] = {};
    const ssize_t size = file_ < 0 ? 0 : pread(file_, text, sizeof(text) - 1, 0);
    if (size <= 0) return {};
    // "mapped resident shared ...", in pages
    char* at = text;
    std::strtoull(at, &at, 10);
    const std::uint64_t resident = std::strtoull(at, &at, 10);
    const std::uint64_t shared = std::strtoull(at, &at, 10);
    return {resident * page_, shared * page_};
  }

 private:
  int file_;
  std::uint64_t page_ = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
};

bool IsOnDisk(const char* folder) {
  struct statfs of {};
  return statfs(folder, &of) == 0 && of.f_type != TMPFS_MAGIC && of.f_type != RAMFS_MAGIC;
}

// The bytes in a file, null: there is none of that length.
void* MapInFile(std::size_t bytes) {
  rlimit limit{};
  // A longer file would end the process by a signal.
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < bytes) return nullptr;
  const char* const chosen = std::getenv("TMPDIR");
  for (const char* const folder : {chosen, "/var/tmp", "/tmp"}) {
    if (folder == nullptr || !IsOnDisk(folder)) continue;
    const int file = OpenUnnamedFile(folder);
    if (file < 0) continue;
    void* begin = MAP_FAILED;
    if (fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0)
      begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (begin != MAP_FAILED) return begin;
  }
  return nullptr;
}

// What lies in files, and the thread that keeps it from being resident. Thread-safe.
class Spill {
 public:
  void* Allocate(std::size_t bytes) {
    void* const begin = is_allowed_ ? MapInFile(bytes) : nullptr;
    if (begin == nullptr) return ::operator new(bytes);
    const std::lock_guard lock(mutex_);
    if (!watcher_.joinable()) SetMost();
    in_files_.emplace(begin, bytes);
    bytes_ += bytes;
    if (!watcher_.joinable()) Start();
    changed_.notify_all();
    return begin;
  }

  void Free(void* begin, std::size_t bytes) {
    bool is_in_file = false;
    if (bytes_ > 0) {
      const std::lock_guard lock(mutex_);
      is_in_file = in_files_.erase(begin) > 0;
      bytes_ -= is_in_file ? bytes : 0;
    }
    if (is_in_file) {
      munmap(begin, bytes);
    } else {
      ::operator delete(begin);
    }
  }

  void Allow(bool is_allowed) { is_allowed_ = is_allowed; }

  void LetGo() {
    const std::lock_guard lock(mutex_);
    LetGoLocked();
  }

  void KeepSmall() {
    if (bytes_ == 0) return;
    // To ask the system takes a microsecond: not again before it can be near.
    thread_local std::uint64_t looks_to_skip = 0;
    if (looks_to_skip > 0) {
      --looks_to_skip;
      return;
    }
    thread_local std::chrono::steady_clock::time_point next_look{};
    const auto time = std::chrono::steady_clock::now();
    if (time < next_look) return;
    next_look = time + kBetweenMemoryLooks;
    const Resident now = statm_.Now();
    if (IsTooMuch(now)) {
      LetGo();
    } else {
      looks_to_skip = (most_ - std::min(most_.load(), now.bytes)) / kBetweenMemoryLooksBytes;
    }
  }

  std::uint64_t bytes() const { return bytes_; }

 private:
  void Start() {
    try {
      watcher_ = std::jthread([this](const std::stop_token& stop) { Watch(stop); });
    } catch (const std::system_error&) {
      // Without a thread pages stay as long as the kernel has room for them.
    }
  }

  void Watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    bool is_far = true;
    while (!stop.stop_requested()) {
      changed_.wait(lock, stop, [this] { return !in_files_.empty(); });
      changed_.wait_for(lock, stop, is_far ? kLooksFromAfarEvery : kLooksEvery,
                        [] { return false; });
      const Resident now = statm_.Now();
      is_far = now.bytes + kFarBytes < most_;
      if (IsTooMuch(now)) LetGoLocked();
    }
  }

  void SetMost() {
    rusage used{};
    if (getrusage(RUSAGE_SELF, &used) != 0) return;
    const std::uint64_t peak = static_cast<std::uint64_t>(used.ru_maxrss) << 10;
    most_ = std::max(kMostResidentBytes, peak - std::min(peak, kBelowPeakBytes));
  }
  bool IsTooMuch(const Resident& now) const {
    const std::uint64_t other = now.bytes - std::min(now.of_files, now.bytes);
    return now.bytes > most_ && now.of_files > std::max(kLeastWorthBytes, other / kLeastWorthPart);
  }
  void LetGoLocked() {
    for (const auto& [begin, bytes] : in_files_) madvise(begin, bytes, MADV_DONTNEED);
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<void*, std::size_t> in_files_;  // bytes, by begin
  std::atomic<bool> is_allowed_ = false;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> most_ = kMostResidentBytes;
  Statm statm_;
  std::jthread watcher_;  // the last member: it ends before the others
};

Spill& TheSpill() {
  static Spill spill;
  return spill;
}

}  // namespace

void AllowSpilling(bool is_allowed) { TheSpill().Allow(is_allowed); }
void* AllocateSpilled(std::size_t bytes) { return TheSpill().Allocate(bytes); }
void FreeSpilled(void* begin, std::size_t bytes) noexcept { TheSpill().Free(begin, bytes); }
void LetGoOfSpilled() { TheSpill().LetGo(); }
void KeepSpilledSmall() { TheSpill().KeepSmall(); }
std::uint64_t SpilledBytes() { return TheSpill().bytes(); }

}  // namespace rankscope
