// Where a process runs, by the text of its /proc/PID/cgroup: its pod and its container, whichever
// runtime (containerd, CRI-O, Docker, Podman) and driver (systemd, cgroupfs) made the groups.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::agent {

struct CgroupPlace {
  std::string pod_uid;    // of Kubernetes, with dashes as its API has it; empty: none
  std::string container;  // the id, 64 hexadecimal digits; empty: none
  bool operator==(const CgroupPlace&) const = default;
};

struct PlaceNames {
  std::string pod, pod_namespace, container;  // empty: not known
};

// Where, and what that is called.
struct Placed {
  CgroupPlace place;
  PlaceNames names;
};

// "NAMESPACE/NAME"; empty where it is not known.
std::string PodText(const PlaceNames& names);

// Of cgroup v1 (many lines) and v2 (one). The innermost container: where a node is one itself, it
// is the pod's. Of an outer container alone the id is told without a pod. O(text).
CgroupPlace PlaceIn(std::string_view cgroup);

}  // namespace rankscope::agent
