#include "agent/triggers/decisions.h"

#include "json/writer.h"

namespace rankscope::agent {
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
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Key("triggers").BeginArray();
  for (const Decision& one : decisions) {
    writer.BeginObject().Member("time_unix_ms", one.unix_ms);
    writer.Member("decision", one.is_taken ? "taken" : "refused");
    writer.Member("processes", one.processes).TextMember("trigger", one.trigger);
    writer.TextMember("cause", one.cause).TextMember("job", one.job);
    writer.TextMember("reason", one.reason).TextMember("capture", one.capture).EndObject();
  }
  writer.EndArray().EndObject();
  return json;
}

}  // namespace rankscope::agent
