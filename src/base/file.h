// Files: read-only mappings, and writes that are either complete or absent.
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
  // For a file that somebody else may have put there. A symbolic link is not followed. A file that
  // others may write to is copied into memory, so that it does not change after it was checked.
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

// A file of any size, read piece by piece from front to back. Only a window of a few megabytes is
// mapped, so memory and address space do not grow with the file.
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
// writers see the old file or the complete new one. Destroyed without Commit, it removes the
// temporary file. If the process is killed first, the file's lock ends with it (RemoveIfAbandoned).
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

// Names of AtomicFile's temporary files: the final file's name, this mark and six random letters.
inline constexpr std::string_view kTemporaryMark = ".tmp.";
bool IsTemporaryName(std::string_view name, std::string_view* final_name);

// Removes the temporary file of a writer that has ended, on any machine or in any container: its
// lock is free, or, on a file system without locks, it was last written hours before `now_s`
// (seconds since 1970). False if the file stays.
bool RemoveIfAbandoned(const std::string& path, std::int64_t now_s);

// A file without a name in that folder, open for reading and writing (0600). It vanishes with its
// descriptor. Below 0: it could not be made, and errno says why.
int OpenUnnamedFile(const std::string& folder);

// Writes all of it, in as many calls as needed. False: errno says why; a part may be written.
bool WriteWhole(int descriptor, const void* data, std::size_t size);

Result<std::string> ReadFile(const std::string& path);
Status WriteFileAtomically(const std::string& path, std::string_view content);

// Removes the temporary files of AtomicFile objects that are still open. Async-signal-safe: for a
// Ctrl-C handler just before it ends the process. Afterwards no AtomicFile can be made: a thread
// that tries waits for the end of the process. At most 640 files are tracked; only their
// destructors remove further files.
void RemoveUnfinishedFiles();

}  // namespace rankscope
