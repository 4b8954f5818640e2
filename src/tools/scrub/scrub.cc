#include "tools/scrub/scrub.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "base/hash.h"
#include "formats/kineto/edit/event_reader.h"
#include "formats/kineto/kinds.h"
#include "tools/scrub/json_scrubber.h"

namespace rankscope::tools {
namespace {

using kineto::EventText;

class ScrubStage : public EventStage {
 public:
  ScrubStage(const SipKey& key, ReplacementLog* log) : json_(key, log) {}

  Verdict Apply(const EventText& event, std::uint64_t, std::string& out) override {
    if (!json_.Append(event.text, JsonRole::kEvent, KindOf(*event.fields), out))
      return Verdict::kDrop;
    return out == event.text ? Verdict::kKeep : Verdict::kChanged;
  }

 private:
  // How the event's name is made.
  static NameKind KindOf(const kineto::RawEvent& event) {
    switch (kineto::KindOfCategory(kineto::Unquote(event.category))) {
      case EventKind::kCpuOp:
      case EventKind::kRuntime:
      case EventKind::kKernel:
      case EventKind::kMemcpy:
      case EventKind::kMemset:
      case EventKind::kDeviceSync:
      case EventKind::kProfilerRange:
        return NameKind::kCode;
      case EventKind::kPythonFunction:
        return NameKind::kPython;
      default:
        break;
    }
    const bool is_profilers =
        event.phase == "M" || kineto::IsLaunchFlow(kineto::Unquote(event.category));
    return is_profilers ? NameKind::kCode : NameKind::kGeneric;
  }

  JsonScrubber json_;
};

void ScrubOuter(JsonScrubber& json, Survey& survey) {
  for (auto& [key, value] : survey.values) {
    std::string new_key;
    std::string new_value;
    json.AppendMember(key, value, JsonRole::kOuter, new_key, new_value);
    key = std::move(new_key);
    value = std::move(new_value);
  }
  for (std::string& pid : survey.pids) {
    std::string scrubbed;
    if (json.Append(pid, JsonRole::kGeneric, NameKind::kGeneric, scrubbed))
      pid = std::move(scrubbed);
  }
}

}  // namespace

Result<SipKey> KeyOf(std::string_view secret) {
  SipKey key;
  if (!secret.empty()) {
    const Hash128 hash = HashBytes(secret);
    key = {hash.low, hash.high};
  } else if (getrandom(&key, sizeof(key), 0) != static_cast<ssize_t>(sizeof(key))) {
    return Error(StatusCode::kIo, "the system gives no random numbers: {}", std::strerror(errno));
  }
  return key;
}

Result<ScrubReport> ScrubTrace(const std::string& from, const std::string& to, const SipKey& key,
                               ReplacementLog* log, int threads) {
  RS_ASSIGN_OR_RETURN(const std::vector<Document> documents, DocumentsOf(from));
  RS_RETURN_IF_ERROR(CheckOutput(to, documents));
  ScrubReport report;
  JsonScrubber json(key, log);
  std::vector<TraceToWrite> traces;
  for (const Document& document : documents) {
    TraceToWrite trace;
    trace.document = document;
    RS_ASSIGN_OR_RETURN(trace.survey, SurveyOf(document, {.threads = threads}));
    if (std::string loss = LossOf(document, trace.survey); !loss.empty())
      report.losses.push_back(std::move(loss));
    ScrubOuter(json, trace.survey);
    trace.document.name = json.names().Scrub(document.name, NameKind::kGeneric);
    trace.make_stage = [&] { return std::make_unique<ScrubStage>(key, log); };
    traces.push_back(std::move(trace));
  }
  const bool is_merged = documents.front().part != kWholeFile;
  RS_ASSIGN_OR_RETURN(report.written,
                      WriteTraces(traces, is_merged ? Form::kMerged : Form::kSingle, to, threads));
  if (log != nullptr && log->is_full())
    return Error(StatusCode::kResource, "more names were replaced than --map can hold");
  return report;
}

std::string ScrubFileName(const std::string& name, const SipKey& key, ReplacementLog* log) {
  return NameScrubber(key, log).Scrub(name, NameKind::kGeneric);
}

}  // namespace rankscope::tools
