#include "json/writer.h"
#include "report/documents/json_cells.h"
#include "report/memory/memory_report.h"

namespace rankscope {

std::string WriteMemoryJson(const MemoryReport& report) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject().Member("schema", "rankscope.memory/1");
  writer.Line()
      .Member("path", report.path)
      .TextMember("later", report.later)
      .TextMember("settings", report.settings);
  writer.Line().Key("devices").BeginArray();
  for (const MemoryWords& words : WordsOfMemory(report)) {
    writer.Line()
        .BeginObject()
        .Member("headline", words.headline)
        .Member("reasons", words.reasons)
        .EndObject();
  }
  writer.EndArray();
  WriteTables(writer.Line(), report.tables);
  writer.EndObject();
  return out + "\n";
}

}  // namespace rankscope
