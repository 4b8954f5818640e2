// Frames of the profilers themselves.
#pragma once

#include <array>
#include <string_view>

namespace rankscope {

// True for a frame that starts, stops or steps a profiler of PyTorch or JAX:
// "torch/profiler/profiler.py(650): start", "profiler.py:101 start_trace" (XPlane),
// "$profiler.py:101 start_trace"; all frames of torch_npu's profiler, and rankscope's own hooks
// (python/rankscope_hooks). Not for a user's train_profiler.py.
inline bool IsFrameOfProfiler(std::string_view name) {
  constexpr std::array<std::string_view, 7> kFunctions = {
      "start", "stop", "step", "start_trace", "stop_trace", "__enter__", "__exit__"};
  if (name.starts_with('$')) name.remove_prefix(1);
  constexpr std::array<std::string_view, 2> kPackages = {"torch_npu/profiler/", "rankscope_hooks/"};
  for (const std::string_view package : kPackages) {
    const std::size_t at = name.find(package);
    if (at == 0 || (at != std::string_view::npos && name[at - 1] == '/')) return true;
  }
  const std::size_t file = name.find("profiler.py");
  if (file == std::string_view::npos) return false;
  const std::string_view folder = name.substr(0, file);
  if (!folder.empty() && !folder.ends_with("torch/profiler/") && !folder.ends_with("jax/_src/") &&
      !folder.ends_with("torch/autograd/"))
    return false;
  const std::size_t blank = name.rfind(' ');
  if (blank == std::string_view::npos) return false;
  for (const std::string_view known : kFunctions) {
    if (name.substr(blank + 1) == known) return true;
  }
  return false;
}

}  // namespace rankscope
