// The audit log of a server, as a table.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct AuditRows : Schema<AuditRows> {
  static constexpr std::string_view kName = "audit";

  IntColumn number = Int("number", "", "1 and on, without gaps");
  StringColumn time = Text("time", "UTC");
  StringColumn who = Text("who", "name of the token, certificate or person; null: nobody said");
  StringColumn role = Text("role", "that who had");
  StringColumn team = Text("team", "that who had; * is all");
  StringColumn from = Text("from", "address of the other end");
  StringColumn act = Text("act", "what it was");
  StringColumn run = Text("run", "to which run");
  StringColumn target = Text("target", "to what else");
  StringColumn outcome = Text("outcome", "ok, refused or failed");
  IntColumn status = Int("status", "", "of HTTP; null: it was no request");
  StringColumn detail = Text("detail", "more, in words");
};
extern template const AuditRows& SchemaOf<AuditRows>();

}  // namespace rankscope
