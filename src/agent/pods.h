// Pods: what pods and containers are called, by their ids: as the kubelet of this host lists them,
// or a file that somebody else keeps. Without either, ids alone are known.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "agent/base/cgroup_place.h"
#include "agent/telemetry/page.h"
#include "agent/telemetry/sample.h"
#include "base/status.h"

namespace rankscope::agent {

struct PodList {
  std::map<std::string, PlaceNames, std::less<>> pods;         // by uid, and that in groups
  std::map<std::string, std::string, std::less<>> containers;  // name by id
};
// A v1.PodList of Kubernetes, as /pods of the kubelet and `kubectl get pods -o json` have it. What
// of it has no uid or name is left out. kBadData for what is none.
Result<PodList> ParsePodList(std::string_view json);

// A path, or the address of a page. kInvalidArgument for what is neither.
Status CheckPodsFrom(std::string_view from);

// Safe for many threads, but Read.
class Pods {
 public:
  // `from`: CheckPodsFrom; empty: nothing is read.
  explicit Pods(std::string from);

  bool is_asked() const { return !from_.empty(); }
  // Anew. One thread.
  Status Read();
  std::size_t size() const;  // pods that are known by name
  PlaceNames NamesOf(const CgroupPlace& place) const;
  // Ends what Read waits for.
  void Abort();

 private:
  const std::string from_;
  const std::unique_ptr<Page> page_;  // null: a file
  mutable std::mutex mutex_;
  PodList list_;
};

// Reads them every half a minute; the readings are how many there are.
Source SourceOf(Pods& pods);

}  // namespace rankscope::agent
