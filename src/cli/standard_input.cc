#include "cli/standard_input.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace rankscope::cli {
namespace {

std::string PathOf(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

// Open until the process ends. Below 0: there is none, and errno says why.
int OpenUnnamedFile() {
  std::error_code ignored;
  const std::string folder = std::filesystem::temp_directory_path(ignored).string();
  const int unnamed = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0) return unnamed;
  // Not every file system has those.
  std::string path = folder + "/rankscope-XXXXXX";
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) unlink(path.c_str());
  return named;
}

bool WriteWhole(int descriptor, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t count = write(descriptor, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    data += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

Result<std::string> Keep() {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode)) return PathOf(STDIN_FILENO);
  const auto failed = [](std::string_view what) {
    return Error(StatusCode::kIo, "standard input: {}: {}", what, std::strerror(errno));
  };
  const int file = OpenUnnamedFile();
  if (file < 0) return failed("there is no folder to keep it in (TMPDIR)");
  std::array<char, 1 << 16> buffer{};
  while (true) {
    const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("cannot be read");
    if (count == 0) return PathOf(file);
    if (!WriteWhole(file, buffer.data(), static_cast<std::size_t>(count)))
      return failed("cannot be kept (TMPDIR)");
  }
}

}  // namespace

Status TakeStandardInput(std::vector<std::string>& paths) {
  if (std::ranges::find(paths, kStandardInput) == paths.end()) return OkStatus();
  RS_ASSIGN_OR_RETURN(const std::string kept, Keep());
  std::ranges::replace(paths, std::string(kStandardInput), kept);
  return OkStatus();
}

Status TakeStandardInput(std::string& path) {
  std::vector<std::string> paths = {std::move(path)};
  RS_RETURN_IF_ERROR(TakeStandardInput(paths));
  path = std::move(paths.front());
  return OkStatus();
}

}  // namespace rankscope::cli
