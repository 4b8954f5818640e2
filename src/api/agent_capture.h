// Captures of an agent: its functions startCapture, getCapture and listCaptures (docs/agent.md),
// called by the server, `rankscope capture` and programs of users.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

// Which processes of the host are meant; dynolog's requests have these, too.
struct AgentSelection {
  std::optional<std::int64_t> job_id;
  std::string job;
  std::vector<std::int64_t> pids;
  std::int64_t process_limit = 1000;
};

// startCapture.
struct AgentCaptureRequest : AgentSelection {
  std::string id, log_file;
  std::string source = "rpc";
  std::int64_t iterations = 0;
  std::int64_t start_iteration = -1;
  std::int64_t iteration_roundup = 0;
  std::int64_t warmup_iterations = 0;
  std::int64_t duration_ms = 500;
  std::int64_t start_unix_ms = 0;
  std::int64_t warmup_s = 5;
  bool shapes = false;
  bool stacks = false;
  bool flops = false;
  bool modules = false;
  bool memory = false;
  bool memory_snapshot = false;
  bool cpu = false;
  std::int64_t snoop_ms = 0;
  std::int64_t offcpu_ms = 0;
};

// The answer, which setKinetOnDemandRequest gives as well: dynolog's fields, then ours.
struct AgentCaptureStart {
  std::uint64_t busy = 0;
  std::vector<std::int64_t> triggered;
  std::uint64_t event_busy = 0;
  std::vector<std::int64_t> event_triggered;
  std::vector<std::int64_t> matched;
  std::string id;
  std::vector<std::string> warnings;
};

// Where a process runs; texts are empty if unknown.
struct ProcessPlace {
  std::string pod_uid, pod, container, container_name;
};

struct CpuSampling {
  std::string state, reason;
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;
  std::uint64_t missed = 0;
  double of_core = 0;
};

struct AgentCaptureMember : ProcessPlace {
  std::int64_t pid = 0;
  std::int64_t inside = 0;
  std::string state;
  std::int64_t bytes = 0;
  std::optional<std::int64_t> rank, world_size;
  std::string path, reason;
  std::optional<CpuSampling> cpu;
};

// The answer of getCapture.
struct AgentCapture {
  std::string id, source;
  std::int64_t made_unix_ms = 0;
  bool over = false;
  std::string config;
  std::vector<std::string> warnings;
  std::vector<AgentCaptureMember> members;
};

struct AgentCaptureList {
  std::vector<AgentCapture> captures;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::AgentSelection>& FieldsOf();
template <>
const Fields<api::AgentCaptureRequest>& FieldsOf();
template <>
const Fields<api::AgentCaptureStart>& FieldsOf();
template <>
const Fields<api::ProcessPlace>& FieldsOf();
template <>
const Fields<api::CpuSampling>& FieldsOf();
template <>
const Fields<api::AgentCaptureMember>& FieldsOf();
template <>
const Fields<api::AgentCapture>& FieldsOf();
template <>
const Fields<api::AgentCaptureList>& FieldsOf();

}  // namespace rankscope::json
