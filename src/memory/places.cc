#include "memory/places.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rankscope::memory {
namespace {

using snapshot::Frame;

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t N>
bool HasAny(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return Has(text, part); });
}

constexpr std::array<std::string_view, 5> kOptimizerFiles = {
    "torch/optim/", "apex/optimizers/", "deepspeed/ops/", "deepspeed/runtime/zero/stage",
    "bitsandbytes/optim/"};
constexpr std::array<std::string_view, 4> kCommunicationFiles = {
    "torch/distributed/distributed_c10d.py", "torch/distributed/_functional_collectives.py",
    "torch/distributed/c10d_logger.py", "ProcessGroup"};

bool IsPython(std::string_view file) { return file.ends_with(".py"); }

// What one frame says by itself.
std::optional<Category> CategoryOf(std::string_view name, std::string_view file) {
  if (HasAny(file, kOptimizerFiles)) return Category::kOptimizer;
  if (HasAny(file, kCommunicationFiles) || Has(name, "c10d::ProcessGroup"))
    return Category::kCommunication;
  if (Has(file, "torch/utils/data/") || Has(name, "pin_memory")) return Category::kData;
  if (Has(name, "torch::autograd::Engine::") || name == "_engine_run_backward" ||
      (name == "backward" && IsPython(file)))
    return Category::kBackward;
  if (Has(file, "torch/nn/modules/")) {
    if (name == "_apply" || name == "to" || name == "cuda" || name == "convert" ||
        name == "__init__" || name == "reset_parameters")
      return Category::kModule;
    if (name == "_call_impl" || name == "_wrapped_call_impl" || name == "__call__")
      return Category::kForward;
  }
  if (name == "forward" && IsPython(file)) return Category::kForward;
  return std::nullopt;
}

// Frames that every allocation has, and those of the interpreter.
bool IsMachinery(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "torch::unwind",    "CapturedTraceback", "gather_with_cpp",   "CUDACachingAllocator",
      "CachingAllocator", "_PyEval_",          "at::detail::empty", "PyObject_"};
  return HasAny(name, kNames);
}

bool IsLibrary(std::string_view file) {
  return Has(file, "site-packages/") || Has(file, "dist-packages/") || Has(file, "/torch/") ||
         file.starts_with("<frozen");
}

}  // namespace

std::string_view ToString(Category category) {
  constexpr std::string_view kNames[kCategoryCount] = {"forward",       "backward", "recompute",
                                                       "optimizer",     "module",   "data",
                                                       "communication", "unknown"};
  return kNames[static_cast<std::size_t>(category)];
}

Places::Places(const snapshot::Snapshot& snapshot) : snapshot_(snapshot) {
  // Per frame first: stacks share them.
  enum class Say : std::uint8_t { kNothing = kCategoryCount };
  const auto& stacks = snapshot.stacks;
  std::vector<std::uint8_t> said(stacks.frame_count());
  std::vector<bool> is_checkpoint(stacks.frame_count());
  for (std::size_t i = 0; i < said.size(); ++i) {
    const Frame& frame = stacks.frame(static_cast<std::uint32_t>(i));
    const std::string_view file = snapshot.texts.Get(frame.file);
    const auto category = CategoryOf(snapshot.texts.Get(frame.name), file);
    said[i] = static_cast<std::uint8_t>(category ? static_cast<std::uint8_t>(*category)
                                                 : static_cast<std::uint8_t>(Say::kNothing));
    is_checkpoint[i] = Has(file, "torch/utils/checkpoint.py");
  }
  const auto says = [&](std::uint32_t frame, Category category) {
    return said[frame] == static_cast<std::uint8_t>(category);
  };
  categories_.resize(stacks.size(), Category::kUnknown);
  for (std::uint32_t stack = 0; stack < categories_.size(); ++stack) {
    const auto frames = stacks.Frames(stack);
    const auto telling = std::find_if(frames.begin(), frames.end(), [&](std::uint32_t frame) {
      return said[frame] != static_cast<std::uint8_t>(Say::kNothing);
    });
    if (telling == frames.end()) continue;
    Category category = static_cast<Category>(said[*telling]);
    if (category == Category::kForward) {
      const auto checkpoint = std::find_if(telling, frames.end(), [&](std::uint32_t frame) {
        return static_cast<bool>(is_checkpoint[frame]);
      });
      const bool is_in_backward = std::any_of(checkpoint, frames.end(), [&](std::uint32_t frame) {
        return says(frame, Category::kBackward);
      });
      if (is_in_backward) category = Category::kRecompute;
    }
    categories_[stack] = category;
  }
}

std::string Places::FrameText(const Frame& frame) const {
  const std::string_view name = snapshot_.texts.Get(frame.name);
  std::string_view file = snapshot_.texts.Get(frame.file);
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos)
    file.remove_prefix(slash + 1);
  if (file.empty() || file == "??") return std::string(name);
  return fmt::format("{} ({}:{})", name, file, frame.line);
}

namespace {

// "torch::autograd::generated::MmBackward0::apply(...)" -> "MmBackward0"; "" of no such name.
std::string_view NodeOf(std::string_view name) {
  const std::size_t end = name.find("::apply(");
  if (end == std::string_view::npos) return {};
  name = name.substr(0, end);
  const std::size_t colon = name.rfind("::");
  const std::string_view node = colon == std::string_view::npos ? name : name.substr(colon + 2);
  return Has(node, "Backward") ? node : std::string_view();
}

// "at::empty_cuda(c10::ArrayRef<long>)" -> "at::empty_cuda".
std::string_view WithoutArguments(std::string_view name) {
  if (!name.ends_with(')')) return name;
  int open = 0;
  for (std::size_t i = name.size(); i-- > 1;) {
    if (name[i] == ')') ++open;
    if (name[i] == '(' && --open == 0) return name.substr(0, i);
  }
  return name;
}

}  // namespace

// Of the program's own Python, else any Python, else a node of autograd, else what is not the
// allocator's own.
std::string Places::Place(std::uint32_t stack) const {
  const auto frames = snapshot_.stacks.Frames(stack);
  if (frames.empty()) return {};
  const Frame* any_python = nullptr;
  const Frame* any_code = nullptr;
  std::string_view node;
  for (const std::uint32_t index : frames) {
    const Frame& frame = snapshot_.stacks.frame(index);
    const std::string_view file = snapshot_.texts.Get(frame.file);
    if (IsPython(file)) {
      if (!IsLibrary(file)) return FrameText(frame);
      if (any_python == nullptr) any_python = &frame;
    } else if (node.empty()) {
      node = NodeOf(snapshot_.texts.Get(frame.name));
    }
    if (any_code == nullptr && !IsPython(file) && !IsMachinery(snapshot_.texts.Get(frame.name))) {
      any_code = &frame;
    }
  }
  if (any_python != nullptr) return FrameText(*any_python);
  if (!node.empty()) return std::string(node);
  const Frame& frame = any_code != nullptr ? *any_code : snapshot_.stacks.frame(frames.front());
  return std::string(WithoutArguments(snapshot_.texts.Get(frame.name)));
}

std::string Places::Stack(std::uint32_t stack) const {
  std::string text;
  for (const std::uint32_t index : snapshot_.stacks.Frames(stack)) {
    if (!text.empty()) text += " <- ";
    text += FrameText(snapshot_.stacks.frame(index));
  }
  return text;
}

}  // namespace rankscope::memory
