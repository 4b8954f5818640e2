// The tools' answers, each declared once: the JSON and the schemas for clients derive from it. All
// answers are limited and short, since a model reads them. Ranks and steps are numbers and ranges,
// "0-3,7".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/fields.h"

namespace rankscope::mcp {

// Facts about the job.
struct JobFacts {
  std::string ranks;
  std::optional<std::int64_t> world_size;
  std::vector<std::string> devices;
  std::optional<std::int64_t> step_time_ns;  // mean complete step
  std::optional<std::int64_t> complete_steps;
  std::optional<std::string> bottleneck;
  std::optional<double> combined_gain_pct;
  std::optional<double> mfu_pct;
};

struct RecordingVerdict {
  std::string code, severity, message;
  std::optional<std::string> ranks;
};

struct FoundCause {
  std::string id, severity, title;
  std::optional<double> gain_pct, gain_unprofiled_pct;
  std::optional<std::int64_t> gain_ns;
  std::optional<std::string> gain_method;
  std::optional<double> confidence;
  std::optional<std::string> who, ranks, steps;
  std::optional<std::string> why;
  std::optional<std::vector<std::string>> where;
  std::optional<std::string> recommendation;
  std::optional<std::string> command;
};

struct NotLookedFor {
  std::string id, reason;
};

struct FindingsResult {
  std::string headline;
  JobFacts job;
  std::vector<RecordingVerdict> recording;
  std::vector<FoundCause> findings;
  std::vector<NotLookedFor> not_evaluated;
  std::optional<std::vector<std::string>> notices;
};

struct ResultColumn {
  std::string name, type;
  std::optional<std::string> unit;
};

// Some rows of a table.
struct RowsResult {
  std::string table;
  std::vector<ResultColumn> columns;
  std::vector<std::vector<json::RawJson>> rows;  // null: unknown
  std::int64_t row_count = 0;                    // before the limit
  std::optional<std::string> left_out;           // why rows are missing
  std::optional<std::vector<std::string>> notices;
};

struct DiffFinding {
  std::string state, id, title;
  std::optional<double> base_gain_pct, test_gain_pct;
};

struct DiffResult {
  std::string headline;
  std::vector<std::string> reasons;
  std::string base, test;  // names of the runs
  std::string unit;
  std::optional<std::int64_t> base_ns, test_ns;
  std::optional<double> change_pct, p;
  std::optional<bool> significant;
  std::vector<DiffFinding> findings;
  std::vector<std::string> notes;
  std::vector<std::string> tables;
  std::optional<RowsResult> rows;
  std::optional<std::vector<std::string>> notices;
};

struct CodeChange {
  std::string file;
  std::int64_t line = 0;
  std::string finding;
  std::optional<std::string> gain;
  std::string what, undo;
};

struct FixResult {
  std::string diff;
  std::vector<CodeChange> changes;
  std::vector<std::string> left;
  std::optional<std::string> nothing;
  std::optional<std::string> left_out;
  std::optional<std::vector<std::string>> notices;
};

}  // namespace rankscope::mcp

namespace rankscope::json {

template <>
const Fields<mcp::JobFacts>& FieldsOf();
template <>
const Fields<mcp::RecordingVerdict>& FieldsOf();
template <>
const Fields<mcp::FoundCause>& FieldsOf();
template <>
const Fields<mcp::NotLookedFor>& FieldsOf();
template <>
const Fields<mcp::FindingsResult>& FieldsOf();
template <>
const Fields<mcp::ResultColumn>& FieldsOf();
template <>
const Fields<mcp::RowsResult>& FieldsOf();
template <>
const Fields<mcp::DiffFinding>& FieldsOf();
template <>
const Fields<mcp::DiffResult>& FieldsOf();
template <>
const Fields<mcp::CodeChange>& FieldsOf();
template <>
const Fields<mcp::FixResult>& FieldsOf();

}  // namespace rankscope::json
