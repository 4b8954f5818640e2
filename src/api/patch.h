// A patch of a run's code for its findings, for programs and pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

struct PatchChange {
  std::string file;
  std::optional<std::int64_t> line;
  std::string finding, gain, kind, what, undo;
};

// A place of a finding that was not changed.
struct PatchLeft {
  std::string file;
  std::optional<std::int64_t> line;
  std::string finding, why;
};

struct Patch {
  std::string schema = "rankscope.fix/1";
  std::string diff;
  std::vector<PatchChange> changes;
  std::vector<PatchLeft> left;
  std::string nothing;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::PatchChange>& FieldsOf();
template <>
const Fields<api::PatchLeft>& FieldsOf();
template <>
const Fields<api::Patch>& FieldsOf();

}  // namespace rankscope::json
