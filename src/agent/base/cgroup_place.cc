#include "agent/base/cgroup_place.h"

#include <algorithm>

#include "agent/base/fields.h"

namespace rankscope::agent {
namespace {

constexpr std::size_t kIdDigits = 64;
constexpr std::size_t kUidDigits = 32;

bool IsHexadecimal(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// "8c7a5f0e-....", "8c7a5f0e_...." (of the systemd driver), and 32 digits without either: a static
// pod is called by the hash of its file.
std::string UidOf(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (IsHexadecimal(c)) {
      digits += c;
    } else if (c != '-' && c != '_') {
      return {};
    }
  }
  if (digits.size() != kUidDigits) return {};
  if (text.size() == kUidDigits) return digits;
  constexpr std::size_t kDashes[] = {8, 13, 18, 23};
  for (const std::size_t at : kDashes) digits.insert(at, "-");
  std::string told(text);
  std::ranges::replace(told, '_', '-');
  return told == digits ? digits : "";
}

// "pod<uid>", "kubepods-burstable-pod<uid>.slice", "kubelet-kubepods-pod<uid>.slice".
std::string PodIn(std::string_view part) {
  if (part.ends_with(".slice")) part.remove_suffix(std::string_view(".slice").size());
  const std::size_t at = part.rfind("pod");
  if (at == std::string_view::npos || (at > 0 && part[at - 1] != '-')) return {};
  return UidOf(part.substr(at + 3));
}

// "<id>", "cri-containerd-<id>.scope", "crio-<id>.scope", "docker-<id>.scope", "libpod-<id>".
// "crio-conmon-<id>.scope" is the watchman beside the container.
std::string ContainerIn(std::string_view part) {
  if (part.ends_with(".scope")) part.remove_suffix(std::string_view(".scope").size());
  if (part.size() < kIdDigits || part.find("conmon-") != std::string_view::npos) return {};
  const std::string_view id = part.substr(part.size() - kIdDigits);
  const bool is_whole = part.size() == kIdDigits || part[part.size() - kIdDigits - 1] == '-';
  return is_whole && std::ranges::all_of(id, IsHexadecimal) ? std::string(id) : "";
}

CgroupPlace PlaceOf(std::string_view path) {
  CgroupPlace place;
  while (!path.empty()) {
    // containerd beside a systemd that it does not speak to:
    // "kubepods-...pod<uid>.slice:cri-containerd:<id>".
    const std::size_t end = path.find_first_of("/:");
    const std::string_view part = path.substr(0, end);
    path = end == std::string_view::npos ? "" : path.substr(end + 1);
    if (std::string pod = PodIn(part); !pod.empty()) {
      // What is around the pod is its node.
      place = {.pod_uid = std::move(pod), .container = {}};
    } else if (std::string id = ContainerIn(part); !id.empty()) {
      place.container = std::move(id);
    }
  }
  return place;
}

}  // namespace

std::string PodText(const PlaceNames& names) {
  return names.pod_namespace.empty() ? names.pod : names.pod_namespace + "/" + names.pod;
}

CgroupPlace PlaceIn(std::string_view cgroup) {
  CgroupPlace place;
  ForEachLine(cgroup, [&](std::string_view line) {
    if (!place.pod_uid.empty() && !place.container.empty()) return;
    // "4:memory:/kubepods/...", "0::/kubepods.slice/...": a path may have colons itself.
    const std::size_t first = line.find(':');
    if (first == std::string_view::npos) return;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) return;
    CgroupPlace found = PlaceOf(line.substr(second + 1));
    const bool says_more = found.pod_uid.empty()
                               ? place.pod_uid.empty() && place.container.empty()
                               : place.pod_uid.empty() || !found.container.empty();
    if (says_more) place = std::move(found);
  });
  return place;
}

}  // namespace rankscope::agent
