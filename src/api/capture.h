// Captures of running jobs: requests and states.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

// A request. capture.cc describes its fields.
struct CaptureRequest {
  std::string name = "capture";
  std::string job;
  std::string team;
  std::vector<std::string> hosts;
  std::vector<std::int64_t> pids;
  std::int64_t steps = 0;
  std::int64_t round_up = 10;
  std::int64_t duration_ms = 500;
  std::int64_t start_in_ms = 12'000;  // processes ask every five seconds, and warm up for five
  std::int64_t most_per_host = 1000;
  std::int64_t wait_ms = 900'000;
  std::int64_t host_wait_ms = 60'000;
  std::int64_t analyse_after_ms = 0;
  std::string folder = "/tmp";
  bool shapes = false;
  bool stacks = false;
  bool memory = false;
  bool cpu = false;
  std::int64_t snapshot_ms = 0;
  std::int64_t snoop_ms = 0;
  std::int64_t offcpu_ms = 0;
  bool serving = false;
};

inline constexpr std::array<std::string_view, 7> kCapturePhases = {
    "asking", "recording", "snapshots", "sending", "done", "failed", "cancelled"};

struct CaptureMember {
  std::int64_t pid = 0;
  std::optional<std::int64_t> rank;
  std::string state;
  std::string reason;
};

struct CaptureHost {
  std::string host;
  std::int64_t clock_ahead_us = 0;
  std::int64_t clock_uncertainty_us = 0;
  bool over = false;
  std::string problem;
  std::string snapshot_problem;
  std::vector<CaptureMember> members;
  std::vector<CaptureMember> snapshots;
};

struct Capture {
  std::string id;
  std::string made;
  std::string phase;
  std::string reason;
  std::string name;
  std::string job;
  std::string user;
  std::string run;
  std::int64_t steps = 0;
  std::int64_t duration_ms = 0;
  std::int64_t snapshot_ms = 0;
  std::uint64_t asked = 0;
  std::uint64_t written = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t arrived = 0;
};

// The form in lists and events.
struct CaptureSummary : Capture {
  std::uint64_t host_count = 0;
};

struct CaptureDetail : Capture {
  std::vector<std::string> warnings;
  std::vector<std::string> missing;
  std::vector<CaptureHost> hosts;
};

struct CaptureList {
  std::vector<CaptureSummary> captures;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::CaptureRequest>& FieldsOf();
template <>
const Fields<api::CaptureMember>& FieldsOf();
template <>
const Fields<api::CaptureHost>& FieldsOf();
template <>
const Fields<api::Capture>& FieldsOf();
template <>
const Fields<api::CaptureSummary>& FieldsOf();
template <>
const Fields<api::CaptureDetail>& FieldsOf();
template <>
const Fields<api::CaptureList>& FieldsOf();

}  // namespace rankscope::json
