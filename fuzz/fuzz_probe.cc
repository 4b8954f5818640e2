// Specifications of devices, as anybody writes them: whatever the text, checking says what is wrong
// with its place, and what it accepts can be run, and C++ can be made of it.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "input.h"
#include "probe/check/spec.h"
#include "probe/compile/generate.h"
#include "probe/run/lines.h"
#include "probe/source/file_text.h"
#include "probe/syntax/format.h"
#include "probe/syntax/tree.h"

namespace rankscope::fuzz {
namespace {

// Every source gives the same text, whatever it is of.
class OneText final : public probe::SourceReader {
 public:
  explicit OneText(std::string text) : text_(std::move(text)) {}
  std::vector<std::string> Folders(const std::string&) override { return {"/sys/a0", "/sys/a1"}; }
  probe::Reading Read(const probe::DeviceSpec& device, int source, const probe::Instance&,
                      std::span<const probe::Value>) override {
    const probe::Source& one = device.sources[static_cast<std::size_t>(source)];
    if (one.kind == probe::SourceKind::kCall) return {};
    return probe::ValueOfText(text_, one, "a file");
  }

 private:
  std::string text_;
};

// What is formatted means the same, and is formatted as it is.
void CheckFormat(std::string_view text) {
  probe::Diagnostics diagnostics;
  const std::optional<std::string> formatted = probe::Format(text, diagnostics);
  FUZZ_CHECK(formatted.has_value() != diagnostics.has_errors());
  if (!formatted) return;
  const std::string tree = probe::DumpTree(probe::Parse(text, diagnostics));
  FUZZ_CHECK(tree == probe::DumpTree(probe::Parse(*formatted, diagnostics)));
  FUZZ_CHECK(probe::Format(*formatted, diagnostics) == formatted);
  FUZZ_CHECK(std::ranges::count(*formatted, '#') == std::ranges::count(text, '#'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  CheckFormat(input.data.substr(0, 20'000));
  probe::Diagnostics diagnostics;
  const probe::Spec spec =
      probe::CheckText("a.probe", std::string(input.data.substr(0, 20'000)), diagnostics);
  const auto lines = 1 + std::ranges::count(spec.text, '\n');
  for (const probe::Diagnostic& one : diagnostics.Sorted()) {
    FUZZ_CHECK(!one.message.empty());
    FUZZ_CHECK(one.place.line >= 1 && one.place.line <= lines && one.place.column >= 1);
    FUZZ_CHECK(!probe::FormatDiagnostic("a.probe", spec.text, one).empty());
  }
  if (diagnostics.has_errors()) return 0;
  FUZZ_CHECK(probe::Generate(spec, "a fuzzer").size() == 2 * spec.devices.size());
  OneText reader(std::to_string(input.first * 1000 + input.second));
  for (const probe::DeviceSpec& device : spec.devices) {
    std::int64_t now = 0;
    probe::Module module(device, reader, [&now] { return now; });
    for (int round = 0; round < 3; ++round, now += 3'600'000'000'000) module.Refresh(now);
    FUZZ_CHECK(!probe::MetricLines(module).empty() || module.instances().empty());
  }
  return 0;
}

}  // namespace rankscope::fuzz
