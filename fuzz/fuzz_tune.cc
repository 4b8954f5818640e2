// What a tuner reads: adapters that anybody writes, journals that a killed run left, metrics of a
// service of any kind.
#include <string>

#include "base/status.h"
#include "input.h"
#include "tune/adapter/adapter.h"
#include "tune/adapter/fill.h"
#include "tune/search/journal.h"
#include "tune/subject/canary_watch.h"
#include "tune/subject/guard_words.h"

namespace rankscope::fuzz {
namespace {

void CheckAdapter(const std::string& text) {
  const auto adapter = tune::ParseAdapter(text, "a file", "/");
  if (!adapter.ok()) {
    FUZZ_CHECK(adapter.status().code() == StatusCode::kInvalidArgument);
    FUZZ_CHECK(adapter.status().message().starts_with("a file: "));
    return;
  }
  const auto space = tune::SpaceOf(*adapter);
  FUZZ_CHECK(space.ok());
  const tune::Point point = space->Standard();
  const tune::Filling filling{.values = {{"port", "1"}, {"url", "u"}, {"rankscope", "r"}},
                              .arguments = {"a"}};
  // What is parsed can be filled, but for values that are still to be given.
  if (adapter->trial) {
    const auto words = tune::FillWords(*adapter, point, filling, adapter->trial->start);
    FUZZ_CHECK(words.ok() || words.status().message().find("--set") != std::string::npos);
  }
  if (adapter->service) {
    const auto words = tune::FillWords(*adapter, point, filling, adapter->service->apply);
    FUZZ_CHECK(words.ok() || words.status().message().find("--set") != std::string::npos);
  }
}

void CheckJournal(const std::string& text) {
  auto space = tune::Space::Make(
      {{.name = "slots", .scale = tune::Scale::kLog2, .least = 1, .most = 64, .standard = 8}});
  auto search = tune::Optimiser::Make(std::move(*space), {.trials = 12});
  const std::string head = tune::JournalHead(search->space(), search->options());
  (void)tune::ReadJournal(head + text, *search);
  FUZZ_CHECK(search->trials().size() <= 12);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size > 20'000) return 0;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  CheckAdapter(text);
  CheckJournal(text);
  std::string seen;
  const serving::Objective limits{.ttft = 1'000'000'000};
  (void)tune::BrokenLimits(text.substr(0, size / 2), text.substr(size / 2), limits, &seen);
  (void)json::FromJson<tune::GuardOrder>(text);
  return 0;
}

}  // namespace rankscope::fuzz
