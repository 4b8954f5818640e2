#include "service/access/shares.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/durable.h"
#include "base/file.h"
#include "json/reader.h"
#include "service/access/share_text.h"
#include "store/random_id.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSharesEnding = ".share";
constexpr std::string_view kOlderEnding = ".json";

bool IsName(std::string_view name) {
  return (name.size() == 16 || name.size() == 32) &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void Touch(const std::string& path, std::int64_t now_s) {
  const timespec times[2] = {{.tv_sec = now_s, .tv_nsec = 0}, {.tv_sec = now_s, .tv_nsec = 0}};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
}

}  // namespace

FolderShares::FolderShares(std::string folder, std::string temporary, ShareLimits limits,
                           TeamOfRun team_of_run, WallClock now_s)
    : folder_(std::move(folder)),
      temporary_(std::move(temporary)),
      limits_(limits),
      team_of_run_(std::move(team_of_run)),
      now_s_(std::move(now_s)) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().stem().string();
    const std::string ending = entry.path().extension().string();
    if (IsName(name) && (ending == kSharesEnding || ending == kOlderEnding))
      Read(entry.path().string(), name);
  }
}

void FolderShares::Read(const std::string& path, const std::string& name) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return;
  Known known{.path = path,
              .team = std::nullopt,
              .token = "",
              .bytes = static_cast<std::uint64_t>(status.st_size),
              .used_s = status.st_mtim.tv_sec};
  if (path.ends_with(kSharesEnding)) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const Result<json::Reader> head = json::Reader::Parse(line);
    if (!head.ok()) return;
    known.team = head->root()["team"].TextOr("");
    known.token = head->root()["token"].TextOr("");
  }
  Add(name, std::move(known));
}

std::vector<std::string> FolderShares::DamagedIn(const std::string& folder) {
  std::vector<std::string> damaged;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (!IsName(entry.path().stem().string()) || !path.ends_with(kSharesEnding)) continue;
    const auto text = ReadFile(path);
    // A server may have removed it since.
    if (!text.ok() && !fs::exists(path)) continue;
    if (!text.ok() || !IsSoundShare(*text, TeamInShare(*text))) damaged.push_back(path);
  }
  std::sort(damaged.begin(), damaged.end());
  return damaged;
}

void FolderShares::Add(const std::string& name, Known known) {
  Sum& sum = of_token_[known.token];
  ++sum.shares;
  sum.bytes += known.bytes;
  ++of_team_[known.team.value_or("")];
  shares_[name] = std::move(known);
}

Result<std::string> FolderShares::Keep(const Principal& who, const std::string& state) {
  Known known{.path = "",
              .team = TeamOfShare(who, state, team_of_run_),
              .token = ShareOwner(who),
              .bytes = 0,
              .used_s = now_s_()};
  const std::string text = HeadOfShare(*known.team, known.token, known.used_s, state) + state;
  known.bytes = text.size();
  std::string name = store::RandomSecretId();
  known.path = fmt::format("{}/{}{}", folder_, name, kSharesEnding);
  {
    const std::scoped_lock lock(mutex_);
    const Sum& sum = of_token_[known.token];
    // An open server has no tokens: its one reader is everybody.
    if (!who.name.empty() && (sum.shares >= limits_.most_of_token ||
                              sum.bytes + known.bytes > limits_.most_bytes_of_token))
      return TokenIsFull(sum.shares, sum.bytes, limits_);
    if (of_team_[*known.team] >= limits_.most_of_team) return TeamIsFull(limits_);
    // It takes its place before it is there: those who come meanwhile count it.
    Add(name, known);
  }
  const Status written = WriteDurably(known.path, text, temporary_);
  if (!written.ok()) {
    const std::scoped_lock lock(mutex_);
    Forget(shares_.extract(name).mapped());
    return written;
  }
  Touch(known.path, known.used_s);
  return name;
}

void FolderShares::Forget(const Known& known) {
  Sum& sum = of_token_[known.token];
  --sum.shares;
  sum.bytes -= known.bytes;
  --of_team_[known.team.value_or("")];
}

Result<std::string> FolderShares::Find(const Principal& who, const std::string& name) {
  const auto none = [] { return NoShare(); };
  const std::int64_t now = now_s_();
  Known known;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = shares_.find(name);
    if (found == shares_.end()) return none();
    known = found->second;
  }
  Result<std::string> text = ReadFile(known.path);
  if (!text.ok()) return none();
  if (known.team && !IsSoundShare(*text, *known.team))
    return Error(StatusCode::kBadData, "{}: its checksum is another: it is damaged", known.path);
  if (known.team) text->erase(0, text->find('\n') + 1);
  if (!MaySeeShare(who, known.team, *text, team_of_run_)) return none();
  if (now - known.used_s > kDayS) {
    Touch(known.path, now);
    const std::scoped_lock lock(mutex_);
    if (const auto found = shares_.find(name); found != shares_.end()) found->second.used_s = now;
  }
  return text;
}

void FolderShares::RemoveUnused() {
  const std::int64_t oldest = now_s_() - limits_.unused_s;
  const std::scoped_lock lock(mutex_);
  std::erase_if(shares_, [&](const auto& one) {
    const Known& known = one.second;
    if (known.used_s >= oldest) return false;
    unlink(known.path.c_str());
    Forget(known);
    return true;
  });
}

}  // namespace rankscope::service
