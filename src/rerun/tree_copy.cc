#include "rerun/tree_copy.h"

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace rankscope::rerun {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{2} << 30;
constexpr std::size_t kMostFiles = 200'000;

bool IsLeftOut(const fs::path& path) {
  return path.filename() == ".git" || path.filename() == "__pycache__";
}

// Without what a path says twice; of one that does not exist as far as it does.
fs::path Plain(const fs::path& path) {
  std::error_code error;
  const fs::path plain = fs::weakly_canonical(path, error);
  return error ? path : plain;
}

}  // namespace

Status CopyTree(const std::string& source, const std::string& target) {
  std::error_code error;
  if (!fs::is_directory(source, error))
    return Error(StatusCode::kNotFound, "{}: no such folder", source);
  const fs::path from = Plain(source);
  if (const fs::path inside = Plain(target).lexically_relative(from);
      !inside.empty() && *inside.begin() != "..")
    return Error(
        StatusCode::kInvalidArgument,
        "the copy of {} would lie in it, at {}: name a folder elsewhere (--keep, or TMPDIR)",
        source, target);
  fs::create_directories(target, error);
  std::uintmax_t bytes = 0;
  std::size_t files = 0;
  fs::recursive_directory_iterator entry(from, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    if (IsLeftOut(entry->path())) {
      entry.disable_recursion_pending();
      continue;
    }
    const fs::path to = target / entry->path().lexically_relative(from);
    const fs::file_status status = entry->symlink_status(error);
    if (error) break;
    if (fs::is_directory(status)) {
      fs::create_directory(to, error);
    } else if (fs::is_symlink(status)) {
      fs::copy_symlink(entry->path(), to, error);
    } else if (fs::is_regular_file(status)) {
      bytes += entry->file_size(error);
      if (++files > kMostFiles || bytes > kMostBytes)
        return Error(StatusCode::kResource,
                     "{} holds more than 2 GB or 200,000 files; --source takes the folder of the "
                     "code, and data outside of it",
                     source);
      if (!error) fs::copy_file(entry->path(), to, error);
    }
    if (error) break;
  }
  if (error) return Error(StatusCode::kIo, "cannot copy {}: {}", source, error.message());
  return OkStatus();
}

std::string InCopy(const std::string& given, const std::string& source, const std::string& copy,
                   const std::string& from) {
  if (given.empty()) return given;
  std::error_code error;
  const fs::path path = fs::path(from) / given;
  if (!fs::exists(path, error)) return given;
  const fs::path inside = Plain(path).lexically_relative(Plain(source));
  if (inside.empty() || *inside.begin() == "..") return given;
  return (inside == "." ? fs::path(copy) : copy / inside).string();
}

std::string WordInCopy(const std::string& word, const std::string& source, const std::string& copy,
                       const std::string& from) {
  const std::size_t equals = word.starts_with('-') ? word.find('=') : std::string::npos;
  if (equals != std::string::npos)
    return word.substr(0, equals + 1) + WordInCopy(word.substr(equals + 1), source, copy, from);
  if (word.find('/') == std::string::npos) return word;
  const bool runs_in_copy = InCopy(from, source, copy, from) != from;
  return runs_in_copy && !word.starts_with('/') ? word : InCopy(word, source, copy, from);
}

}  // namespace rankscope::rerun
