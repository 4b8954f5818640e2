// Windows of snoop and offcpu: any bytes are a window as far as it is sound, or a sentence; what
// was read is written and read again without a change.
#include <string>

#include "input.h"
#include "json/fields.h"
#include "snoop_file/read_windows.h"
#include "snoop_file/request.h"

namespace rankscope::fuzz {
namespace {

void CheckHead(const snoop_file::Window& window) {
  FUZZ_CHECK(window.begin_unix_ns > 0 && window.window_ns > 0);
}

template <typename T>
void CheckAgain(const T& window, const std::vector<T> snoop_file::Windows::*list) {
  CheckHead(window);
  const std::string text = json::ToJson(window);
  snoop_file::Windows again;
  FUZZ_CHECK(snoop_file::AddWindow(text, again).ok());
  FUZZ_CHECK((again.*list).size() == 1);
  FUZZ_CHECK(json::ToJson((again.*list)[0]) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  snoop_file::Windows windows;
  const Status added = snoop_file::AddWindow(text, windows);
  if (!added.ok()) {
    FUZZ_CHECK(added.code() == StatusCode::kBadData);
    FUZZ_CHECK(!added.message().empty());
    FUZZ_CHECK(windows.empty());
  }
  for (const snoop_file::SnoopWindow& one : windows.snoop) {
    CheckAgain(one, &snoop_file::Windows::snoop);
    for (const snoop_file::Timeline& line : one.timelines)
      FUZZ_CHECK(line.part_ns > 0 && line.highest_bytes.size() == line.last_bytes.size());
  }
  for (const snoop_file::OffCpuWindow& one : windows.offcpu)
    CheckAgain(one, &snoop_file::Windows::offcpu);
  // What a helper with privileges is asked.
  const auto request = json::FromJson<snoop_file::WindowRequest>(text);
  if (request.ok()) {
    FUZZ_CHECK(request->pid >= 1 && request->milliseconds >= 100);
    FUZZ_CHECK(request->milliseconds <= snoop_file::kMostWindowMs);
    FUZZ_CHECK(request->what == "snoop" || request->what == "offcpu");
  } else {
    FUZZ_CHECK(!request.status().message().empty());
  }
  return 0;
}

}  // namespace rankscope::fuzz
