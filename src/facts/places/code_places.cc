#include "facts/places/code_places.h"

#include <algorithm>
#include <charconv>

#include "facts/places/forward_ops.h"
#include "facts/places/library_frames.h"

namespace rankscope {

namespace {

// Neither PyTorch's nor the interpreter's own.
bool IsOfNeither(std::string_view name) {
  return !name.starts_with("<") && !name.starts_with("torch/") &&
         name.find("/torch/") == std::string_view::npos && !IsFrameOfStandardLibrary(name);
}
bool IsNamedFunction(const RankTrace& trace, Row row) {
  return trace.kind[row] == EventKind::kPythonFunction && !IsModule(trace, row) &&
         IsOfNeither(trace.name_of(row));
}

}  // namespace

bool IsUsersFunction(const RankTrace& trace, Row row) {
  return IsNamedFunction(trace, row) && !IsFrameOfLibrary(trace.name_of(row));
}

bool IsNameOfUsersFunction(std::string_view name) {
  return IsOfNeither(name) && !IsFrameOfLibrary(name);
}

std::string WithoutInstances(std::string_view path) {
  std::string text;
  while (true) {
    const std::size_t slash = path.find('/');
    std::string_view name = path.substr(0, slash);
    const std::size_t last = name.find_last_not_of("0123456789");
    if (last != std::string_view::npos && last + 1 < name.size() && name[last] == '_' && last > 0)
      name = name.substr(0, last);
    text += name;
    if (slash == std::string_view::npos) return text;
    text += '/';
    path.remove_prefix(slash + 1);
  }
}

CodeLine ParseCodeLine(std::string_view frame) {
  const std::size_t close = frame.find("): ");
  const std::size_t open = close == std::string_view::npos ? close : frame.rfind('(', close);
  if (open == std::string_view::npos || open == 0) return {};
  CodeLine line{.file = frame.substr(0, open), .line = -1, .function = frame.substr(close + 3)};
  const char* const end = frame.data() + close;
  const auto [stop, error] = std::from_chars(frame.data() + open + 1, end, line.line);
  if (error != std::errc() || stop != end || line.line < 0) return {};
  return line;
}

CodePlaces::CodePlaces(const RankTrace& trace)
    : trace_(trace),
      modules_(trace, [&](Row row) { return IsModule(trace, row); }),
      functions_(trace, [&](Row row) { return IsUsersFunction(trace, row); }),
      libraries_(trace, [&](Row row) { return IsNamedFunction(trace, row); }),
      paths_(ModulePathsOf(trace, modules_)),
      forward_(ForwardOpsOf(trace)) {}

std::uint32_t CodePlaces::At(Row row) {
  const auto frame_at = [&](const FrameTree& frames) {
    const std::uint32_t own = frames.at(row);
    const bool is_of_autograd =
        own == FrameTree::kNone && !forward_.empty() && forward_[row] != kNoRow;
    return is_of_autograd ? frames.at(forward_[row]) : own;
  };
  const std::uint32_t module = frame_at(modules_);
  const FrameTree* of_function = &functions_;
  std::uint32_t function = frame_at(functions_);
  if (function == FrameTree::kNone) {
    of_function = &libraries_;
    function = frame_at(libraries_);
  }
  if (module == FrameTree::kNone && function == FrameTree::kNone) return kNone;
  const std::uint32_t path =
      module == FrameTree::kNone ? FrameTree::kNone : paths_.groups.of_frame[module];
  const StringId name =
      function == FrameTree::kNone ? kEmptyString : trace_.name[of_function->row(function)];
  const auto [found, is_new] =
      known_.try_emplace(std::pair(path, name), static_cast<std::uint32_t>(places_.size()));
  if (!is_new) return found->second;
  std::string classes;
  if (path != FrameTree::kNone) classes = WithoutInstances(ModulePathText(trace_, paths_, path));
  // Instances of a class are one place.
  const auto [same, is_first] =
      of_class_.try_emplace(std::pair(classes, name), static_cast<std::uint32_t>(places_.size()));
  if (is_first) places_.push_back({std::move(classes), name});
  found->second = same->second;
  return found->second;
}

bool HasPythonFrames(const RankTrace& trace) {
  return std::find(trace.kind.begin(), trace.kind.end(), EventKind::kPythonFunction) !=
         trace.kind.end();
}

}  // namespace rankscope
