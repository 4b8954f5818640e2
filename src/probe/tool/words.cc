#include "probe/tool/words.h"

#include <fmt/format.h>

#include "json/writer.h"
#include "probe/check/built_ins.h"
#include "probe/check/standard.h"
#include "probe/check/unit.h"

namespace rankscope::probe {
namespace {

std::string FormOf(const StandardMetric& metric) {
  if (metric.kind == MetricKind::kGauge)
    return fmt::format("{} = gauge(x, unit={})", metric.name, metric.unit);
  if (metric.kind == MetricKind::kCounter)
    return fmt::format("{} = counter(x, unit={})", metric.name, metric.unit);
  return fmt::format("{} = x", metric.name);
}

class WordWriter {
 public:
  explicit WordWriter(json::Writer& writer) : writer_(writer) {}
  void Add(std::string_view word, std::string_view kind, std::string_view form,
           std::string_view about) {
    writer_.BeginObject().Member("word", word).Member("kind", kind);
    writer_.Member("form", form).Member("about", about).EndObject();
  }

 private:
  json::Writer& writer_;
};

}  // namespace

std::string WordsJson(const SyntaxTree* file) {
  std::string text;
  json::Writer writer(text);
  writer.BeginObject().Key("words").BeginArray();
  WordWriter words(writer);
  for (const BuiltIn& one : BuiltIns())
    words.Add(one.name, ToString(one.kind), one.form, one.about);
  words.Add("vendor", "word", "vendor = \"acme\"", "who makes the device");
  words.Add("instances", "word", "instances = glob(...)", "which devices exist");
  for (const std::string& unit : UnitNames())
    words.Add(unit, "unit", fmt::format("unit={}", unit), "a unit");
  for (const StandardMetric& one : StandardMetrics())
    words.Add(one.name, "metric", FormOf(one), one.about);
  if (file != nullptr) {
    for (const ClassDef& one : file->classes) {
      for (const Assignment& assignment : one.assignments)
        words.Add(assignment.name, "name", assignment.name, fmt::format("of class {}", one.name));
    }
  }
  writer.EndArray().EndObject();
  return text + "\n";
}

}  // namespace rankscope::probe
