#include "cli/base/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

std::optional<bool> wished_colour;  // of the process: set while its command line is read

class StandardOutput : public Output {
 public:
  Status Write(std::string_view data) override {
    return std::fwrite(data.data(), 1, data.size(), stdout) == data.size() ? OkStatus() : Failed();
  }
  Status Finish() override { return std::fflush(stdout) == 0 ? OkStatus() : Failed(); }

 private:
  static Status Failed() {
    const int why = errno;
    if (why == EPIPE) {
      // The reader has had enough, as `head` has: no news to anybody.
      std::signal(SIGPIPE, SIG_DFL);
      std::raise(SIGPIPE);
    }
    return Error(StatusCode::kIo, "cannot write to standard output: {}", std::strerror(why));
  }
};

class RegularFile : public Output {
 public:
  RegularFile(std::string path, std::unique_ptr<AtomicFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}

  Status Write(std::string_view data) override { return file_->Write(data.data(), data.size()); }
  Status Finish() override {
    std::error_code ignored;
    const fs::file_status before = fs::status(path_, ignored);
    RS_RETURN_IF_ERROR(file_->Commit());
    if (fs::exists(before)) fs::permissions(path_, before.permissions(), ignored);
    return OkStatus();
  }

 private:
  std::string path_;
  std::unique_ptr<AtomicFile> file_;
};

class SpecialFile : public Output {
 public:
  SpecialFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  ~SpecialFile() override {
    if (file_ != nullptr) std::fclose(file_);
  }
  SpecialFile(const SpecialFile&) = delete;
  SpecialFile& operator=(const SpecialFile&) = delete;

  Status Write(std::string_view data) override {
    return std::fwrite(data.data(), 1, data.size(), file_) == data.size() ? OkStatus() : Failed();
  }
  Status Finish() override {
    return std::fclose(std::exchange(file_, nullptr)) == 0 ? OkStatus() : Failed();
  }

 private:
  Status Failed() const {
    return Error(StatusCode::kIo, "{}: cannot write: {}", path_, std::strerror(errno));
  }
  std::string path_;
  std::FILE* file_;
};

}  // namespace

Result<std::unique_ptr<Output>> Output::Open(const std::string& path) {
  if (path.empty() || path == "-")
    return std::unique_ptr<Output>(std::make_unique<StandardOutput>());
  std::error_code error;
  const std::string followed = fs::weakly_canonical(path, error).string();
  const std::string target = error || followed.empty() ? path : followed;
  const fs::file_status status = fs::status(target, error);
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    RS_ASSIGN_OR_RETURN(auto file, AtomicFile::Create(target));
    return std::unique_ptr<Output>(std::make_unique<RegularFile>(target, std::move(file)));
  }
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr)
    return Error(StatusCode::kIo, "{}: cannot write: {}", path, std::strerror(errno));
  return std::unique_ptr<Output>(std::make_unique<SpecialFile>(path, file));
}

Status WriteOutput(const std::string& path, std::string_view data) {
  RS_ASSIGN_OR_RETURN(const auto output, Output::Open(path));
  RS_RETURN_IF_ERROR(output->Write(data));
  return output->Finish();
}

bool IsTerminal() { return isatty(STDOUT_FILENO) != 0; }

std::size_t TerminalWidth() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void WishColour(std::string_view when) {
  if (when == "auto") {
    wished_colour.reset();
  } else {
    wished_colour = when == "always";
  }
}

bool TakesColour() {
  if (wished_colour) return *wished_colour;
  const char* refused = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  const bool is_dumb = kind == nullptr || std::strcmp(kind, "dumb") == 0;
  return IsTerminal() && !is_dumb && (refused == nullptr || *refused == '\0');
}

}  // namespace rankscope::cli
