// Stacks without frame pointers: rules as bytes that were written by hand, and a program that runs.
#include "cpu_profile/native/stack_walk.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "base/until.h"
#include "cpu_profile/frame_runs.h"
#include "cpu_profile/native/native_sampler.h"
#include "cpu_profile/native/process_rules.h"
#include "cpu_profile/samples/process_threads.h"

// A chain of functions that this very program runs; what is behind the calls keeps them calls.
extern "C" {
volatile unsigned long rankscope_spins = 0;
__attribute__((noinline)) void RankscopeInnermostForTest() {
  for (;;) rankscope_spins = rankscope_spins + 1;
}
__attribute__((noinline)) void RankscopeMiddleForTest(unsigned long more) {
  volatile unsigned long local[40] = {more};
  RankscopeInnermostForTest();
  rankscope_spins = local[0];
}
__attribute__((noinline)) void RankscopeOuterForTest() {
  RankscopeMiddleForTest(rankscope_spins);
  rankscope_spins = 0;
}
}

namespace rankscope::cpu_profile {
namespace {

using ::testing::ElementsAre;
using Kind = RegisterRule::Kind;

std::string BytesStackWalk(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

// Version 1, "zR": addresses of four bytes counted from themselves; the frame's address is sp + 8,
// and the return address lies 8 below it.
const std::string kCie = BytesStackWalk({0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b,  //
                                         0x0c, 7, 8, 0x90, 1});

// At 0x1000, 0x20 bytes long, of an entry at 0x5000: push rbp; mov rbp, rsp; ...; leave.
std::string Fde(std::string_view program) {
  std::string bytes = BytesStackWalk({1, 0, 0, 0});
  const std::int32_t begin = 0x1000 - 0x5004, length = 0x20;
  bytes.append(reinterpret_cast<const char*>(&begin), 4);
  bytes.append(reinterpret_cast<const char*>(&length), 4);
  return bytes + BytesStackWalk({0}) + std::string(program);
}

std::optional<FrameRules> At(const std::string& fde, std::uint64_t address) {
  const auto common = ParseCommon({kCie, 0x4000});
  return common ? RulesAt(*common, {fde, 0x5000}, address) : std::nullopt;
}

TEST(FrameRules, ChangeFromInstructionToInstruction) {
  const std::string fde =
      Fde(BytesStackWalk({0x41, 0x0e, 16, 0x86, 2,             // advance 1; CFA sp + 16; rbp saved
                          0x43, 0x0d, 6,                       // advance 3; CFA by rbp
                          0x0a, 0x02, 0x10, 0xc6, 0x0c, 7, 8,  // remember; at 0x1014 out
                          0x41, 0x0b}));                       // at 0x1015 as it was
  const auto rule = [&](std::uint64_t address) {
    const auto rules = At(fde, address);
    EXPECT_TRUE(rules.has_value());
    return std::tuple(rules->cfa_register, rules->cfa_offset, rules->registers[6].kind,
                      rules->registers[6].value, rules->registers[16].value);
  };
  EXPECT_EQ(rule(0x1000), std::tuple(7, 8, Kind::kSame, 0, -8));
  EXPECT_EQ(rule(0x1001), std::tuple(7, 16, Kind::kAtCfa, -16, -8));
  EXPECT_EQ(rule(0x1004), std::tuple(6, 16, Kind::kAtCfa, -16, -8));
  EXPECT_EQ(rule(0x1014), std::tuple(7, 8, Kind::kSame, 0, -8));
  EXPECT_EQ(rule(0x1015), std::tuple(6, 16, Kind::kAtCfa, -16, -8));
  EXPECT_FALSE(At(fde, 0xfff).has_value());
  EXPECT_FALSE(At(fde, 0x1020).has_value()) << "behind its end";
}

TEST(FrameRules, WhatIsDamagedHasNone) {
  const std::string whole = Fde(BytesStackWalk({0x41, 0x0e, 16, 0x86, 2, 0x0f, 2, 0x77, 8}));
  ASSERT_TRUE(At(whole, 0x1001).has_value());
  for (std::size_t end = 0; end < whole.size(); ++end) (void)At(whole.substr(0, end), 0x1001);
  for (std::size_t end = 0; end < kCie.size(); ++end)
    (void)ParseCommon({std::string_view(kCie).substr(0, end), 0});
  EXPECT_FALSE(At(Fde(BytesStackWalk({0x0b})), 0x1000).has_value()) << "nothing was remembered";
  EXPECT_FALSE(At(Fde(BytesStackWalk({0x3f})), 0x1000).has_value()) << "no such instruction";
  EXPECT_FALSE(At(Fde(BytesStackWalk({0x0f, 0x7f, 1})), 0x1000).has_value()) << "longer than it is";
  EXPECT_FALSE(At(Fde(BytesStackWalk({0x0e, 0xff, 0xff})), 0x1000).has_value())
      << "a number without an end";
  std::string endless;
  for (int i = 0; i < 100; ++i) endless += BytesStackWalk({0x0a});
  EXPECT_FALSE(At(Fde(endless), 0x1000).has_value()) << "remembers too much";
}

class MadeUp final : public RulesSource {
 public:
  std::map<std::uint64_t, FrameRules> by_page;  // of 0x100 bytes
  const FrameRules* RulesAt(std::uint64_t address) override {
    asked.push_back(address);
    const auto found = by_page.find(address / 0x100 * 0x100);
    return found == by_page.end() ? nullptr : &found->second;
  }
  std::vector<std::uint64_t> asked;
};

FrameRules Plain(std::int64_t frame_bytes) {
  FrameRules rules;
  rules.cfa_offset = frame_bytes;
  rules.registers[kReturnAddress] = {Kind::kAtCfa, -8};
  return rules;
}

// Words of a stack at 0x7000.
struct Stack {
  std::vector<std::uint64_t> words;
  StackCopy Copy() const { return {0x7000, std::as_bytes(std::span(words))}; }
};

Registers Begin(std::uint64_t address, std::uint64_t frame_pointer = 0) {
  Registers registers;
  registers.Set(kReturnAddress, address);
  registers.Set(kStackPointer, 0x7000);
  registers.Set(kFramePointer, frame_pointer);
  return registers;
}

TEST(StackWalk, FromTheInnermostToTheFirst) {
  MadeUp rules;
  rules.by_page[0x100] = Plain(16);  // a word, and the return address
  rules.by_page[0x200] = Plain(8);
  rules.by_page[0x300].registers[kReturnAddress] = {Kind::kUndefined, 0};
  const Stack stack{{1, 0x210, 0x300 + 0x20}};
  std::vector<std::uint64_t> addresses;
  EXPECT_EQ(WalkStack(Begin(0x110), stack.Copy(), rules, addresses), WalkEnd::kOutermost);
  EXPECT_THAT(addresses, ElementsAre(0x110, 0x210, 0x320));
  // A call may be the last instruction of its function.
  EXPECT_THAT(rules.asked, ElementsAre(0x110, 0x20f, 0x31f));
}

TEST(StackWalk, WhereThereAreNoRulesByTheFramePointer) {
  MadeUp rules;
  rules.by_page[0x200].registers[kReturnAddress] = {Kind::kUndefined, 0};
  const Stack stack{{5, 0, 0x210}};
  std::vector<std::uint64_t> addresses;
  EXPECT_EQ(WalkStack(Begin(0x910, 0x7008), stack.Copy(), rules, addresses), WalkEnd::kOutermost);
  EXPECT_THAT(addresses, ElementsAre(0x910, 0x210));
  addresses.clear();
  EXPECT_EQ(WalkStack(Begin(0x910, 0x6ff8), stack.Copy(), rules, addresses), WalkEnd::kCut);
  EXPECT_THAT(addresses, ElementsAre(0x910)) << "it does not lead up";
}

TEST(StackWalk, EndsWhereTheCopyEndsAndInCircles) {
  MadeUp rules;
  rules.by_page[0x100] = Plain(8);
  const Stack stack{{0x110, 0x110}};
  std::vector<std::uint64_t> addresses;
  EXPECT_EQ(WalkStack(Begin(0x110), stack.Copy(), rules, addresses), WalkEnd::kCut);
  EXPECT_EQ(addresses.size(), 3U);
  rules.by_page[0x100] = Plain(0);  // the caller's frame would be its own
  addresses.clear();
  EXPECT_EQ(WalkStack(Begin(0x110), stack.Copy(), rules, addresses), WalkEnd::kCut);
  EXPECT_EQ(addresses.size(), 1U);
  const Stack deep{std::vector<std::uint64_t>(10'000, 0x110)};
  rules.by_page[0x100] = Plain(8);
  addresses.clear();
  WalkStack(Begin(0x110), deep.Copy(), rules, addresses);
  EXPECT_EQ(addresses.size(), kMostWalked);
}

TEST(Expression, AsLinkersWriteItForTheirTables) {
  // sp + 8, and 8 more when the address is at or behind 11 of its 16 bytes.
  const std::string code =
      BytesStackWalk({0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22});
  const auto at = [&](std::uint64_t address) {
    return Evaluate(code, Begin(address), Stack{}.Copy(), std::nullopt);
  };
  EXPECT_EQ(at(0x120a), 0x7008U);
  EXPECT_EQ(at(0x120b), 0x7010U);
  const Stack stack{{0, 77}};
  EXPECT_EQ(Evaluate(BytesStackWalk({0x77, 8, 0x06}), Begin(0), stack.Copy(), std::nullopt), 77U);
  EXPECT_EQ(Evaluate(BytesStackWalk({0x23, 4}), Begin(0), stack.Copy(), 3), 7U);
  for (const std::string& wrong :
       {BytesStackWalk({0x22}), BytesStackWalk({0x77}), BytesStackWalk({0x30, 0x06}),
        BytesStackWalk({0xff}), std::string(100, '\x12'), std::string(5000, '\x96')})
    EXPECT_EQ(Evaluate(wrong, Begin(0), stack.Copy(), std::nullopt), std::nullopt);
}

TEST(ProcessRules, OfThisProgramAndItsLibraries) {
  ProcessRules rules(getpid());
  rules.Refresh();
  EXPECT_NE(rules.RulesAt(reinterpret_cast<std::uint64_t>(&RankscopeMiddleForTest) + 1), nullptr);
  EXPECT_NE(rules.RulesAt(reinterpret_cast<std::uint64_t>(&::qsort) + 1), nullptr);
  EXPECT_EQ(rules.RulesAt(0x10), nullptr);
}

TEST(NativeSampler, WholeStacksOfAProgramThatRuns) {
  const pid_t child = fork();
  if (child == 0) {
    RankscopeOuterForTest();
    _exit(0);
  }
  ProcessThreads threads(child);
  const std::vector<pid_t> first = threads.Refresh();
  auto sampler = NativeSampler::Start(child, 5'000'000, threads);
  Profile profile;
  if (sampler.ok()) {
    (*sampler)->Watch(first);
    EXPECT_TRUE(Until([&] {
      (*sampler)->Drain();
      return (*sampler)->samples() > 50;
    }));
    profile = (*sampler)->Take();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (!sampler.ok()) GTEST_SKIP() << sampler.status().message();
  ASSERT_GT(profile.samples.size(), 5U);
  // Outermost first; what is around them is the test's.
  EXPECT_THAT(
      CollapsedText(profile),
      ::testing::ContainsRegex(
          "main.*;RankscopeOuterForTest;RankscopeMiddleForTest;RankscopeInnermostForTest "));
}

}  // namespace
}  // namespace rankscope::cpu_profile
