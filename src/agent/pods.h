// Pods: the names of pods and containers, by their ids. They come from the kubelet of this host, or
// from a file that somebody else maintains. Without either, only ids are known.
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
// A v1.PodList of Kubernetes, as /pods of the kubelet and `kubectl get pods -o json` return it.
// Entries without uid or name are left out. kBadData if it is no such list.
Result<PodList> ParsePodList(std::string_view json);

// A path, or the address of a page. kInvalidArgument for anything else.
Status CheckPodsFrom(std::string_view from);

// Safe for many threads, except Read.
class Pods {
 public:
  // `from`: CheckPodsFrom; empty: nothing is read.
  explicit Pods(std::string from);

  bool is_asked() const { return !from_.empty(); }
  // Anew. One thread.
  Status Read();
  std::size_t size() const;  // pods that are known by name
  PlaceNames NamesOf(const CgroupPlace& place) const;
  // Ends the wait of Read.
  void Abort();

 private:
  const std::string from_;
  const std::unique_ptr<Page> page_;  // null: a file
  mutable std::mutex mutex_;
  PodList list_;
};

// Reads them every half a minute; its readings are their numbers.
Source SourceOf(Pods& pods);

}  // namespace rankscope::agent
