// Shards as an Indexed Job of Kubernetes, and the report as a Job that waits for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::shards {

struct KubernetesSpec {
  std::string folder;  // with a plan, as pods see it
  std::string name;    // of the jobs, before "-shards" and "-report"
  std::string image;   // with the program on its PATH
  std::string claim;   // a PersistentVolumeClaim with traces and folder
  std::string mount;   // where pods see it
  std::size_t shards = 0;
  std::int64_t most_at_once = 0;    // 0: all
  std::string memory;               // of a pod, "8Gi"
  std::string cpu;                  // of a pod, "4"
  std::vector<std::string> report;  // the words of the program that make the report
};

// Whether it is a name of Kubernetes: letters, digits and dashes, 40 at most.
bool IsKubernetesName(const std::string& name);

// Two documents of YAML, for kubectl apply -f -. A shard is tried again when its pod is killed or
// says so (exit code 75), not when no file of it is a trace (64), and always when its node goes.
std::string KubernetesManifest(const KubernetesSpec& spec);

}  // namespace rankscope::shards
