#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "tune/adapter/adapter.h"
#include "tune/adapter/built_in.h"

namespace rankscope::tune {
namespace {

namespace fs = std::filesystem;

Status SetDefault(const Adapter& adapter, Parameter& parameter, const std::string& text) {
  if (parameter.scale == Scale::kChoice) {
    for (std::size_t i = 0; i < parameter.choices.size(); ++i) {
      if (parameter.choices[i] != text) continue;
      parameter.standard = static_cast<double>(i);
      return OkStatus();
    }
    return Error(StatusCode::kInvalidArgument, "{}: '{}' is no choice of {}", adapter.source, text,
                 parameter.name);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return Error(StatusCode::kInvalidArgument, "{}: {} takes a number, not '{}'", adapter.source,
                 parameter.name, text);
  parameter.standard = value;
  return OkStatus();
}

}  // namespace

Result<Space> SpaceOf(const Adapter& adapter) {
  std::vector<Parameter> parameters;
  for (const Knob& knob : adapter.knobs) parameters.push_back(knob.parameter);
  Result<Space> space = Space::Make(std::move(parameters), adapter.orders);
  if (space.ok()) return space;
  return Error(StatusCode::kInvalidArgument, "{}: {}", adapter.source, space.status().message());
}

Result<Adapter> OpenAdapter(const std::string& file_or_name) {
  std::error_code error;
  if (const BuiltInAdapter* const known = FindBuiltInAdapter(file_or_name))
    return ParseAdapter(known->text, fmt::format("the adapter {}", known->name),
                        fs::current_path(error).string());
  const bool is_file = fs::is_regular_file(file_or_name, error);
  if (!is_file) {
    std::string names;
    for (const BuiltInAdapter& one : BuiltInAdapters())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
    return Error(StatusCode::kNotFound,
                 "'{}' is no file, and no adapter is called so; there are {} (--show prints one to "
                 "begin with)",
                 file_or_name, names);
  }
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(file_or_name));
  const fs::path folder = fs::absolute(file_or_name, error).parent_path();
  return ParseAdapter(text, file_or_name, folder.string());
}

Status SetInAdapter(Adapter& adapter, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == 0 || equals == std::string::npos)
    return Error(StatusCode::kInvalidArgument, "--set takes NAME=VALUE, not '{}'", assignment);
  const std::string name = assignment.substr(0, equals), text = assignment.substr(equals + 1);
  for (Knob& knob : adapter.knobs)
    if (knob.parameter.name == name) return SetDefault(adapter, knob.parameter, text);
  const auto found = adapter.values.find(name);
  if (found == adapter.values.end())
    return Error(StatusCode::kInvalidArgument, "{} has neither a value nor a parameter {}",
                 adapter.source, name);
  found->second = text;
  return OkStatus();
}

}  // namespace rankscope::tune
