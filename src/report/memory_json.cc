#include "json/json_text.h"
#include "report/json_cells.h"
#include "report/memory_report.h"

namespace rankscope {

std::string WriteMemoryJson(const MemoryReport& report) {
  std::string out = "{\"schema\":\"rankscope.memory/1\",\n\"path\":";
  AppendJsonString(out, report.path);
  out += ",\"later\":";
  AppendText(out, report.later);
  out += ",\"settings\":";
  AppendText(out, report.settings);
  out += ",\n\"devices\":[";
  for (const MemoryWords& words : WordsOfMemory(report)) {
    if (out.back() != '[') out += ',';
    out += "\n{\"headline\":";
    AppendJsonString(out, words.headline);
    out += ",\"reasons\":[";
    for (std::size_t i = 0; i < words.reasons.size(); ++i) {
      if (i != 0) out += ',';
      AppendJsonString(out, words.reasons[i]);
    }
    out += "]}";
  }
  out += "],\n\"tables\":{";
  AppendTables(out, report.tables);
  out += "}}\n";
  return out;
}

}  // namespace rankscope
