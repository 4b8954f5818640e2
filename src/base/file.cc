#include "base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/errno_text.h"

namespace rankscope {
namespace {

// Names of temporary files that exist now, for RemoveUnfinishedFiles. Slots hold pointers to the
// owners' strings, which do not move while the slot is set.
constexpr int kSlots = 640;
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

namespace {

// Closes a descriptor at the end of a block.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

bool OthersMayWrite(const struct stat& info) {
  return info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

// Up to `size` bytes of the file from its beginning into `to`; how many there were, or -1.
ssize_t ReadWhole(int descriptor, std::byte* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = pread(descriptor, to + done, size - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return static_cast<ssize_t>(done);
}

// How a file is opened for reading: without waiting for the other end of a pipe.
constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

Status CannotOpen(const std::string& path) {
  return Error(errno == ENOENT ? StatusCode::kNotFound : StatusCode::kIo, "{}: cannot open: {}",
               path, ErrnoText());
}

}  // namespace

Result<std::unique_ptr<FileWindow>> FileWindow::Open(const std::string& path) {
  Descriptor file(open(path.c_str(), kReadFlags));
  if (file.get() < 0) return CannotOpen(path);
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return Error(StatusCode::kIo, "{}: not a regular file", path);
  return std::unique_ptr<FileWindow>(
      new FileWindow(file.release(), static_cast<std::size_t>(info.st_size)));
}

FileWindow::~FileWindow() {
  Unmap();
  close(descriptor_);
}

void FileWindow::Unmap() {
  if (window_ != nullptr) munmap(const_cast<char*>(window_), end_ - begin_);
  window_ = nullptr;
  begin_ = end_ = 0;
}

std::string_view FileWindow::At(std::size_t offset, std::size_t most) {
  constexpr std::size_t kWindowBytes = std::size_t{8} << 20;
  constexpr std::size_t kAlign = std::size_t{1} << 16;
  if (offset >= size_) return {};
  if (window_ == nullptr || offset < begin_ || offset >= end_) {
    Unmap();
    const std::size_t begin = offset / kAlign * kAlign;
    const std::size_t end = std::min(size_, begin + kWindowBytes);
    void* const window =
        mmap(nullptr, end - begin, PROT_READ, MAP_SHARED, descriptor_, static_cast<off_t>(begin));
    if (window == MAP_FAILED) return {};
    madvise(window, end - begin, MADV_SEQUENTIAL);
    window_ = static_cast<const char*>(window);
    begin_ = begin;
    end_ = end;
  }
  return {window_ + (offset - begin_), std::min(most, end_ - offset)};
}

Result<std::unique_ptr<MappedFile>> MappedFile::Open(const std::string& path) {
  const Descriptor file(open(path.c_str(), kReadFlags));
  if (file.get() < 0) return CannotOpen(path);
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return Error(StatusCode::kIo, "{}: not a regular file", path);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return std::unique_ptr<MappedFile>(new MappedFile(nullptr, 0));
  void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED)
    return Error(StatusCode::kIo, "{}: cannot map {} bytes: {}", path, size, ErrnoText());
  return std::unique_ptr<MappedFile>(new MappedFile(static_cast<const std::byte*>(data), size));
}

Result<std::unique_ptr<MappedFile>> MappedFile::OpenUntrusted(const std::string& path) {
  const Descriptor file(open(path.c_str(), kReadFlags | O_NOFOLLOW));
  if (file.get() < 0) return CannotOpen(path);
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return Error(StatusCode::kIo, "{}: not a regular file", path);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return std::unique_ptr<MappedFile>(new MappedFile(nullptr, 0));
  const bool copied = OthersMayWrite(info);
  void* const data =
      copied ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
             : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED)
    return Error(StatusCode::kIo, "{}: cannot map {} bytes: {}", path, size, ErrnoText());
  auto mapped =
      std::unique_ptr<MappedFile>(new MappedFile(static_cast<const std::byte*>(data), size));
  if (copied &&
      ReadWhole(file.get(), static_cast<std::byte*>(data), size) != static_cast<ssize_t>(size)) {
    return Error(StatusCode::kIo, "{}: cannot read {} bytes", path, size);
  }
  return mapped;
}

MappedFile::~MappedFile() {
  if (size_ != 0) munmap(const_cast<std::byte*>(data_), size_);
}

namespace {

// Marks a new temporary file as one that somebody writes. False when RemoveIfAbandoned was quicker:
// it holds the lock, or has already taken the file away.
bool Lock(int descriptor) {
  // Where the file system has no locks, age alone tells that a file was abandoned.
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat info {};
  return fstat(descriptor, &info) != 0 || info.st_nlink != 0;
}

}  // namespace

Result<std::unique_ptr<AtomicFile>> AtomicFile::Create(const std::string& path) {
  const Change change;
  while (true) {
    std::string temporary = path + std::string(kTemporaryMark) + "XXXXXX";
    Descriptor file(mkostemp(temporary.data(), O_CLOEXEC));
    if (file.get() < 0) return Error(StatusCode::kIo, "{}: cannot create: {}", path, ErrnoText());
    fchmod(file.get(), 0644);
    if (!Lock(file.get())) continue;
    auto created =
        std::unique_ptr<AtomicFile>(new AtomicFile(path, std::move(temporary), file.release()));
    Track(created->temporary_.c_str());
    return created;
  }
}

bool IsTemporaryName(std::string_view name, std::string_view* final_name) {
  constexpr std::size_t kRandomLetters = 6;
  if (name.size() < kTemporaryMark.size() + kRandomLetters) return false;
  const std::size_t mark = name.size() - kRandomLetters - kTemporaryMark.size();
  if (name.substr(mark, kTemporaryMark.size()) != kTemporaryMark) return false;
  *final_name = name.substr(0, mark);
  return true;
}

bool RemoveIfAbandoned(const std::string& path, std::int64_t now_s) {
  const Descriptor file(open(path.c_str(), kReadFlags | O_NOFOLLOW));
  struct stat info {};
  if (file.get() < 0 || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    constexpr std::int64_t kLongest_s = 6 * 3600;
    if (errno == EWOULDBLOCK || now_s - info.st_mtim.tv_sec < kLongest_s) return false;
  }
  return unlink(path.c_str()) == 0;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
  Untrack(temporary_.c_str());
}

Status AtomicFile::Write(const void* data, std::size_t size) {
  if (!WriteWhole(descriptor_, data, size))
    return Error(StatusCode::kIo, "{}: cannot write: {}", path_, ErrnoText());
  written_ += size;
  return OkStatus();
}

Status AtomicFile::Commit() {
  // Closing may tell that a write failed; the lock is kept until the file has its name.
  const Descriptor lock(fcntl(descriptor_, F_DUPFD_CLOEXEC, 0));
  if (close(std::exchange(descriptor_, -1)) != 0 ||
      rename(temporary_.c_str(), path_.c_str()) != 0) {
    const Status status =
        Error(StatusCode::kIo, "{}: cannot finish writing: {}", path_, ErrnoText());
    unlink(temporary_.c_str());
    Untrack(temporary_.c_str());
    return status;
  }
  Untrack(temporary_.c_str());
  return OkStatus();
}

int OpenUnnamedFile(const std::string& folder) {
  const int unnamed = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0) return unnamed;
  // Not every file system has those.
  std::string name = folder + "/rankscope-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

bool WriteWhole(int descriptor, const void* data, std::size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = write(descriptor, from, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    from += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
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
