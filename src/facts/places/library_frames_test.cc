#include "facts/places/library_frames.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(LibraryFrames, OfTheStandardLibrary) {
  for (const char* frame :
       {"threading.py(323): wait", "weakref.py(9): __init__", "abc.py(1): f", "typing.py(2): inner",
        "json/decoder.py(9): decode", "/usr/lib/python3.11/socket.py(3): send"})
    EXPECT_TRUE(IsFrameOfStandardLibrary(frame)) << frame;
  for (const char* frame : {"train.py(3): main", "my/threading.py(3): wait", "nn.Module: Net_0",
                            "<built-in method wait>", "threading_of_mine.py(3): f",
                            "/usr/lib/python3.11/site-packages/mine/a.py(3): f"})
    EXPECT_FALSE(IsFrameOfStandardLibrary(frame)) << frame;
}

TEST(LibraryFrames, OfPackages) {
  for (const char* frame : {"numpy/core/fromnumeric.py(9): sum", "triton/runtime/jit.py(3): run",
                            "torch_npu/npu/utils.py(58): synchronize",
                            "/usr/lib/python3.11/site-packages/mine/a.py(3): f"})
    EXPECT_TRUE(IsFrameOfLibrary(frame)) << frame;
  for (const char* frame : {"train.py(3): main", "megatron/core/a.py(3): f", "mynumpy/a.py(3): f"})
    EXPECT_FALSE(IsFrameOfLibrary(frame)) << frame;
}

}  // namespace
}  // namespace rankscope
