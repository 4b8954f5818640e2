#include "trace/profiler_frames.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(ProfilerFrames, OfProfilersAlone) {
  for (const char* frame :
       {"torch/profiler/profiler.py(650): start", "/opt/p/torch/profiler/profiler.py(7): step",
        "profiler.py:101 start_trace", "$profiler.py:101 stop_trace",
        "torch/autograd/profiler.py(300): __exit__",
        "torch_npu/profiler/profiler_interface.py(84): start_trace",
        "torch_npu/profiler/profiler.py(241): step", "rankscope_hooks/watch.py(36): step",
        "/opt/p/rankscope_hooks/kineto.py(33): step_ended"})
    EXPECT_TRUE(IsFrameOfProfiler(frame)) << frame;
  for (const char* frame :
       {"train_profiler.py(3): step", "my/profiler.py(3): step", "train.py(3): step",
        "torch/profiler/profiler.py(650): export_chrome_trace", "torch_npu/npu/utils.py(5): step",
        "my_rankscope_hooks/watch.py(36): step"})
    EXPECT_FALSE(IsFrameOfProfiler(frame)) << frame;
}

}  // namespace
}  // namespace rankscope
