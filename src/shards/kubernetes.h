// Runs shards as an Indexed Job of Kubernetes, and the report as a Job that waits for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::shards {

struct KubernetesSpec {
  std::string folder;  // with a plan, path inside the pods
  std::string name;    // prefix of the jobs' names, before "-shards" and "-report"
  std::string image;   // container image with the program on its PATH
  std::string claim;   // a PersistentVolumeClaim with traces and folder
  std::string mount;   // mount path in the pods
  std::size_t shards = 0;
  std::int64_t most_at_once = 0;    // 0: all
  std::string memory;               // per pod, "8Gi"
  std::string cpu;                  // per pod, "4"
  std::vector<std::string> report;  // the program's arguments that make the report
};

// Whether it is a valid Kubernetes name: letters, digits and dashes, at most 40.
bool IsKubernetesName(const std::string& name);

// Two YAML documents for kubectl apply -f -. A shard is retried if its pod is killed or asks for it
// (exit code 75), not if none of its files is a trace (64), and always if its node fails.
std::string KubernetesManifest(const KubernetesSpec& spec);

}  // namespace rankscope::shards
