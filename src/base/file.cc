#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

namespace rankscope {
namespace {

std::string Why() { return std::strerror(errno); }

// Names of temporary files that exist now, for RemoveUnfinishedFiles. Slots hold pointers to the
// owners' strings, which do not move while the slot is set.
constexpr int kSlots = 64;
std::array<std::atomic<const char*>, kSlots> unfinished{};

std::atomic<int> changing{0};     // Threads between making a temporary file and knowing its name.
std::atomic<bool> ending{false};  // Set for good when the process is about to end.

void Sleep() {
  constexpr timespec kMillisecond{.tv_sec = 0, .tv_nsec = 1'000'000};
  nanosleep(&kMillisecond, nullptr);
}

// While one lives, the files on disk and their slots may disagree; RemoveUnfinishedFiles waits for
// its end. Its thread takes no signal meanwhile, so that a handler cannot wait for the thread that
// it interrupted. When the process is about to end, the thread stays here.
class Change {
 public:
  Change() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    changing.fetch_add(1);
    if (!ending.load()) return;
    changing.fetch_sub(1);
    while (true) Sleep();
  }
  ~Change() {
    changing.fetch_sub(1);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  sigset_t before_{};
};

void Track(const char* path) {
  for (auto& slot : unfinished) {
    const char* expected = nullptr;
    if (slot.compare_exchange_strong(expected, path)) return;
  }
}

void Untrack(const char* path) {
  const Change change;
  for (auto& slot : unfinished) {
    const char* expected = path;
    if (slot.compare_exchange_strong(expected, nullptr)) return;
  }
}

}  // namespace

void RemoveUnfinishedFiles() {
  ending.store(true);
  while (changing.load() != 0) Sleep();
  for (auto& slot : unfinished) {
    if (const char* path = slot.load()) unlink(path);
  }
}

Result<std::unique_ptr<MappedFile>> MappedFile::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return Error(errno == ENOENT ? StatusCode::kNotFound : StatusCode::kIo, "{}: cannot open: {}",
                 path, Why());
  }
  struct stat info {};
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(descriptor);
    return Error(StatusCode::kIo, "{}: not a regular file", path);
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  void* data = nullptr;
  if (size != 0) {
    data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) {
      const Status status =
          Error(StatusCode::kIo, "{}: cannot map {} bytes: {}", path, size, Why());
      close(descriptor);
      return status;
    }
  }
  close(descriptor);
  return std::unique_ptr<MappedFile>(new MappedFile(static_cast<const std::byte*>(data), size));
}

MappedFile::~MappedFile() {
  if (size_ != 0) munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::WillReadSequentially() const {
  if (size_ != 0) madvise(const_cast<std::byte*>(data_), size_, MADV_SEQUENTIAL);
}

void MappedFile::DropBefore(std::size_t offset) {
  constexpr std::size_t kStep = std::size_t{4} << 20;
  offset = offset / kStep * kStep;
  if (offset <= dropped_) return;
  madvise(const_cast<std::byte*>(data_ + dropped_), offset - dropped_, MADV_DONTNEED);
  dropped_ = offset;
}

Result<std::unique_ptr<AtomicFile>> AtomicFile::Create(const std::string& path) {
  std::string temporary = path + ".tmp.XXXXXX";
  const Change change;
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return Error(StatusCode::kIo, "{}: cannot create: {}", path, Why());
  fchmod(descriptor, 0644);
  auto file = std::unique_ptr<AtomicFile>(new AtomicFile(path, std::move(temporary), descriptor));
  Track(file->temporary_.c_str());
  return file;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
  Untrack(temporary_.c_str());
}

Status AtomicFile::Write(const void* data, std::size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = write(descriptor_, from, size);
    if (count < 0) {
      if (errno == EINTR) continue;
      return Error(StatusCode::kIo, "{}: cannot write: {}", path_, Why());
    }
    from += count;
    size -= static_cast<std::size_t>(count);
    written_ += static_cast<std::uint64_t>(count);
  }
  return OkStatus();
}

Status AtomicFile::Commit() {
  if (close(std::exchange(descriptor_, -1)) != 0 ||
      rename(temporary_.c_str(), path_.c_str()) != 0) {
    const Status status = Error(StatusCode::kIo, "{}: cannot finish writing: {}", path_, Why());
    unlink(temporary_.c_str());
    Untrack(temporary_.c_str());
    return status;
  }
  Untrack(temporary_.c_str());
  return OkStatus();
}

Result<std::string> ReadFile(const std::string& path) {
  RS_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  return std::string(file->text());
}

Status WriteFileAtomically(const std::string& path, std::string_view content) {
  RS_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(path));
  RS_RETURN_IF_ERROR(file->Write(content.data(), content.size()));
  return file->Commit();
}

}  // namespace rankscope
