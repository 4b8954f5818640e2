// The tables and views of all subsystems as JSON, for pages and other programs.
#pragma once

#include <string>

namespace rankscope::catalog {

// {"tables":[{"name","subject","topic","group","size","summary","definition","example",
//   "columns":[{"name","type","unit","doc"}],"options":[{"name","default","doc"}]}]}
// subject: the input of the table (contract/subject.h); SQL has the tables of events and of a job
// as views. group: view, default, or compat for the tables of another tool. size: summary or
// detail.
std::string TableDefinitionsJson();

}  // namespace rankscope::catalog
