#include "snoop/plan.h"

#include <gmock/gmock.h>

#include "snoop/messages.h"
#include "snoop/sites.h"

namespace rankscope::snoop {
namespace {

TEST(Calls, VersionsAndVariantsAreTheSameCall) {
  ASSERT_NE(FindCall(Level::kHip, "hipMalloc@@hip_4.2"), nullptr);
  EXPECT_EQ(FindCall(Level::kHip, "hipMalloc@@hip_4.2")->name, "hipMalloc");
  ASSERT_NE(FindCall(Level::kRuntime, "cudaLaunchKernel_ptsz"), nullptr);
  EXPECT_EQ(FindCall(Level::kRuntime, "cudaLaunchKernel_ptsz")->kind(), kLaunch);
  EXPECT_EQ(FindCall(Level::kRuntime, "__cudaLaunchKernel"), nullptr);
  EXPECT_EQ(FindCall(Level::kDriver, "cudaMalloc"), nullptr);
}

TEST(Calls, ArgumentsAreWhereTheAbiPutsThem) {
  const Call* call = FindCall(Level::kRuntime, "cudaMalloc");
  EXPECT_EQ(call->at.address.reg, 5);  // rdi
  EXPECT_EQ(call->at.size.reg, 4);     // rsi
  call = FindCall(Level::kRuntime, "cudaMallocPitch");
  EXPECT_EQ(call->at.pitch.reg, 4);
  EXPECT_EQ(call->at.size.reg, 2);  // rcx
  EXPECT_EQ(FindCall(Level::kRuntime, "cudaLaunchKernelExC")->at.detail.reg, 4);
}

TEST(Calls, MethodsOfTheAllocator) {
  Call call;
  EXPECT_TRUE(IsAllocatorMethod("_ZN3c104cuda20CUDACachingAllocator9raw_allocEm", call));
  EXPECT_EQ(call.kind(), kAllocateThrow);
  EXPECT_EQ(call.at.size.reg, 5);  // of a function, the first argument
  EXPECT_TRUE(
      IsAllocatorMethod("_ZN3c104cuda20CUDACachingAllocator6Native22NativeCachingAllocator6mallocEP"
                        "PvamP11CUstream_st",
                        call));
  EXPECT_EQ(call.name, "c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::malloc");
  EXPECT_EQ(call.at.size.reg, 2);  // of a method, behind `this`, the pointer and the device
  EXPECT_TRUE(IsAllocatorMethod(
      "_ZN3c104cuda20CUDACachingAllocator6Native22NativeCachingAllocator4freeEPv", call));
  EXPECT_EQ(call.kind(), kFree);
  EXPECT_EQ(call.at.address.reg, 4);
  EXPECT_FALSE(IsAllocatorMethod(
      "_ZN3c104cuda20CUDACachingAllocator6Native22NativeCachingAllocator4freeEPv.cold", call));
  EXPECT_FALSE(IsAllocatorMethod("_ZN3c104cuda20CUDACachingAllocator9allocatorE", call));
  EXPECT_FALSE(IsAllocatorMethod("_Z6mallocm", call));
}

TEST(Sites, ArgumentsAsTheAssemblerWritesThem) {
  const auto arguments = ParseArguments("8@%rbx -4@%esi 8@-16(%rbp) 8@$5 8@(%rsp) -1@%r9b");
  ASSERT_TRUE(arguments);
  ASSERT_EQ(arguments->size(), 6U);
  EXPECT_EQ((*arguments)[0].reg, 3);
  EXPECT_EQ((*arguments)[0].how, kInRegister);
  EXPECT_EQ((*arguments)[1].bytes, -4);
  EXPECT_EQ((*arguments)[2].how, kInMemory);
  EXPECT_EQ((*arguments)[2].offset, -16);
  EXPECT_EQ((*arguments)[3].how, kConstant);
  EXPECT_EQ((*arguments)[3].offset, 5);
  EXPECT_EQ((*arguments)[4].offset, 0);
  EXPECT_EQ((*arguments)[5].reg, 9);
  for (const auto* text : {"8@%zmm1", "8@symbol(%rip)", "8@(%rax,%rbx,8)", "%rax", "9@%rax", "8@"})
    EXPECT_FALSE(ParseArguments(text)) << text;
}

TEST(Plan, LibrariesByTheirNames) {
  EXPECT_EQ(LevelOf("libcudart-d0da41ae.so.11.0"), Level::kRuntime);
  EXPECT_EQ(LevelOf("libcuda.so.550.54"), Level::kDriver);
  EXPECT_EQ(LevelOf("libamdhip64.so.6"), Level::kHip);
  EXPECT_EQ(LevelOf("libc10_cuda.so"), Level::kAllocator);
  EXPECT_EQ(LevelOf("libcublas.so.12"), std::nullopt);
}

TEST(Plan, CodeIsJoinedOverTheSmallestGaps) {
  std::vector<cpu_profile::Mapping> maps;
  // Eight pieces, 0x1000 each; gaps grow, so that the first are joined.
  std::uint64_t at = 0x10000;
  for (std::uint64_t i = 0; i < 8; ++i) {
    maps.push_back({at, at + 0x1000, 0, true, "/lib/a.so"});
    at += 0x1000 + 0x1000 * (i + 1);
  }
  maps.push_back({at, at + 0x1000, 0, true, "[vdso]"});
  const std::vector<CodeRange> ranges = CodeRangesOf(maps);
  ASSERT_EQ(ranges.size(), std::size_t{kMostCodeRanges});
  EXPECT_EQ(ranges[0].begin, 0x10000U);
  EXPECT_EQ(ranges[0].bytes, 3 * 0x1000U + 0x1000 + 0x2000);
  for (const auto& one : maps) {
    bool is_in = false;
    for (const CodeRange& range : ranges) is_in |= one.begin - range.begin < range.bytes;
    EXPECT_EQ(is_in, one.path != "[vdso]");
  }
}

TEST(Messages, ARequestComesBackAndCutOnesAreRefused) {
  HelperRequest request{
      .programs = Programs::kOffCpu, .pid = 42, .config = {}, .calls = {}, .probes = {}};
  request.calls.push_back(FindCall(Level::kRuntime, "cudaMalloc")->at);
  request.probes.push_back({.file = "/lib/a.so", .offset = 0x40, .call = 0, .at_return = true});
  const std::string bytes = ToBytes(request);
  const Result<HelperRequest> same = ParseRequest(bytes);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->pid, 42);
  ASSERT_EQ(same->probes.size(), 1U);
  EXPECT_EQ(same->probes[0].file, "/lib/a.so");
  EXPECT_TRUE(same->probes[0].at_return);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(ParseRequest(std::string_view(bytes).substr(0, length)).ok()) << length;
}

}  // namespace
}  // namespace rankscope::snoop
