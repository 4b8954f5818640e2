#include "agent/pods.h"

#include <chrono>

#include "agent/base/small_file.h"
#include "json/reader.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostPods = 4096;
constexpr std::size_t kMostContainers = 16'384;
constexpr std::size_t kMostName = 253;  // of Kubernetes' own

std::string NameIn(const json::Value& value) {
  std::string text = value.TextOr("");
  return text.size() <= kMostName ? text : "";
}

bool IsPage(std::string_view from) {
  return from.starts_with("http://") || from.starts_with("https://");
}

// "containerd://aaaa...": the runtime, and the id.
void TakeContainers(const json::Value& statuses, PodList& list) {
  for (const json::Value& status : statuses.Items()) {
    if (list.containers.size() >= kMostContainers) return;
    const std::string id = NameIn(status["containerID"]);
    const std::size_t scheme = id.find("://");
    const std::string name = NameIn(status["name"]);
    if (scheme != std::string::npos && !name.empty())
      list.containers.emplace(id.substr(scheme + 3), name);
  }
}

std::unique_ptr<Page> PageOf(const std::string& from) {
  if (!IsPage(from)) return nullptr;
  const Result<PageAddress> address = ParsePage(from);
  return address.ok() ? std::make_unique<Page>(*address) : nullptr;
}

}  // namespace

Result<PodList> ParsePodList(std::string_view json) {
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(json));
  const json::Value items = reader.root()["items"];
  if (!items.IsArray()) return Error(StatusCode::kBadData, "it is no list of pods: no \"items\"");
  PodList list;
  for (const json::Value& pod : items.Items()) {
    if (list.pods.size() >= kMostPods) break;
    const json::Value metadata = pod["metadata"];
    const PlaceNames names = {.pod = NameIn(metadata["name"]),
                              .pod_namespace = NameIn(metadata["namespace"]),
                              .container = ""};
    const std::string uid = NameIn(metadata["uid"]);
    if (uid.empty() || names.pod.empty()) continue;
    list.pods.emplace(uid, names);
    // The groups of a static pod are called by this, and its uid is that of its mirror.
    const std::string hash = NameIn(metadata["annotations"]["kubernetes.io/config.hash"]);
    if (!hash.empty()) list.pods.emplace(hash, names);
    const json::Value status = pod["status"];
    for (const char* const kind :
         {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"})
      TakeContainers(status[kind], list);
  }
  return list;
}

Status CheckPodsFrom(std::string_view from) {
  if (from.empty() || from.starts_with('/')) return OkStatus();
  if (IsPage(from)) return ParsePage(from).status();
  return Error(StatusCode::kInvalidArgument,
               "'{}' is neither the path of a file nor a page such as "
               "http://127.0.0.1:10255/pods",
               from);
}

Pods::Pods(std::string from) : from_(std::move(from)), page_(PageOf(from_)) {}

Status Pods::Read() {
  RS_ASSIGN_OR_RETURN(const std::string text,
                      page_ ? page_->Get() : ReadSmallFile(from_, Page::kMostBytes));
  Result<PodList> list = ParsePodList(text);
  if (!list.ok()) return Error(list.status().code(), "{}: {}", from_, list.status().message());
  const std::scoped_lock lock(mutex_);
  list_ = *std::move(list);
  return OkStatus();
}

PlaceNames Pods::NamesOf(const CgroupPlace& place) const {
  const std::scoped_lock lock(mutex_);
  const auto pod = list_.pods.find(place.pod_uid);
  PlaceNames names = pod == list_.pods.end() ? PlaceNames() : pod->second;
  const auto container = list_.containers.find(place.container);
  if (container != list_.containers.end()) names.container = container->second;
  return names;
}

std::size_t Pods::size() const {
  const std::scoped_lock lock(mutex_);
  return list_.pods.size();
}

void Pods::Abort() {
  if (page_) page_->Abort();
}

Source SourceOf(Pods& pods) {
  return {"pods", std::chrono::milliseconds(30'000),
          [&pods](const std::string&, Readings& readings) -> Status {
            RS_RETURN_IF_ERROR(pods.Read());
            readings.Add(quantity::kAgentPodsKnown, {}, static_cast<double>(pods.size()));
            return OkStatus();
          }};
}

}  // namespace rankscope::agent
