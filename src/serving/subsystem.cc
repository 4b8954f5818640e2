#include "serving/subsystem.h"

#include "serving/tables.h"

namespace rankscope {
namespace {

FindingEntry Finding(std::string_view id, std::string_view summary) {
  return {.id = id, .summary = summary, .subject = Subject::kServing, .seen_in = "serving data"};
}

}  // namespace

const Subsystem& ServingSubsystem() {
  static const Subsystem kSubsystem = {
      .name = "serving",
      .about = "programs that answer requests",
      .topics = {{.title = "A serving program (rankscope serving)",
                  .about = "[serving.md](serving.md) says what is read and how stages, tails and "
                           "findings come about.",
                  .tables = {serving::ServingTableList().begin(),
                             serving::ServingTableList().end()}}},
      .findings = {
          Finding("queueing", "requests wait long before they are served"),
          Finding("small-batches", "the server's batches are too small to be efficient"),
          Finding("kv-cache-pressure", "the key-value cache is full and requests are preempted"),
          Finding("kv-cache-leak", "the key-value cache fills though no request is in the server"),
          Finding("prefill-interference", "requests that generate wait for others' prompts"),
          Finding("host-bound-decode", "a decode step takes the host longer than the device"),
          Finding("prefix-cache-miss", "prompts that were computed before are computed again"),
          Finding("frontend-bound", "tokenising and streaming limit the server"),
          Finding("lock-contention", "handlers of a service wait for locks that others hold"),
          Finding("cold-start", "first requests pay for loading and compiling"),
          Finding("replica-imbalance", "requests wait at some replicas while others have room"),
      }};
  return kSubsystem;
}

}  // namespace rankscope
