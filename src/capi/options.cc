#include "capi/options.h"

#include <charconv>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "base/nearest_name.h"
#include "base/number_set.h"

namespace rankscope::capi {
namespace {

// What is done with an option's text.
using Takers = std::map<std::string, std::function<Status(const std::string& text)>, std::less<>>;

Status Take(const app::Settings& options, const Takers& takers) {
  for (const auto& [name, text] : options) {
    const auto taker = takers.find(name);
    if (taker == takers.end()) {
      std::vector<std::string> names;
      for (const auto& [known, ignored] : takers) names.push_back(known);
      const std::string_view nearest = NearestName(name, names);
      return Error(StatusCode::kInvalidArgument, "there is no option '{}'{}", name,
                   nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
    }
    RS_RETURN_IF_ERROR(taker->second(text));
  }
  return OkStatus();
}

Result<bool> FlagOf(std::string_view name, std::string_view text) {
  if (text == "1" || text == "true") return true;
  if (text == "0" || text == "false" || text.empty()) return false;
  return Error(StatusCode::kInvalidArgument, "{} takes 1 or 0, not '{}'", name, text);
}

Result<int> ThreadsOf(const std::string& text) {
  constexpr int kMost = 1024;
  int threads = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, threads);
  if (error != std::errc() || stop != end || threads < 1 || threads > kMost)
    return Error(StatusCode::kInvalidArgument, "jobs takes 1 to {}, not '{}'", kMost, text);
  return threads;
}

// Puts what `parse` makes of an option's text where it belongs.
template <typename T, typename Parse>
std::function<Status(const std::string&)> Into(T& place, Parse parse) {
  return [&place, parse](const std::string& text) -> Status {
    RS_ASSIGN_OR_RETURN(place, parse(text));
    return OkStatus();
  };
}

std::function<Status(const std::string&)> Text(std::string& place) {
  return Into(place, [](const std::string& text) { return Result<std::string>(text); });
}

std::function<Status(const std::string&)> Flag(const char* name, bool& place) {
  return Into(place, [name](const std::string& text) { return FlagOf(name, text); });
}

}  // namespace

Result<std::vector<std::string>> TextsOf(const char* const* texts, std::size_t count,
                                         const char* what) {
  std::vector<std::string> copies;
  if (texts == nullptr && count > 0)
    return Error(StatusCode::kInvalidArgument, "the {} are NULL", what);
  for (std::size_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr)
      return Error(StatusCode::kInvalidArgument, "number {} of the {} is NULL", i, what);
    copies.emplace_back(texts[i]);
  }
  return copies;
}

Result<app::Settings> SettingsOf(const rankscope_option* options, std::size_t count) {
  if (options == nullptr && count > 0)
    return Error(StatusCode::kInvalidArgument, "the options are NULL");
  app::Settings settings;
  for (std::size_t i = 0; i < count; ++i) {
    if (options[i].name == nullptr || options[i].value == nullptr)
      return Error(StatusCode::kInvalidArgument, "option number {} has no name or no value", i);
    settings[options[i].name] = options[i].value;
  }
  return settings;
}

Result<app::JobSpec> JobSpecOf(const std::vector<std::string>& paths,
                               const app::Settings& options) {
  app::JobSpec spec{.paths = paths};
  spec.cache = app::CacheOfEnvironment();
  spec.capture_option = "capture";
  bool no_cache = false;
  RS_RETURN_IF_ERROR(Take(options, {{"ranks", Into(spec.ranks, ParseNumberSet)},
                                    {"steps", Into(spec.steps, ParseNumberSet)},
                                    {"capture", Into(spec.captures,
                                                     [](const std::string& text) {
                                                       return app::ParseCaptureChoice(text,
                                                                                      "capture");
                                                     })},
                                    {"kernel_classes", Text(spec.kernel_classes_file)},
                                    {"jobs", Into(spec.threads, ThreadsOf)},
                                    {"cache_dir", Text(spec.cache.folder)},
                                    {"cache_size", Into(spec.cache.limit_bytes, ParseByteSize)},
                                    {"no_cache", Flag("no_cache", no_cache)},
                                    {"called", Text(spec.called)}}));
  spec.cache.enabled = !no_cache;
  return spec;
}

Result<QueryOptions> QueryOptionsOf(const app::Settings& options) {
  QueryOptions made;
  RS_RETURN_IF_ERROR(Take(options, {{"memory", Into(made.memory_bytes, ParseByteSize)},
                                    {"allow_files", Flag("allow_files", made.allow_files)},
                                    {"select_only", Flag("select_only", made.select_only)}}));
  return made;
}

}  // namespace rankscope::capi
