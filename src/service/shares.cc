#include "service/shares.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/durable.h"
#include "base/file.h"
#include "json/reader.h"
#include "json/writer.h"
#include "store/random_id.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".share";
constexpr std::string_view kOlderEnding = ".json";
constexpr std::int64_t kDayS = 24 * 3600;

bool IsName(std::string_view name) {
  return (name.size() == 16 || name.size() == 32) &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// {"path":"/runs/0123456789abcdef/timeline",...}
std::string RunIn(std::string_view state) {
  constexpr std::string_view kRuns = "/runs/";
  constexpr std::size_t kIdLength = 16;
  const Result<json::Reader> reader = json::Reader::Parse(state);
  if (!reader.ok()) return {};
  const std::string path = reader->root()["path"].TextOr("");
  return path.starts_with(kRuns) ? path.substr(kRuns.size(), kIdLength) : "";
}

std::string TokenKey(const Principal& who) { return who.team + "\n" + who.name; }

// The first line of a share: whose it is. With the SHA-256 of the line without that, and of the
// state, so that neither is served when it is another.
std::string HeadOf(std::string_view team, std::string_view token, std::int64_t made_s,
                   std::string_view state) {
  std::string head;
  json::Writer(head)
      .BeginObject()
      .Member("team", team)
      .Member("token", token)
      .Member("made_s", made_s);
  store::Sha256 hash;
  hash.Add(head);
  hash.Add("\n");
  hash.Add(state);
  return head + ",\"sha256\":\"" + hash.Hex() + "\"}\n";
}

// Of versions before this one they have no checksum, and are taken as they are.
bool IsSound(std::string_view text, std::string_view team) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  const Result<json::Reader> head = json::Reader::Parse(text.substr(0, end));
  if (!head.ok() || !head->root().IsObject()) return false;
  const json::Value root = head->root();
  if (root["team"].TextOr("") != team) return false;
  constexpr std::size_t kOlderMembers = 3;
  if (root["sha256"].IsAbsent() && root.Members().size() == kOlderMembers) return true;
  return HeadOf(team, root["token"].TextOr(""), root["made_s"].IntegerOr(0),
                text.substr(end + 1)) == text.substr(0, end + 1);
}

std::string TeamIn(std::string_view text) {
  const Result<json::Reader> head = json::Reader::Parse(text.substr(0, text.find('\n')));
  return head.ok() && head->root().IsObject() ? head->root()["team"].TextOr("") : "";
}

void Touch(const std::string& path, std::int64_t now_s) {
  const timespec times[2] = {{.tv_sec = now_s, .tv_nsec = 0}, {.tv_sec = now_s, .tv_nsec = 0}};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
}

}  // namespace

Shares::Shares(std::string folder, std::string temporary, ShareLimits limits, TeamOfRun team_of_run,
               WallClock now_s)
    : folder_(std::move(folder)),
      temporary_(std::move(temporary)),
      limits_(limits),
      team_of_run_(std::move(team_of_run)),
      now_s_(std::move(now_s)) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().stem().string();
    const std::string ending = entry.path().extension().string();
    if (IsName(name) && (ending == kEnding || ending == kOlderEnding))
      Read(entry.path().string(), name);
  }
}

void Shares::Read(const std::string& path, const std::string& name) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return;
  Known known{.path = path,
              .team = std::nullopt,
              .token = "",
              .bytes = static_cast<std::uint64_t>(status.st_size),
              .used_s = status.st_mtim.tv_sec};
  if (path.ends_with(kEnding)) {
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

std::vector<std::string> Shares::DamagedIn(const std::string& folder) {
  std::vector<std::string> damaged;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (!IsName(entry.path().stem().string()) || !path.ends_with(kEnding)) continue;
    const auto text = ReadFile(path);
    // A server may have removed it since.
    if (!text.ok() && !fs::exists(path)) continue;
    if (!text.ok() || !IsSound(*text, TeamIn(*text))) damaged.push_back(path);
  }
  std::sort(damaged.begin(), damaged.end());
  return damaged;
}

void Shares::Add(const std::string& name, Known known) {
  Sum& sum = of_token_[known.token];
  ++sum.shares;
  sum.bytes += known.bytes;
  ++of_team_[known.team.value_or("")];
  shares_[name] = std::move(known);
}

std::string Shares::TeamFor(const Principal& who, std::string_view state) const {
  if (who.team != kAllTeams) return who.team;
  return team_of_run_(RunIn(state)).value_or("");
}

Result<std::string> Shares::Keep(const Principal& who, const std::string& state) {
  Known known{.path = "",
              .team = TeamFor(who, state),
              .token = TokenKey(who),
              .bytes = 0,
              .used_s = now_s_()};
  const std::string text = HeadOf(*known.team, known.token, known.used_s, state) + state;
  known.bytes = text.size();
  std::string name = store::RandomSecretId();
  known.path = fmt::format("{}/{}{}", folder_, name, kEnding);
  {
    const std::scoped_lock lock(mutex_);
    const Sum& sum = of_token_[known.token];
    // An open server has no tokens: its one reader is everybody.
    if (!who.name.empty() && (sum.shares >= limits_.most_of_token ||
                              sum.bytes + known.bytes > limits_.most_bytes_of_token))
      return Error(StatusCode::kResource,
                   "this token keeps {} states of {} bytes: it may keep {} of {} bytes; those that "
                   "nobody looks at for {} days go",
                   sum.shares, sum.bytes, limits_.most_of_token, limits_.most_bytes_of_token,
                   limits_.unused_s / kDayS);
    if (of_team_[*known.team] >= limits_.most_of_team)
      return Error(StatusCode::kResource, "the team keeps {} states, and may keep no more",
                   limits_.most_of_team);
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

void Shares::Forget(const Known& known) {
  Sum& sum = of_token_[known.token];
  --sum.shares;
  sum.bytes -= known.bytes;
  --of_team_[known.team.value_or("")];
}

bool Shares::May(const Principal& who, const Known& known, std::string_view state) const {
  if (known.team) return who.SeesTeam(*known.team);
  const std::optional<std::string> team = team_of_run_(RunIn(state));
  return team ? who.SeesTeam(*team) : who.role == Role::kAdmin && !who.sees_nothing;
}

Result<std::string> Shares::Find(const Principal& who, const std::string& name) {
  const auto none = [] {
    return Error(StatusCode::kNotFound, "there is no shared state of this name");
  };
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
  if (known.team && !IsSound(*text, *known.team))
    return Error(StatusCode::kBadData, "{}: its checksum is another: it is damaged", known.path);
  if (known.team) text->erase(0, text->find('\n') + 1);
  if (!May(who, known, *text)) return none();
  if (now - known.used_s > kDayS) {
    Touch(known.path, now);
    const std::scoped_lock lock(mutex_);
    if (const auto found = shares_.find(name); found != shares_.end()) found->second.used_s = now;
  }
  return text;
}

void Shares::RemoveUnused() {
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
