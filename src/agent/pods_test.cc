// What pods are called, by lists as a kubelet gives them.
#include "agent/pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rankscope::agent {
namespace {

using ::testing::HasSubstr;

const std::string kPodsId(64, 'a');
const std::string kList =
    R"({"kind":"PodList","apiVersion":"v1","items":[
  {"metadata":{"name":"train-0","namespace":"research","uid":"8c7a5f0e-1b2c-4d3e-9f80-0123456789ab"},
   "spec":{},
   "status":{"containerStatuses":[{"name":"pytorch","containerID":"containerd://)" +
    kPodsId + R"("},{"name":"waits"}],
             "initContainerStatuses":[{"name":"data","containerID":"containerd://bb"}]}},
  {"metadata":{"name":"etcd-a","namespace":"kube-system","uid":"11111111-1b2c-4d3e-9f80-0123456789ab",
               "annotations":{"kubernetes.io/config.hash":"0123456789abcdef0123456789abcdef"}}},
  {"metadata":{"name":"no-uid"}}, 7, {"metadata":null}]})";

TEST(Pods, AreCalledByUidAndContainersById) {
  const std::string path = testing::TempDir() + "/pods" + std::to_string(getpid()) + ".json";
  std::ofstream(path) << kList;
  Pods pods(path);
  EXPECT_EQ(pods.NamesOf({.pod_uid = "", .container = kPodsId}).container, "") << "not read yet";
  ASSERT_TRUE(pods.Read().ok());
  const PlaceNames names =
      pods.NamesOf({.pod_uid = "8c7a5f0e-1b2c-4d3e-9f80-0123456789ab", .container = kPodsId});
  EXPECT_EQ(names.pod, "train-0");
  EXPECT_EQ(names.pod_namespace, "research");
  EXPECT_EQ(names.container, "pytorch");
  const PlaceNames fixed =
      pods.NamesOf({.pod_uid = "0123456789abcdef0123456789abcdef", .container = "bb"});
  EXPECT_EQ(fixed.pod, "etcd-a");
  EXPECT_EQ(fixed.container, "data");
  EXPECT_EQ(pods.NamesOf({}).pod, "");
  // What was read stays while there is nothing to read.
  std::filesystem::remove(path);
  EXPECT_FALSE(pods.Read().ok());
  EXPECT_EQ(pods.NamesOf({.pod_uid = "", .container = kPodsId}).container, "pytorch");
}

TEST(Pods, WhatIsNoListIsSaid) {
  EXPECT_FALSE(ParsePodList("").ok());
  EXPECT_THAT(ParsePodList("{}").status().message(), HasSubstr("no list of pods"));
  EXPECT_THAT(ParsePodList(R"({"items":{}})").status().message(), HasSubstr("no list of pods"));
  EXPECT_TRUE(ParsePodList(R"({"items":[]})").ok());
  EXPECT_TRUE(CheckPodsFrom("").ok());
  EXPECT_TRUE(CheckPodsFrom("/run/pods.json").ok());
  EXPECT_TRUE(CheckPodsFrom("http://127.0.0.1:10255/pods").ok());
  EXPECT_FALSE(CheckPodsFrom("http://127.0.0.1:x/pods").ok());
  EXPECT_THAT(CheckPodsFrom("pods.json").message(), HasSubstr("neither the path"));
}

}  // namespace
}  // namespace rankscope::agent
