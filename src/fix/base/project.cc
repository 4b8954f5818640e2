#include "fix/base/project.h"

#include <algorithm>

#include "base/text.h"

namespace rankscope::fix {
namespace {

// How many names two paths have in common at their ends.
std::size_t CommonNames(std::string_view one, std::string_view other) {
  std::size_t names = 0;
  std::size_t from_end = 0;
  while (from_end < one.size() && from_end < other.size()) {
    const char mine = one[one.size() - 1 - from_end];
    if (mine != other[other.size() - 1 - from_end]) return names;
    if (mine == '/') ++names;
    ++from_end;
  }
  const auto ends_name = [&](std::string_view path) {
    return from_end == path.size() || path[path.size() - 1 - from_end] == '/';
  };
  return ends_name(one) && ends_name(other) ? names + 1 : names;
}

bool IsOfPackage(std::string_view path) {
  return Contains(path, "site-packages/") || Contains(path, "dist-packages/");
}

}  // namespace

bool Project::Mentions(std::string_view text) const {
  return std::ranges::any_of(files_,
                             [&](const auto& file) { return Contains(file->text(), text); }) ||
         OthersMention(text);
}

bool Project::OthersMention(std::string_view text) const {
  return std::ranges::any_of(others_,
                             [&](const SourceText& file) { return Contains(file.text, text); });
}

Node Project::ClassNamed(std::string_view name) const {
  Node found;
  for (const auto& file : files_) {
    for (const Node& definition : file->syntax().All("class_definition")) {
      if (definition.Field("name").text() != name) continue;
      if (found) return {};
      found = definition;
    }
  }
  return found;
}

std::optional<std::string> Project::PathOf(std::string_view recorded) const {
  if (IsOfPackage(recorded)) return std::nullopt;
  std::optional<std::string> nearest;
  std::size_t most = 0;
  const auto look_at = [&](const std::string& path) {
    const std::size_t names = CommonNames(recorded, path);
    if (names == 0 || names < most) return;
    nearest = names == most ? std::nullopt : std::optional(path);
    most = names;
  };
  for (const auto& file : files_) look_at(file->path());
  for (const SourceText& file : others_) look_at(file.path);
  return nearest;
}

std::optional<std::size_t> Project::FileOf(std::string_view recorded) const {
  const auto path = PathOf(recorded);
  for (std::size_t at = 0; path && at < files_.size(); ++at)
    if (files_[at]->path() == *path) return at;
  return std::nullopt;
}

}  // namespace rankscope::fix
