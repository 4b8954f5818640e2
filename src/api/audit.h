// The audit log of a server (docs/audit.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

// A line of the log. Texts are "" if not applicable.
struct AuditEntry {
  std::int64_t number = 0;
  std::string time, who, role, team, from, act, run, target, outcome;
  std::int64_t status = 0;
  std::string detail, before, hash;
};

struct AuditPage {
  std::vector<AuditEntry> entries;
  std::string cursor;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::AuditEntry>& FieldsOf();
template <>
const Fields<api::AuditPage>& FieldsOf();

}  // namespace rankscope::json
