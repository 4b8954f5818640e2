// Sources with values that a test sets by source name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "probe/check/spec.h"
#include "probe/source/reading.h"

namespace rankscope::probe {

class FakeReader final : public SourceReader {
 public:
  std::vector<std::string> folders;
  std::map<std::string, Value> values;      // by source name; absent if not set
  std::map<std::string, ReadFault> faults;  // likewise
  std::map<std::string, int> reads;

  std::vector<std::string> Folders(const std::string&) override { return folders; }
  Reading Read(const DeviceSpec& device, int source, const Instance&,
               std::span<const Value>) override {
    const std::string& name = device.sources[static_cast<std::size_t>(source)].name;
    ++reads[name];
    Reading reading{.value = values[name], .fault = faults[name], .why = {}};
    if (reading.value.is_absent() && reading.fault == ReadFault::kNone)
      reading.fault = ReadFault::kMissing;
    return reading;
  }
};

// A class Chip with these lines, which must be valid.
inline Spec SpecOf(const std::string& lines) {
  Diagnostics diagnostics;
  Spec spec = CheckText("chip.probe",
                        "@requires(\"1\")\nclass Chip(Device):\n    vendor = \"acme\"\n" + lines,
                        diagnostics);
  for (const Diagnostic& one : diagnostics.Sorted())
    RS_CHECK(one.severity == Severity::kWarning, "{}",
             FormatDiagnostic("chip.probe", spec.text, one));
  return spec;
}

}  // namespace rankscope::probe
