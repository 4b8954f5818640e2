#include "service/access/share_text.h"

#include "json/reader.h"
#include "json/writer.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

// {"path":"/runs/0123456789abcdef/timeline",...}
std::string RunInShare(std::string_view state) {
  constexpr std::string_view kRuns = "/runs/";
  constexpr std::size_t kIdLength = 16;
  const Result<json::Reader> reader = json::Reader::Parse(state);
  if (!reader.ok()) return {};
  const std::string path = reader->root()["path"].TextOr("");
  return path.starts_with(kRuns) ? path.substr(kRuns.size(), kIdLength) : "";
}

}  // namespace

std::string ShareOwner(const Principal& who) { return who.team + "\n" + who.name; }

std::string HeadOfShare(std::string_view team, std::string_view token, std::int64_t made_s,
                        std::string_view state) {
  std::string head;
  json::Writer writer(head);
  writer.BeginObject().Member("team", team).Member("token", token).Member("made_s", made_s);
  // Of the head as far as it stands now, and of the state.
  store::Sha256 hash;
  hash.Add(head);
  hash.Add("\n");
  hash.Add(state);
  writer.Member("sha256", hash.Hex()).EndObject();
  return head + "\n";
}

bool IsSoundShare(std::string_view text, std::string_view team) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  const Result<json::Reader> head = json::Reader::Parse(text.substr(0, end));
  if (!head.ok() || !head->root().IsObject()) return false;
  const json::Value root = head->root();
  if (root["team"].TextOr("") != team) return false;
  constexpr std::size_t kOlderMembers = 3;
  if (root["sha256"].IsAbsent() && root.Members().size() == kOlderMembers) return true;
  return HeadOfShare(team, root["token"].TextOr(""), root["made_s"].IntegerOr(0),
                     text.substr(end + 1)) == text.substr(0, end + 1);
}

std::string TeamInShare(std::string_view text) {
  const Result<json::Reader> head = json::Reader::Parse(text.substr(0, text.find('\n')));
  return head.ok() && head->root().IsObject() ? head->root()["team"].TextOr("") : "";
}

std::string TeamOfShare(const Principal& who, std::string_view state,
                        const Shares::TeamOfRun& team_of_run) {
  if (who.team != kAllTeams) return who.team;
  return team_of_run(RunInShare(state)).value_or("");
}

bool MaySeeShare(const Principal& who, const std::optional<std::string>& team,
                 std::string_view state, const Shares::TeamOfRun& team_of_run) {
  if (team) return who.SeesTeam(*team);
  const std::optional<std::string> of_run = team_of_run(RunInShare(state));
  return of_run ? who.SeesTeam(*of_run) : who.role == Role::kAdmin && !who.sees_nothing;
}

Status NoShare() { return Error(StatusCode::kNotFound, "there is no shared state of this name"); }

Status TokenIsFull(std::size_t shares, std::uint64_t bytes, const ShareLimits& limits) {
  return Error(StatusCode::kResource,
               "this token keeps {} states of {} bytes: it may keep {} of {} bytes; those that "
               "nobody looks at for {} days go",
               shares, bytes, limits.most_of_token, limits.most_bytes_of_token,
               limits.unused_s / kDayS);
}

Status TeamIsFull(const ShareLimits& limits) {
  return Error(StatusCode::kResource, "the team keeps {} states, and may keep no more",
               limits.most_of_team);
}

}  // namespace rankscope::service
