#include "agent/central_settings.h"

#include <algorithm>

#include "agent/try_config.h"
#include "base/file.h"
#include "json/reader.h"
#include "json/writer.h"

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostId = 64;

Status Refused(std::string_view key, std::string_view what) {
  return Error(StatusCode::kInvalidArgument, "{} {}", key, what);
}

Result<std::vector<std::string>> ReadTexts(std::string_view key, const json::Value& value) {
  if (!value.IsArray()) return Refused(key, "is no list of texts");
  std::vector<std::string> texts;
  for (const json::Value& one : value.Items()) {
    const auto text = one.Text();
    if (!text) return Refused(key, "is no list of texts");
    if (texts.size() >= api::kMostCentralTexts || text->size() > api::kMostCentralText)
      return Refused(key, "is too long");
    texts.emplace_back(*text);
  }
  return texts;
}

std::vector<std::string> AllProblems(const AgentConfig& config) {
  std::vector<std::string> problems;
  for (const Status& one : ProblemsOf(config)) problems.push_back(one.message());
  ConfigTrial trial = TryConfig(config);
  problems.insert(problems.end(), trial.problems.begin(), trial.problems.end());
  return problems;
}

}  // namespace

Result<GivenSettings> ReadGivenSettings(const json::Value& value) {
  if (!value.IsObject()) return Error(StatusCode::kBadData, "they are no object");
  GivenSettings given{.id = value["id"].TextOr(""), .values = {}};
  if (given.id.size() > kMostId) return Error(StatusCode::kBadData, "their id is too long");
  if (!value["values"].IsObject()) return Error(StatusCode::kBadData, "they have no values");
  const auto keys = api::CentralKeys();
  for (const json::Member& member : value["values"].Members()) {
    // A name that is not ours may be as long as it likes.
    const std::string_view key = member.name.substr(0, 100);
    if (std::ranges::find(keys, key) == keys.end())
      return Refused(key, "is no setting that a server may give");
    RS_ASSIGN_OR_RETURN(given.values[std::string(key)], ReadTexts(key, member.value));
  }
  return given;
}

Result<AgentConfig> WithCentral(const AgentConfig& local, const api::CentralValues& values) {
  AgentConfig config = local;
  for (const auto& [key, texts] : values) {
    if (local.given.contains(key)) continue;
    RS_RETURN_IF_ERROR(SetValues(key, texts, config));
  }
  config.given = local.given;
  const std::vector<std::string> usual = AllProblems(local);
  for (const std::string& problem : AllProblems(config)) {
    if (std::ranges::find(usual, problem) == usual.end())
      return Error(StatusCode::kInvalidArgument, "{}", problem);
  }
  return config;
}

CentralSettings::CentralSettings(AgentConfig local, std::string file,
                                 std::function<void(std::string_view)> said)
    : local_(std::move(local)), file_(std::move(file)), said_(std::move(said)), config_(local_) {
  TakeKept();
}

void CentralSettings::TakeKept() {
  if (file_.empty()) return;
  const Result<std::string> text = ReadFile(file_);
  if (!text.ok() || text->size() > 2 * api::kMostCentralBytes) return;
  const Result<json::Reader> reader = json::Reader::Parse(*text);
  // Of another server they are none of this one.
  if (!reader.ok() || reader->root()["server"].TextOr("") != local_.server_url) return;
  Result<GivenSettings> given = ReadGivenSettings(reader->root()["settings"]);
  if (!given.ok()) return;
  Result<AgentConfig> config = WithCentral(local_, given->values);
  if (!config.ok()) {
    said_(fmt::format("settings of {} that were kept are left out: {}", local_.server_url,
                      config.status().message()));
    return;
  }
  config_ = *std::move(config);
  given_ = *std::move(given);
}

AgentConfig CentralSettings::Config() const {
  const std::scoped_lock lock(mutex_);
  return config_;
}

void CentralSettings::Refuse(const std::string& id, const Status& why) {
  said_(fmt::format("settings of {} are refused, those before stay: {}", local_.server_url,
                    why.message()));
  refused_ = id;
  problem_ = why.message();
}

std::optional<AgentConfig> CentralSettings::Take(const json::Value& value) {
  const std::scoped_lock lock(mutex_);
  const std::string id = value["id"].TextOr("").substr(0, kMostId);
  if (id == given_.id && refused_.empty()) return std::nullopt;
  if (!refused_.empty() && id == refused_) return std::nullopt;
  const std::string text = value.ToString();
  if (text.size() > api::kMostCentralBytes) {
    Refuse(id,
           Error(StatusCode::kResource, "they take more than {} bytes", api::kMostCentralBytes));
    return std::nullopt;
  }
  Result<GivenSettings> given = ReadGivenSettings(value);
  if (!given.ok()) {
    Refuse(id, given.status());
    return std::nullopt;
  }
  Result<AgentConfig> config = WithCentral(local_, given->values);
  if (!config.ok()) {
    Refuse(id, config.status());
    return std::nullopt;
  }
  refused_.clear();
  problem_.clear();
  given_ = *std::move(given);
  config_ = *std::move(config);
  std::string keys, hidden;
  for (const auto& [key, texts] : given_.values) {
    std::string& list = local_.given.contains(key) ? hidden : keys;
    list += (list.empty() ? "" : ", ") + key;
  }
  said_(fmt::format("settings of {}: {}{}", local_.server_url, keys.empty() ? "none" : keys,
                    hidden.empty() ? "" : "; this host's own stay for " + hidden));
  Keep(given_, text);
  return config_;
}

void CentralSettings::Keep(const GivenSettings& given, std::string_view text) const {
  if (file_.empty()) return;
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("server", local_.server_url).Key("settings").Raw(text).EndObject();
  const auto write = [&]() -> Status {
    RS_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(file_));
    RS_RETURN_IF_ERROR(file->Write(json.data(), json.size()));
    return file->Commit();
  };
  const Status written = write();
  if (!written.ok())
    said_(fmt::format("settings {} hold until the agent ends: {}", given.id, written.message()));
}

void CentralSettings::WriteState(json::Writer& writer) const {
  const std::scoped_lock lock(mutex_);
  writer.Key("settings").BeginObject().Member("id", given_.id).Member("refused", refused_);
  writer.Member("problem", problem_).EndObject();
}

CentralNumbers CentralSettings::numbers() const {
  const std::scoped_lock lock(mutex_);
  CentralNumbers numbers{.are_refused = !refused_.empty(), .in_force = 0};
  for (const auto& [key, texts] : given_.values)
    numbers.in_force += local_.given.contains(key) ? 0 : 1;
  return numbers;
}

}  // namespace rankscope::agent
