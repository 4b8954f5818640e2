// What the CPU profiler reads of processes that may be hostile: the memory of an interpreter,
// records of perf events, maps of JITs and of the kernel, programs, and heads of traces. Whatever
// comes, it ends, and costs a sample.
#include <algorithm>
#include <span>

#include "cpu_profile/frame_runs.h"
#include "cpu_profile/image/maps.h"
#include "cpu_profile/image/memory.h"
#include "cpu_profile/native/perf_records.h"
#include "cpu_profile/native/stack_walk.h"
#include "cpu_profile/native/symbols.h"
#include "cpu_profile/python/line_table.h"
#include "cpu_profile/python/python_reader.h"
#include "cpu_profile/samples/process_threads.h"
#include "cpu_profile/trace_events.h"
#include "input.h"

namespace rankscope::fuzz {
namespace {

using namespace rankscope::cpu_profile;

// The bytes again and again, so that pointers hit something often.
class EndlessMemory final : public Memory {
 public:
  explicit EndlessMemory(std::string_view bytes) : bytes_(bytes) {}
  bool Read(std::uint64_t address, void* to, std::size_t bytes) override {
    if (bytes_.empty() || ++reads_ > 20'000) return false;
    auto* out = static_cast<char*>(to);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = bytes_[(address + i) % bytes_.size()];
    return true;
  }

 private:
  std::string_view bytes_;
  int reads_ = 0;
};

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void Python(std::string_view bytes, std::uint8_t option) {
  const std::uint32_t version = option % 2 == 0 ? 0x030b0000 : 0x030c0000;
  Result<PythonLayout> layout = IsDebugOffsets(AsBytes(bytes))
                                    ? LayoutOfDebugOffsets(AsBytes(bytes))
                                    : LayoutOfVersion(version);
  if (!layout.ok()) {
    FUZZ_CHECK(!layout.status().message().empty());
    return;
  }
  EndlessMemory memory(bytes);
  Profile profile;
  profile.kind = "python";
  profile.period_ns = 10;
  profile.threads = {{1, "t"}};
  PythonReader reader(memory, profile.stacks, {*layout, option * 8ULL, 0});
  std::vector<PythonThread> threads;
  for (int i = 0; i < 3; ++i) {
    reader.Read(threads);
    FUZZ_CHECK(threads.size() <= 2000 * 100);
    for (const PythonThread& thread : threads)
      profile.samples.push_back({10 * i, 0, thread.stack, thread.holds_lock});
  }
  for (const FrameRun& run : RunsOf(profile))
    FUZZ_CHECK(run.samples > 0 && run.end_ns >= run.begin_ns);
  (void)CollapsedText(profile);
  (void)TraceEvents(profile, 1, {});
}

// Rules for every address, out of the bytes: an entry of what all functions have alike, then one of
// a function.
class RulesOfBytes final : public RulesSource {
 public:
  // The first byte says how long the first entry is.
  explicit RulesOfBytes(std::string_view bytes) {
    if (bytes.empty()) return;
    const std::size_t first = std::min<std::size_t>(bytes.size() - 1, bytes.front() & 0x3f);
    common_ = ParseCommon({bytes.substr(1, first), 0});
    entry_ = bytes.substr(1 + first);
  }
  const FrameRules* RulesAt(std::uint64_t address) override {
    if (!common_) return nullptr;
    rules_ = cpu_profile::RulesAt(*common_, {entry_, address}, address);
    return rules_ ? &*rules_ : nullptr;
  }

 private:
  std::optional<CommonRules> common_;
  std::string_view entry_;
  std::optional<FrameRules> rules_;
};

void Walk(const Registers& registers, const StackCopy& stack, std::string_view bytes) {
  RulesOfBytes rules(bytes);
  std::vector<std::uint64_t> addresses;
  WalkStack(registers, stack, rules, addresses);
  FUZZ_CHECK(addresses.size() <= kMostWalked);
}

void Rules(std::string_view bytes, std::uint8_t option) {
  Registers registers;
  for (int i = 0; i < kRegisters; ++i) registers.Set(i, option * 8ULL);
  const StackCopy stack{option, AsBytes(bytes)};
  RulesOfBytes rules(bytes);
  std::vector<std::uint64_t> addresses;
  WalkStack(registers, stack, rules, addresses);
  FUZZ_CHECK(addresses.size() <= kMostWalked);
  (void)Evaluate(bytes, registers, stack, option);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Input input = Split(data, size);
  const std::string_view bytes = input.data;
  switch (input.first % 8) {
    case 0:
      Python(bytes, input.second);
      break;
    case 1:
      (void)ParsePerfRecords(AsBytes(bytes),
                             input.second % 2 == 0 ? PerfParts::kChain : PerfParts::kChainAndStack,
                             [&](const PerfSample& sample) {
                               FUZZ_CHECK(sample.addresses.size() <= 512);
                               Walk(sample.registers, sample.stack, bytes);
                             });
      break;
    case 6:
      Rules(bytes, input.second);
      break;
    case 2:
      for (const JitFunction& one : ParsePerfMap(bytes)) FUZZ_CHECK(one.name.size() <= 400);
      break;
    case 3: {
      const std::vector<Mapping> maps = ParseMaps(bytes);
      for (const Mapping& one : maps) FUZZ_CHECK(one.begin < one.end);
      (void)FindMapping(maps, input.second);
      break;
    }
    case 4: {
      const auto lines = ParseLineTable(AsBytes(bytes), input.second);
      for (const LineRange& one : lines) FUZZ_CHECK(one.line >= 0);
      (void)LineAt(lines, input.second);
      break;
    }
    case 5: {
      const std::size_t middle = std::min<std::size_t>(bytes.size(), input.second);
      (void)ClockOfTrace(bytes.substr(0, middle), bytes.substr(middle));
      break;
    }
    default:
      (void)ParseThreadStatus(1, bytes);
      (void)Demangled(bytes);
  }
  return 0;
}

}  // namespace rankscope::fuzz
