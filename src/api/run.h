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
  json::RawJson summary;
  bool has_metrics = false;
  bool has_source = false;
  std::int64_t snapshots = 0;
  std::vector<FileSetAside> set_aside;
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
const Fields<api::Run>& FieldsOf();

}  // namespace rankscope::json
