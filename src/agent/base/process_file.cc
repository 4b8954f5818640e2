#include "agent/base/process_file.h"

#include <charconv>
#include <optional>

#include "agent/base/acting_as.h"
#include "agent/base/fields.h"
#include "agent/base/small_file.h"

namespace rankscope::agent {
namespace {

// The real one: "Uid:	1000	1000	1000	1000".
std::optional<uid_t> UserIn(std::string_view status) {
  std::optional<uid_t> uid;
  ForEachLine(status, [&](std::string_view line) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() < 2 || words[0] != "Uid:") return;
    uid_t number = 0;
    const char* const end = words[1].data() + words[1].size();
    const auto [behind, error] = std::from_chars(words[1].data(), end, number);
    if (error == std::errc() && behind == end) uid = number;
  });
  return uid;
}

}  // namespace

Result<std::string> ReadProcessFile(const std::string& root, pid_t pid, std::string_view name,
                                    std::size_t most) {
  const std::string folder = root + "/proc/" + std::to_string(pid) + "/";
  const std::string path = folder + std::string(name);
  Result<std::string> text = ReadSmallFile(path, most);
  if (text.ok() || text.status().code() != StatusCode::kIo) return text;
  const Result<std::string> status = ReadSmallFile(folder + "status");
  const std::optional<uid_t> uid = status.ok() ? UserIn(*status) : std::nullopt;
  if (!uid) return text;
  const Result<FileRights> rights = FileRightsIn(*status, *uid);
  if (!rights.ok()) return text;
  const ActingAs them(*rights);
  return them.is_them() ? ReadSmallFile(path, most) : text;
}

}  // namespace rankscope::agent
