#include "serving/subsystem.h"

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
      .topics = {},
      .findings = {
          Finding("queueing", "requests wait long before they are served"),
          Finding("small-batches", "batches of the server far below what pays"),
          Finding("kv-cache-pressure", "the key-value cache is full and requests are preempted"),
      }};
  return kSubsystem;
}

}  // namespace rankscope
