#include "service/hosts/agent_settings.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/file.h"
#include "base/nearest_name.h"
#include "base/toml.h"
#include "json/writer.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

constexpr std::size_t kMostGroups = 1000;
constexpr std::size_t kShownId = 16;

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Result<std::vector<SettingsForHosts>> Run() {
    if (text_.size() > api::kMostCentralBytes)
      return Error(StatusCode::kInvalidArgument, "{}: more than {} bytes", name_,
                   api::kMostCentralBytes);
    RS_ASSIGN_OR_RETURN(const toml::table table, ParseToml(text_, name_));
    std::vector<SettingsForHosts> all(1);
    for (const auto& [key, node] : table) {
      if (key.str() == "only") continue;
      RS_RETURN_IF_ERROR(Take(std::string(key.str()), node, all[0].values));
    }
    const toml::node* const only = table.get("only");
    if (only == nullptr) return all;
    const toml::array* const groups = only->as_array();
    if (groups == nullptr || !groups->is_array_of_tables())
      return Wrong(*only, "only is written [[only]], once for each group of hosts");
    if (groups->size() > kMostGroups) return Wrong(*only, "more than 1,000 groups of hosts");
    for (const toml::node& group : *groups) {
      SettingsForHosts& made = all.emplace_back();
      RS_RETURN_IF_ERROR(TakeGroup(*group.as_table(), made));
      if (made.hosts.empty() && made.team.empty())
        return Wrong(group, "[[only]] says by hosts = [\"...\"] or team = \"...\" whom it is for");
    }
    return all;
  }

 private:
  Status Wrong(const toml::node& node, std::string_view what) const {
    return Error(StatusCode::kInvalidArgument, "{}: line {}: {}", name_, node.source().begin.line,
                 what);
  }

  Status TakeGroup(const toml::table& table, SettingsForHosts& made) const {
    for (const auto& [key, node] : table) {
      if (key.str() == "team") {
        const auto* const team = node.as_string();
        if (team == nullptr || team->get().empty()) return Wrong(node, "team is a name");
        made.team = team->get();
      } else if (key.str() == "hosts") {
        RS_ASSIGN_OR_RETURN(made.hosts, Texts("hosts", node));
        if (made.hosts.empty()) return Wrong(node, "hosts names none");
      } else {
        RS_RETURN_IF_ERROR(Take(std::string(key.str()), node, made.values));
      }
    }
    return OkStatus();
  }

  // `key` is the path to `node`, with dots.
  Status Take(const std::string& key, const toml::node& node, api::CentralValues& values) const {
    if (const toml::table* const table = node.as_table()) {
      for (const auto& [name, inner] : *table)
        RS_RETURN_IF_ERROR(Take(key + "." + std::string(name.str()), inner, values));
      return OkStatus();
    }
    const auto keys = api::CentralKeys();
    if (std::ranges::find(keys, key) == keys.end()) {
      const std::vector<std::string> names(keys.begin(), keys.end());
      const std::string_view nearest = NearestName(key, names);
      return Wrong(node,
                   fmt::format("{} is no setting that agents take from a server{}", key,
                               nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)));
    }
    RS_ASSIGN_OR_RETURN(values[key], Texts(key, node));
    return OkStatus();
  }

  Result<std::vector<std::string>> Texts(const std::string& key, const toml::node& node) const {
    if (const auto* text = node.as_string()) return One(node, text->get());
    if (const auto* number = node.as_integer()) return One(node, std::to_string(number->get()));
    if (const auto* flag = node.as_boolean()) return One(node, flag->get() ? "true" : "false");
    const toml::array* const list = node.as_array();
    if (list == nullptr)
      return Wrong(node, key + " is a text, a whole number, true or false, or a list of texts");
    if (list->size() > api::kMostCentralTexts)
      return Wrong(node, fmt::format("{} has more than {} texts", key, api::kMostCentralTexts));
    std::vector<std::string> texts;
    for (const toml::node& item : *list) {
      if (!item.is_string()) return Wrong(node, key + " is a list of texts");
      RS_ASSIGN_OR_RETURN(const std::vector<std::string> one, One(item, item.as_string()->get()));
      texts.push_back(one.front());
    }
    return texts;
  }

  Result<std::vector<std::string>> One(const toml::node& node, std::string text) const {
    if (text.size() > api::kMostCentralText)
      return Wrong(node, fmt::format("a text of more than {} bytes", api::kMostCentralText));
    return std::vector<std::string>{std::move(text)};
  }

  const std::string_view text_;
  const std::string& name_;
};

bool AreFor(const SettingsForHosts& settings, std::string_view team, const std::string& host) {
  if (!settings.team.empty() && settings.team != team) return false;
  return settings.hosts.empty() ||
         std::ranges::any_of(settings.hosts, [&](const std::string& pattern) {
           return fnmatch(pattern.c_str(), host.c_str(), 0) == 0;
         });
}

}  // namespace

Result<std::vector<SettingsForHosts>> ParseAgentSettings(std::string_view text,
                                                         const std::string& name) {
  return Parser(text, name).Run();
}

SettingsOfHost SettingsFor(const std::vector<SettingsForHosts>& all, std::string_view team,
                           const std::string& host) {
  api::CentralValues values;
  for (const SettingsForHosts& one : all) {
    if (!AreFor(one, team, host)) continue;
    for (const auto& [key, texts] : one.values) values[key] = texts;
  }
  std::string text;
  json::Writer writer(text);
  writer.BeginObject();
  for (const auto& [key, texts] : values) {
    writer.Key(key).BeginArray();
    for (const std::string& one : texts) writer.Write(one);
    writer.EndArray();
  }
  writer.EndObject();
  SettingsOfHost made;
  if (!values.empty()) made.id = store::Sha256Of(text).substr(0, kShownId);
  json::Writer whole(made.json);
  whole.BeginObject().Member("id", made.id).Key("values").Raw(text).EndObject();
  return made;
}

Result<std::unique_ptr<AgentSettings>> AgentSettings::Open(
    std::string path, std::function<void(std::string_view)> said) {
  std::unique_ptr<AgentSettings> made(new AgentSettings(std::move(path), std::move(said)));
  RS_RETURN_IF_ERROR(made->ReadLocked(made->StampNow()));
  return made;
}

AgentSettings::Stamp AgentSettings::StampNow() const {
  struct stat status {};
  if (stat(path_.c_str(), &status) != 0) return {};
  constexpr std::int64_t kNsPerS = 1'000'000'000;
  return {.inode = status.st_ino,
          .size = status.st_size,
          .modified_ns = status.st_mtim.tv_sec * kNsPerS + status.st_mtim.tv_nsec};
}

Status AgentSettings::ReadLocked(const Stamp& stamp) {
  stamp_ = stamp;
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path_));
  RS_ASSIGN_OR_RETURN(settings_, ParseAgentSettings(text, path_));
  return OkStatus();
}

SettingsOfHost AgentSettings::For(std::string_view team, const std::string& host) {
  const std::scoped_lock lock(mutex_);
  const Stamp now = StampNow();
  if (now != stamp_) {
    const Status read = ReadLocked(now);
    if (said_)
      said_(read.ok() ? path_ + ": agents are given what it says now"
                      : read.message() + "; agents keep what it said before");
  }
  return SettingsFor(settings_, team, host);
}

}  // namespace rankscope::service
