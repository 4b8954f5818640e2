#include "shards/kubernetes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "json/writer.h"
#include "shards/run_shard.h"

namespace rankscope::shards {
namespace {

// A text of JSON is one of YAML.
std::string Quoted(const std::string& text) {
  std::string out;
  json::Writer(out).Write(text);
  return out;
}

std::string Words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + Quoted(word);
  return "[" + out + "]";
}

// All tries of a file alone, of some files, and of all together.
constexpr int kTries = 8;

std::string PodOf(const KubernetesSpec& spec, const std::vector<std::string>& words) {
  return fmt::format(
      R"(    spec:
      restartPolicy: Never
      containers:
        - name: rankscope
          image: {image}
          command: ["rankscope"]
          args: {args}
          resources:
            requests: {{cpu: {cpu}, memory: {memory}}}
            limits: {{memory: {memory}}}
          volumeMounts:
            - name: job
              mountPath: {mount}
      volumes:
        - name: job
          persistentVolumeClaim:
            claimName: {claim}
)",
      fmt::arg("image", Quoted(spec.image)), fmt::arg("args", Words(words)),
      fmt::arg("cpu", Quoted(spec.cpu)), fmt::arg("memory", Quoted(spec.memory)),
      fmt::arg("mount", Quoted(spec.mount)), fmt::arg("claim", Quoted(spec.claim)));
}

}  // namespace

bool IsKubernetesName(const std::string& name) {
  const auto is_plain = [](unsigned char letter) {
    return std::islower(letter) != 0 || std::isdigit(letter) != 0 || letter == '-';
  };
  return !name.empty() && name.size() <= 40 && std::ranges::all_of(name, is_plain) &&
         name.front() != '-' && name.back() != '-' &&
         std::isdigit(static_cast<unsigned char>(name.front())) == 0;
}

std::string KubernetesManifest(const KubernetesSpec& spec) {
  const std::size_t at_once =
      spec.most_at_once > 0 ? std::min(spec.shards, static_cast<std::size_t>(spec.most_at_once))
                            : spec.shards;
  return fmt::format(
             R"(# Shards ({count}), and the report behind them: kubectl apply -f THIS
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}-shards
spec:
  completionMode: Indexed
  completions: {count}
  parallelism: {at_once}
  backoffLimitPerIndex: {tries}
  maxFailedIndexes: {count}
  podFailurePolicy:
    rules:
      - action: FailIndex
        onExitCodes:
          containerName: rankscope
          operator: In
          values: [{bad_input}]
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: "True"
  template:
)",
             fmt::arg("count", spec.shards), fmt::arg("name", spec.name),
             fmt::arg("at_once", at_once), fmt::arg("tries", kTries),
             fmt::arg("bad_input", static_cast<int>(ShardEnd::kBadInput))) +
         PodOf(spec, {"shard", spec.folder}) +
         fmt::format(R"(---
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}-report
spec:
  backoffLimit: 2
  template:
)",
                     fmt::arg("name", spec.name)) +
         PodOf(spec, spec.report);
}

}  // namespace rankscope::shards
