// Any bytes as a line of the audit log, and as what somebody did: a line is taken only with its own
// hash, and what is written reads back.
#include <string>

#include "audit/line.h"
#include "audit/read.h"
#include "input.h"

namespace rankscope::fuzz {
namespace {

void CheckRead(std::string_view line) {
  const auto entry = audit::ReadLine(line);
  if (!entry.ok()) {
    FUZZ_CHECK(!entry.status().message().empty());
    return;
  }
  FUZZ_CHECK(line.ends_with(entry->hash + "\"}"));
}

void CheckWritten(std::string_view text) {
  const std::string half(text.substr(0, text.size() / 2));
  audit::Head head;
  const std::string line =
      audit::LineBehind(head, {.who = half, .act = "a", .target = std::string(text)});
  FUZZ_CHECK(line.find('\n') == std::string::npos && line.size() < 20'000);
  const auto entry = audit::ReadLine(line);
  FUZZ_CHECK(entry.ok() && entry->number == 1 && entry->hash == head.hash);
  FUZZ_CHECK(audit::Filter{.who = entry->who}.Fits(*entry));
  std::string changed = line;
  changed[text.size() % line.size()] ^= 1;
  FUZZ_CHECK(!audit::ReadLine(changed).ok());
}

}  // namespace
}  // namespace rankscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace rankscope::fuzz;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  CheckRead(text);
  CheckWritten(text);
  return 0;
}
