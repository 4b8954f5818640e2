#include "agent/triggers/decisions.h"

#include <fmt/core.h>

#include "json/json_text.h"

namespace rankscope::agent {
namespace {

void AppendText(std::string& json, std::string_view key, const std::string& text) {
  json += fmt::format(",\"{}\":", key);
  if (text.empty()) {
    json += "null";
  } else {
    AppendJsonString(json, text);
  }
}

}  // namespace

void Decisions::Add(Decision decision) {
  const std::scoped_lock lock(mutex_);
  kept_.push_back(std::move(decision));
  if (kept_.size() > kMost) kept_.pop_front();
}

std::vector<Decision> Decisions::All() const {
  const std::scoped_lock lock(mutex_);
  return {kept_.begin(), kept_.end()};
}

std::string ToJson(const std::vector<Decision>& decisions) {
  std::string json = "{\"triggers\":[";
  for (const Decision& one : decisions) {
    if (json.back() != '[') json += ',';
    json += fmt::format("{{\"time_unix_ms\":{},\"decision\":\"{}\",\"processes\":{}", one.unix_ms,
                        one.is_taken ? "taken" : "refused", one.processes);
    AppendText(json, "trigger", one.trigger);
    AppendText(json, "cause", one.cause);
    AppendText(json, "job", one.job);
    AppendText(json, "reason", one.reason);
    AppendText(json, "capture", one.capture);
    json += '}';
  }
  return json + "]}";
}

}  // namespace rankscope::agent
