// Groups as runtimes and kubelets make them; names and ids are made up.
#include "agent/base/cgroup_place.h"

#include <gtest/gtest.h>

namespace rankscope::agent {
namespace {

const std::string kCgroupPlaceId(64, 'a');
const std::string kOuter = std::string(63, 'b') + "0";
const std::string kPod = "8c7a5f0e-1b2c-4d3e-9f80-0123456789ab";
const std::string kScored = "8c7a5f0e_1b2c_4d3e_9f80_0123456789ab";

CgroupPlace Pod(const std::string& id = kCgroupPlaceId) {
  return {.pod_uid = kPod, .container = id};
}

TEST(CgroupPlace, OfPodsByRuntimeAndDriver) {
  const std::pair<const char*, std::string> told[] = {
      {"v2, systemd, containerd",
       "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + kScored +
           ".slice/cri-containerd-" + kCgroupPlaceId + ".scope\n"},
      {"v2, systemd, CRI-O, guaranteed",
       "0::/kubepods.slice/kubepods-pod" + kScored + ".slice/crio-" + kCgroupPlaceId + ".scope\n"},
      {"v2, systemd, Docker by cri-dockerd",
       "0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" + kScored +
           ".slice/docker-" + kCgroupPlaceId + ".scope\n"},
      {"v2, cgroupfs, containerd",
       "0::/kubepods/besteffort/pod" + kPod + "/" + kCgroupPlaceId + "\n"},
      {"v2, cgroupfs, guaranteed", "0::/kubepods/pod" + kPod + "/" + kCgroupPlaceId + "\n"},
      {"v2, a group of the container's own below",
       "0::/kubepods/pod" + kPod + "/" + kCgroupPlaceId + "/init.scope\n"},
      {"v2, CRI-O's inner group", "0::/kubepods.slice/kubepods-pod" + kScored + ".slice/crio-" +
                                      kCgroupPlaceId + ".scope/container\n"},
      {"v1, cgroupfs", "12:pids:/kubepods/burstable/pod" + kPod + "/" + kCgroupPlaceId +
                           "\n11:devices:/kubepods/burstable/pod" + kPod + "/" + kCgroupPlaceId +
                           "\n1:name=systemd:/kubepods/burstable/pod" + kPod + "/" +
                           kCgroupPlaceId + "\n"},
      {"v1, systemd", "12:freezer:/kubepods.slice/kubepods-pod" + kScored +
                          ".slice/cri-containerd-" + kCgroupPlaceId + ".scope\n"},
      {"v1 beside an empty v2",
       "0::/\n4:memory:/kubepods/pod" + kPod + "/" + kCgroupPlaceId + "\n"},
      {"v1, some controllers are the root's",
       "13:misc:/\n12:rdma:/\n4:memory:/kubepods/pod" + kPod + "/" + kCgroupPlaceId + "\n"},
      {"containerd that does not speak to systemd",
       "0::/system.slice/containerd.service/kubepods-burstable-pod" + kScored +
           ".slice:cri-containerd:" + kCgroupPlaceId + "\n"},
      {"a node that is a container (kind)",
       "0::/docker/" + kOuter +
           "/kubelet.slice/kubelet-kubepods.slice/"
           "kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod" +
           kScored + ".slice/cri-containerd-" + kCgroupPlaceId + ".scope\n"},
      {"seen from another group", "0::/../../pod" + kPod + "/" + kCgroupPlaceId + "\n"},
  };
  for (const auto& [what, text] : told) EXPECT_EQ(PlaceIn(text), Pod()) << what << ": " << text;
  // Between its begin and the container's.
  EXPECT_EQ(PlaceIn("0::/docker/" + kOuter + "/kubepods/pod" + kPod + "\n"), Pod(""));
  // Static pods.
  EXPECT_EQ(
      PlaceIn("0::/kubepods/burstable/pod0123456789abcdef0123456789abcdef/" + kCgroupPlaceId +
              "\n"),
      (CgroupPlace{.pod_uid = "0123456789abcdef0123456789abcdef", .container = kCgroupPlaceId}));
}

TEST(CgroupPlace, OfContainersWithoutAPod) {
  const std::string told[] = {
      "0::/docker/" + kCgroupPlaceId + "\n",
      "0::/system.slice/docker-" + kCgroupPlaceId + ".scope\n",
      "0::/default/" + kCgroupPlaceId + "\n",  // nerdctl
      "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + kCgroupPlaceId +
          ".scope/container\n",
      "0::/machine.slice/libpod-" + kCgroupPlaceId + ".scope/container\n",
      "5:cpuset:/docker/" + kCgroupPlaceId + "\n0::/system.slice/containerd.service\n",
      "0::/libpod_parent/libpod-" + kCgroupPlaceId + "\n",
  };
  for (const std::string& text : told)
    EXPECT_EQ(PlaceIn(text), (CgroupPlace{.pod_uid = "", .container = kCgroupPlaceId})) << text;
}

TEST(CgroupPlace, WhatIsNoneIsNone) {
  const std::string told[] = {
      "",
      "0::/\n",
      "0::/user.slice/user-0.slice/session-3.scope\n",
      "0::/system.slice/rankscope-agent.service\n",
      "nonsense",
      "0:nonsense",
      "0::/kubepods.slice/kubepods-pod" + kScored + ".slic\n",
      "0::/podx8c7a5f0e-1b2c-4d3e-9f80-0123456789ab\n",
      "0::/pod8c7a5f0e1-b2c-4d3e-9f80-0123456789ab\n",
      "0::/tripod" + kPod + "\n",
      "0::/" + kCgroupPlaceId + "a\n",
      "0::/" + std::string(64, 'A') + "\n",
      "0::/kubepods.slice/crio-conmon-" + kCgroupPlaceId + ".scope\n",
  };
  for (const std::string& text : told) EXPECT_EQ(PlaceIn(text), CgroupPlace()) << text;
}

}  // namespace
}  // namespace rankscope::agent
