// Runs of a server: creation, changes and answers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

// RunSummary::subject of a report on a serving program.
inline constexpr std::string_view kServingSubject = "serving";

inline constexpr std::array<std::string_view, 5> kRunStates = {"uploading", "queued", "analysing",
                                                               "ready", "failed"};

struct NewRun {
  std::string name, user, team, model, product, framework, hardware;
  std::map<std::string, std::string> tags;
};

struct RunChange {
  std::optional<std::string> name, user, model, product, framework, hardware;
  std::optional<std::map<std::string, std::string>> tags;
};

struct FileSetAside {
  std::string file;
  std::string reason;
};

struct RunFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;
};
struct RunFileList {
  std::vector<RunFile> files;
};

// Of complete steps.
struct StepTime {
  double mean = 0;
  double median = 0;
  std::int64_t complete_steps = 0;
};

struct FindingCounts {
  std::int64_t high = 0;
  std::int64_t medium = 0;
  std::int64_t low = 0;
};

struct SummaryFinding {
  std::string id, severity;
  std::optional<double> gain_pct;
  std::string title, who;
};

// summary.json of a report: the line about a run in a list of runs. The server keeps its text; a
// report of another version may lack fields.
struct RunSummary {
  std::string subject;
  std::optional<std::int64_t> ranks, world_size;
  std::vector<std::string> devices;
  std::optional<StepTime> step_time_ns;
  std::vector<double> steps_ns;
  std::string bottleneck;
  std::optional<double> combined_gain_pct;
  std::string headline;
  FindingCounts findings;
  std::vector<SummaryFinding> top;
};

struct Run {
  std::string id, url, name, user, team, model, product, framework, hardware;
  std::optional<std::int64_t> world_size;
  std::map<std::string, std::string> tags;
  std::string created, changed;
  std::string state;
  std::optional<double> progress;
  std::string reason;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::optional<std::int64_t> version;
  json::RawOf<RunSummary> summary;
  bool has_metrics = false;
  bool has_source = false;
  std::int64_t snapshots = 0;
  std::vector<FileSetAside> set_aside;
};

struct RunPage {
  std::vector<Run> runs;
  std::uint64_t total = 0;
  std::string cursor;
};

// A table of a report, as the server keeps it.
struct ReportTable {
  std::string name;
  std::uint64_t bytes = 0;
};
struct ReportTableList {
  std::int64_t version = 0;
  std::vector<ReportTable> tables;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::NewRun>& FieldsOf();
template <>
const Fields<api::RunChange>& FieldsOf();
template <>
const Fields<api::FileSetAside>& FieldsOf();
template <>
const Fields<api::RunFile>& FieldsOf();
template <>
const Fields<api::RunFileList>& FieldsOf();
template <>
const Fields<api::StepTime>& FieldsOf();
template <>
const Fields<api::FindingCounts>& FieldsOf();
template <>
const Fields<api::SummaryFinding>& FieldsOf();
template <>
const Fields<api::RunSummary>& FieldsOf();
template <>
const Fields<api::Run>& FieldsOf();
template <>
const Fields<api::RunPage>& FieldsOf();
template <>
const Fields<api::ReportTable>& FieldsOf();
template <>
const Fields<api::ReportTableList>& FieldsOf();

}  // namespace rankscope::json
