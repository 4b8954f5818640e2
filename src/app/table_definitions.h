// The tables and views of a job (definitions.h) as JSON: for pages and other programs.
#pragma once

#include <string>

namespace rankscope::app {

// {"tables":[{"name","topic","group","size","summary","definition","example",
//   "columns":[{"name","type","unit","doc"}],"options":[{"name","default","doc"}]}]}
// group: default, compat or view; views of SQL have name, group, summary and columns alone. size:
// summary or detail.
std::string TableDefinitionsJson();

}  // namespace rankscope::app
