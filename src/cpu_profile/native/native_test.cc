// Native stacks: records, symbols and maps as bytes; and a function of this very program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cpu_profile/image/elf_file.h"
#include "cpu_profile/image/maps.h"
#include "cpu_profile/native/debug_file.h"
#include "cpu_profile/native/perf_records.h"
#include "cpu_profile/native/symbols.h"
#include "cpu_profile/samples/process_threads.h"

// In the table of symbols, by this name.
extern "C" __attribute__((noinline)) int RankscopeFunctionForTest(int value) { return 3 * value; }

namespace rankscope::cpu_profile {
namespace {

using ::testing::ElementsAre;

class NativeBytes {
 public:
  template <typename T>
  NativeBytes& Add(T value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    all_.insert(all_.end(), begin, begin + sizeof(value));
    return *this;
  }
  NativeBytes& Head(std::uint32_t type, std::uint16_t bytes) {
    return Add(type).Add(std::uint16_t{0}).Add(bytes);
  }
  std::vector<std::byte> all_;
};

NativeBytes SampleAt(std::uint64_t count, std::uint16_t bytes) {
  NativeBytes made;
  made.Head(PERF_RECORD_SAMPLE, bytes).Add(std::uint32_t{10}).Add(std::uint32_t{11});
  made.Add(std::uint64_t{1234}).Add(count);
  made.Add(static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL))
      .Add(std::uint64_t{0xffff'8000'0000'0001});
  made.Add(static_cast<std::uint64_t>(PERF_CONTEXT_USER)).Add(std::uint64_t{0x1000});
  made.Add(std::uint64_t{0x2000});
  return made;
}
constexpr std::uint16_t kSampleBytes = 8 + 8 + 8 + 8 + 5 * 8;

TEST(PerfRecords, SamplesAndWhatWasLost) {
  NativeBytes bytes = SampleAt(5, kSampleBytes);
  bytes.Head(PERF_RECORD_LOST, 24).Add(std::uint64_t{1}).Add(std::uint64_t{7});
  bytes.Head(99, 8);
  std::vector<PerfSample> samples;
  EXPECT_EQ(ParsePerfRecords(bytes.all_, PerfParts::kChain,
                             [&](const PerfSample& one) { samples.push_back(one); }),
            7U);
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].thread, 11U);
  EXPECT_EQ(samples[0].time, 1234U);
  EXPECT_THAT(samples[0].addresses, ElementsAre(0x1000, 0x2000));
}

TEST(PerfRecords, WhatIsDamagedEnds) {
  int samples = 0;
  const auto count = [&](const PerfSample&) { ++samples; };
  for (const NativeBytes& bytes : {SampleAt(6, kSampleBytes), SampleAt(~0ULL, kSampleBytes),
                                   SampleAt(5, 4), SampleAt(5, 60000)})
    EXPECT_EQ(ParsePerfRecords(bytes.all_, PerfParts::kChain, count), 0U);
  EXPECT_EQ(samples, 0);
  const NativeBytes whole = SampleAt(5, kSampleBytes);
  for (std::size_t end = 0; end < whole.all_.size(); ++end)
    ParsePerfRecords(std::span(whole.all_).first(end), PerfParts::kChain, count);
  EXPECT_EQ(samples, 0);
}

TEST(PerfRecords, RegistersAndACopyOfTheStack) {
  // A chain of one, 17 registers as the kernel orders them, 16 bytes of which 8 are filled.
  NativeBytes bytes;
  const auto length = static_cast<std::uint16_t>(8 + 8 + 8 + 8 + 8 + 8 + 17 * 8 + 8 + 16 + 8);
  bytes.Head(PERF_RECORD_SAMPLE, length).Add(std::uint32_t{10}).Add(std::uint32_t{11});
  bytes.Add(std::uint64_t{1}).Add(std::uint64_t{1}).Add(std::uint64_t{0x1000});
  bytes.Add(std::uint64_t{PERF_SAMPLE_REGS_ABI_64});
  for (std::uint64_t i = 0; i < 17; ++i) bytes.Add(100 + i);
  bytes.Add(std::uint64_t{16}).Add(std::uint64_t{7}).Add(std::uint64_t{9}).Add(std::uint64_t{8});
  int samples = 0;
  const auto look = [&](const PerfSample& sample) {
    ++samples;
    EXPECT_EQ(sample.registers.value[kFramePointer], 106U);
    EXPECT_EQ(sample.registers.value[kStackPointer], 107U);
    EXPECT_EQ(sample.registers.value[kReturnAddress], 108U);
    EXPECT_EQ(sample.registers.value[3], 101U) << "bx";
    EXPECT_EQ(sample.registers.value[15], 116U);
    EXPECT_EQ(sample.stack.At(107), 7U);
    EXPECT_EQ(sample.stack.At(115), std::nullopt) << "is not filled";
  };
  ParsePerfRecords(bytes.all_, PerfParts::kChainAndStack, look);
  EXPECT_EQ(samples, 1);
  for (std::size_t end = 0; end < bytes.all_.size(); ++end)
    ParsePerfRecords(std::span(bytes.all_).first(end), PerfParts::kChainAndStack, look);
  EXPECT_EQ(samples, 1);
}

TEST(Maps, LinesOfTheKernel) {
  const std::vector<Mapping> maps = ParseMaps(
      "7f00-7f80 r-xp 00001000 08:01 12     /usr/lib/a b.so\n"
      "garbage\n1000-2000 rw-p 00000000 00:00 0 \n9000-8000 r--p 00000000 00:00 0\n");
  ASSERT_EQ(maps.size(), 2U);
  EXPECT_EQ(FindMapping(maps, 0x7f7f)->path, "/usr/lib/a b.so");
  EXPECT_EQ(FindMapping(maps, 0x7f7f)->offset, 0x1000U);
  EXPECT_TRUE(FindMapping(maps, 0x7f7f)->is_code);
  EXPECT_EQ(FindMapping(maps, 0x7f80), nullptr);
  EXPECT_EQ(FindMapping(maps, 0xfff), nullptr);
}

TEST(Threads, OfAStatus) {
  const ThreadOfProcess one =
      ParseThreadStatus(4711, "Name:\tpt_main_thread\nState:\tR\nNSpid:\t4711\t12\n");
  EXPECT_EQ(one.name, "pt_main_thread");
  EXPECT_EQ(one.inside, 12);
  EXPECT_EQ(ParseThreadStatus(4711, "Name:\n").inside, 4711);
}

TEST(PerfMap, FunctionsOfAJit) {
  const auto functions =
      ParsePerfMap("2000 10 py::f:/a b.py\nxyz\n1000 20 g\n3000 ffffffffffffffff\n");
  ASSERT_EQ(functions.size(), 2U);
  EXPECT_EQ(FindJitFunction(functions, 0x2005)->name, "py::f:/a b.py");
  EXPECT_EQ(FindJitFunction(functions, 0x101f)->name, "g");
  EXPECT_EQ(FindJitFunction(functions, 0x1020), nullptr);
  EXPECT_EQ(FindJitFunction(functions, 0xfff), nullptr);
}

TEST(Symbols, AFunctionOfThisProgram) {
  std::ifstream file("/proc/self/maps");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::vector<Mapping> maps = ParseMaps(text);
  const auto address = reinterpret_cast<std::uint64_t>(&RankscopeFunctionForTest);
  const auto names = NamesOf(getpid(), getpid(), maps, {address + 1, 0x10});
  EXPECT_EQ(names.at(address + 1).function, "RankscopeFunctionForTest");
  EXPECT_EQ(names.at(0x10).function, "(code of no file)");
  EXPECT_EQ(Demangled("_ZN2at6native3mulERKNS_6TensorE"), "at::native::mul(at::Tensor const&)");
  EXPECT_EQ(Demangled("_Z"), "_Z");
}

// As distributions do it: what is loaded is stripped, and its symbols are in a file of their own.
TEST(Symbols, OfAFileThatWasStripped) {
  const std::string root = testing::TempDir() + "/debug" + std::to_string(getpid());
  const auto run = [&](const std::string& words) { return std::system((words + " 2>&1").c_str()); };
  ASSERT_EQ(run("mkdir -p " + root + "/lib/.debug"), 0);
  const std::string exe = std::filesystem::read_symlink("/proc/self/exe");
  if (run("cp " + exe + " " + root + "/whole && cd " + root +
          " && objcopy --only-keep-debug whole lib/.debug/it.debug && strip -o lib/it whole && "
          "objcopy --add-gnu-debuglink=lib/.debug/it.debug lib/it") != 0)
    GTEST_SKIP() << "no objcopy here";
  const ElfFile whole = *ElfFile::Open(root + "/whole");
  const ElfFile stripped = *ElfFile::Open(root + "/lib/it");
  if (stripped.build_id().empty()) GTEST_SKIP() << "the linker gives no build ids";
  const std::uint64_t address = *whole.AddressOf("RankscopeFunctionForTest");
  EXPECT_TRUE(whole.has_all_symbols());
  EXPECT_FALSE(stripped.has_all_symbols());
  EXPECT_EQ(stripped.debug_name(), "it.debug");
  EXPECT_EQ(stripped.build_id(), whole.build_id());
  EXPECT_EQ(stripped.FunctionAt(address), "");
  EXPECT_FALSE(DebugFileOf(whole, "/whole", {root}).has_value()) << "needs none";
  const auto named = DebugFileOf(stripped, "/lib/it", {"/none", root});
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->FunctionAt(address), "RankscopeFunctionForTest");
  // By its build, as Debian's packages of debug symbols are laid out.
  const std::string folder = root + "/usr/lib/debug/.build-id/" + stripped.build_id().substr(0, 2);
  ASSERT_EQ(run("mkdir -p " + folder + " && mv " + root + "/lib/.debug/it.debug " + folder + "/" +
                stripped.build_id().substr(2) + ".debug"),
            0);
  ASSERT_TRUE(DebugFileOf(stripped, "/lib/it", {root}).has_value());
  // Of another build it is not it.
  ASSERT_EQ(run("cd " + root + " && rm -r usr && cp /bin/true lib/.debug/it.debug"), 0);
  EXPECT_FALSE(DebugFileOf(stripped, "/lib/it", {root}).has_value());
  std::filesystem::remove_all(root);
}

TEST(Elf, NoByteOfTheHeadersHarms) {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string head(8192, '\0');
  self.read(head.data(), static_cast<std::streamsize>(head.size()));
  const std::string path = testing::TempDir() + "/elf" + std::to_string(getpid());
  for (std::size_t at = 0; at < 64; ++at) {
    std::string damaged = head;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_FALSE(ElfFile::Open(path).ok() && ElfFile::Open(path)->AddressOf("none").has_value());
  }
  unlink(path.c_str());
  EXPECT_FALSE(ElfFile::Open("/dev/null").ok());
  EXPECT_FALSE(ElfFile::Open("/none").ok());
}

}  // namespace
}  // namespace rankscope::cpu_profile
