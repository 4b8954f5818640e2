#include "cli/base/standard_input.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/file.h"

namespace rankscope::cli {
namespace {

std::string PathOf(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

Result<std::string> Keep() {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode)) return PathOf(STDIN_FILENO);
  const auto failed = [](std::string_view what) {
    return Error(StatusCode::kIo, "standard input: {}: {}", what, std::strerror(errno));
  };
  std::error_code ignored;
  // Open until the process ends.
  const int file = OpenUnnamedFile(std::filesystem::temp_directory_path(ignored).string());
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

Result<std::string> ReadStandardInput() {
  std::string text;
  std::array<char, 1 << 16> buffer{};
  std::size_t size = 0;
  while ((size = std::fread(buffer.data(), 1, buffer.size(), stdin)) > 0)
    text.append(buffer.data(), size);
  if (std::ferror(stdin) != 0) return Error(StatusCode::kIo, "standard input cannot be read");
  return text;
}

}  // namespace rankscope::cli
