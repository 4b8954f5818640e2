// Resources: what a client can read besides calling tools.
//
//   rankscope://report              the job's report, in Markdown
//   rankscope://definitions         every table's definition, as JSON
//   rankscope://definitions/TABLE   one table's, in Markdown
//   rankscope://findings/ID         the page of a finding or a verdict
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "mcp/protocol_version.h"

namespace rankscope::mcp {

inline constexpr std::string_view kReportUri = "rankscope://report";

// The results of resources/list and resources/templates/list.
std::string ResourceList(ProtocolVersion version);
std::string ResourceTemplates(ProtocolVersion version);

struct Resource {
  std::string_view mime_type;
  std::string text;
};
// Any resource except the report, which needs a job. kNotFound for unknown ones.
Result<Resource> ReadResource(std::string_view uri);
Resource ReportResource(std::string markdown);
// The result of resources/read.
std::string ResourceResult(std::string_view uri, const Resource& resource);

}  // namespace rankscope::mcp
