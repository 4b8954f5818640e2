// Files: read-only mappings and writes that are either whole or not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope {

// A file mapped read-only. Pages are shared with the page cache; the mapping lives as long as the
// object.
class MappedFile {
 public:
  static Result<std::unique_ptr<MappedFile>> Open(const std::string& path);
  // For a file that somebody else may have put there: a symbolic link is not followed, and what
  // others may write to is copied into memory, so that what was checked does not change later.
  static Result<std::unique_ptr<MappedFile>> OpenUntrusted(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  const std::byte* data_;
  std::size_t size_;
};

// A file of any size, looked at piece by piece from front to back: a window of a few megabytes is
// mapped, so that neither memory nor address space follow its size.
class FileWindow {
 public:
  static Result<std::unique_ptr<FileWindow>> Open(const std::string& path);
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  std::size_t size() const { return size_; }
  // Up to `most` bytes at `offset`, at least one before the end; valid until the next call. Empty
  // at the end, or when the system refuses the mapping.
  std::string_view At(std::size_t offset, std::size_t most);

 private:
  FileWindow(int descriptor, std::size_t size) : descriptor_(descriptor), size_(size) {}
  void Unmap();
  int descriptor_;
  std::size_t size_;
  const char* window_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// Writes through a temporary file in the same folder and renames it on Commit: readers and other
// writers see the old file or the whole new one. Destroyed without Commit, it removes the temporary
// file; when the process is killed first, the file's lock ends with it (RemoveIfAbandoned).
class AtomicFile {
 public:
  static Result<std::unique_ptr<AtomicFile>> Create(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  Status Write(const void* data, std::size_t size);
  Status Commit();
  std::uint64_t written() const { return written_; }
  // For libraries that write by name: the existing, empty file that Commit renames.
  const std::string& temporary_path() const { return temporary_; }

 private:
  AtomicFile(std::string path, std::string temporary, int descriptor)
      : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}
  std::string path_;
  std::string temporary_;
  int descriptor_;
  std::uint64_t written_ = 0;
};

// Temporary files of AtomicFile are named after the final file, this mark and six random letters.
inline constexpr std::string_view kTemporaryMark = ".tmp.";
bool IsTemporaryName(std::string_view name, std::string_view* final_name);

// Removes the temporary file of a writer that no longer lives, on any machine or in any container:
// one whose lock is free, or, where the file system has no locks, one written to hours before
// `now_s` (seconds since 1970). False when it stays.
bool RemoveIfAbandoned(const std::string& path, std::int64_t now_s);

// A file without a name in that folder, open for reading and writing (0600); it ends with its
// descriptor. Below 0: none can be made there, and errno says why.
int OpenUnnamedFile(const std::string& folder);

// All of it, however often that takes. False: errno says why; some may be written.
bool WriteWhole(int descriptor, const void* data, std::size_t size);

Result<std::string> ReadFile(const std::string& path);
Status WriteFileAtomically(const std::string& path, std::string_view content);

// Removes the temporary files of AtomicFile objects that are still open. Async-signal-safe: for a
// Ctrl-C handler that ends the process next. From then on no AtomicFile is made: a thread that
// tries waits for the end of the process. At most 640 files are tracked; later ones are removed by
// their destructors alone.
void RemoveUnfinishedFiles();

}  // namespace rankscope
