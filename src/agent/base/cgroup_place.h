// The pod and container of a process, from the text of its /proc/PID/cgroup. It works for every
// runtime (containerd, CRI-O, Docker, Podman) and driver (systemd, cgroupfs).
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

// The place and its names.
struct Placed {
  CgroupPlace place;
  PlaceNames names;
};

// "NAMESPACE/NAME"; empty if unknown.
std::string PodText(const PlaceNames& names);

// For cgroup v1 (many lines) and v2 (one line). The result is the innermost container: if a node is
// itself a container, that is the pod's. An outer container gives only its id, without a pod.
// O(text).
CgroupPlace PlaceIn(std::string_view cgroup);

}  // namespace rankscope::agent
