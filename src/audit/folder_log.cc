// DATA/audit: files of lines, each named by the number of its first ("000000000001.jsonl"), and
// `head`, which says what was written last.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "audit/log.h"
#include "base/durable.h"
#include "base/file.h"
#include "store/sha256.h"

namespace rankscope::audit {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".jsonl";

std::string NameOf(std::int64_t number) { return fmt::format("{:012}{}", number, kEnding); }

Status Cannot(const std::string& path, std::string_view what) {
  return Error(StatusCode::kIo, "{}: cannot {}: {}", path, what, std::strerror(errno));
}

// Names sort as numbers do.
Result<std::vector<std::string>> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kEnding)) files.push_back(entry.path().string());
  }
  if (error) {
    return Error(
        error == std::errc::no_such_file_or_directory ? StatusCode::kNotFound : StatusCode::kIo,
        "{}: cannot list: {}", folder, error.message());
  }
  std::ranges::sort(files);
  return files;
}

// Whole lines alone.
std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Closed with the last who syncs it.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

class FolderLog final : public Log {
 public:
  FolderLog(std::string folder, Bounds bounds) : folder_(std::move(folder)), bounds_(bounds) {}

  Status Prepare() {
    RS_RETURN_IF_ERROR(MakeFolder(folder_));
    RS_ASSIGN_OR_RETURN(const Head noted, Noted());
    RS_ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesIn(folder_));
    if (files.empty()) {
      // Whoever removed the files did not begin the numbers anew.
      head_ = noted;
      return OkStatus();
    }
    path_ = files.back();
    RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path_));
    const std::size_t whole = text.rfind('\n') + 1;  // 0 without one
    if (whole < text.size() && truncate(path_.c_str(), static_cast<off_t>(whole)) != 0)
      return Cannot(path_, "shorten");
    const std::vector<std::string_view> lines = SplitLines(text);
    const auto last = lines.empty() ? Result<api::AuditEntry>(Error(StatusCode::kBadData, "none"))
                                    : ReadLine(lines.back());
    // Behind a damaged line it goes on as if it were sound: `verify` names the place.
    head_ = last.ok() ? Head{.number = last->number, .hash = last->hash} : noted;
    if (noted.number > head_.number) head_ = noted;
    bytes_ = whole;
    return last.ok() ? OpenFile() : Rotate();
  }

  Status Add(const api::AuditEntry& entry, Care care) override {
    std::shared_ptr<File> written;
    {
      const std::scoped_lock lock(mutex_);
      if (file_ == nullptr || bytes_ >= bounds_.file_bytes) RS_RETURN_IF_ERROR(Rotate());
      RS_RETURN_IF_ERROR(Append(entry));
      written = file_;
    }
    // Not under the lock: who must be quick would wait for the disk.
    if (care == Care::kOnDisk && fdatasync(written->descriptor()) != 0)
      return Cannot(folder_, "sync");
    return OkStatus();
  }

  Status Trim() override {
    const std::scoped_lock lock(mutex_);
    RS_ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesIn(folder_));
    for (std::size_t i = 0; i + bounds_.most_files < files.size(); ++i)
      RS_RETURN_IF_ERROR(RemoveDurably(files[i]));
    return OkStatus();
  }

  Status FromNewest(const Visit& visit) override {
    RS_ASSIGN_OR_RETURN(std::vector<std::string> files, FilesIn(folder_));
    std::ranges::reverse(files);
    return Visited(files, [&](std::vector<std::string_view>& lines) {
      std::ranges::reverse(lines);
      return std::ranges::all_of(lines, visit);
    });
  }
  Status FromOldest(const Visit& visit) override {
    RS_ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesIn(folder_));
    return Visited(files, [&](const std::vector<std::string_view>& lines) {
      return std::ranges::all_of(lines, visit);
    });
  }

  Result<Head> Noted() override {
    const auto text = ReadFile(folder_ + "/head");
    if (!text.ok()) return Head{};
    Head head;
    const std::size_t space = text->find(' ');
    const char* const end = text->data() + std::min(space, text->size());
    const auto parsed = std::from_chars(text->data(), end, head.number);
    if (space == std::string::npos || parsed.ptr != end) return Head{};
    head.hash = text->substr(space + 1, 64);
    return store::IsSha256(head.hash) ? head : Head{};
  }

 private:
  template <typename Take>
  static Status Visited(const std::vector<std::string>& files, const Take& take) {
    for (const std::string& path : files) {
      const auto text = ReadFile(path);
      // The oldest may go meanwhile.
      if (!text.ok() && text.status().code() == StatusCode::kNotFound) continue;
      if (!text.ok()) return text.status();
      std::vector<std::string_view> lines = SplitLines(*text);
      if (!take(lines)) return OkStatus();
    }
    return OkStatus();
  }

  Status OpenFile() {
    const int file = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return Cannot(path_, "open");
    file_ = std::make_shared<File>(file);
    return OkStatus();
  }

  Status Rotate() {
    path_ = folder_ + "/" + NameOf(head_.number + 1);
    bytes_ = 0;
    RS_RETURN_IF_ERROR(OpenFile());
    return SyncFolder(folder_);
  }

  // All of the line or nothing of it.
  Status Append(const api::AuditEntry& entry) {
    Head head = head_;
    const std::string line = LineBehind(head, entry) + "\n";
    const ssize_t written = write(file_->descriptor(), line.data(), line.size());
    if (written != static_cast<ssize_t>(line.size())) {
      const int why = written < 0 ? errno : ENOSPC;
      if (ftruncate(file_->descriptor(), static_cast<off_t>(bytes_)) != 0) file_ = nullptr;
      errno = why;
      return Cannot(path_, "write");
    }
    bytes_ += line.size();
    head_ = head;
    NoteHead();
    return OkStatus();
  }

  // Of a fixed size, so that one write replaces it. That it fails costs a check, and no line.
  void NoteHead() {
    if (note_ == nullptr) {
      const int file = open((folder_ + "/head").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      if (file < 0) return;
      note_ = std::make_unique<File>(file);
    }
    const std::string text = fmt::format("{:012} {}\n", head_.number, head_.hash);
    [[maybe_unused]] const ssize_t written =
        pwrite(note_->descriptor(), text.data(), text.size(), 0);
  }

  const std::string folder_;
  const Bounds bounds_;
  std::mutex mutex_;
  Head head_;
  std::string path_;  // of the last file
  std::uint64_t bytes_ = 0;
  std::shared_ptr<File> file_;
  std::unique_ptr<File> note_;
};

}  // namespace

Result<std::unique_ptr<Log>> OpenFolderLog(const std::string& folder, Bounds bounds) {
  auto log = std::make_unique<FolderLog>(folder, bounds);
  RS_RETURN_IF_ERROR(log->Prepare());
  return std::unique_ptr<Log>(std::move(log));
}

Result<std::unique_ptr<Lines>> OpenFolderLines(const std::string& folder) {
  const auto files = FilesIn(folder);
  if (!files.ok() && files.status().code() == StatusCode::kNotFound) {
    return Error(StatusCode::kNotFound,
                 "{}: no server has kept an audit log there: DATA is the folder of its --data; of "
                 "a cluster add --catalogue",
                 folder);
  }
  if (!files.ok()) return files.status();
  return std::unique_ptr<Lines>(std::make_unique<FolderLog>(folder, Bounds{}));
}

}  // namespace rankscope::audit
