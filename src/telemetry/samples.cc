#include "telemetry/samples.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <map>
#include <tuple>

#include "api/sample.h"
#include "json/fields.h"
#include "json/reader.h"

namespace rankscope {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::size_t kMostText = 200;

// "2026-11-23T06:41:16Z", with up to nine digits of a fraction.
std::optional<std::int64_t> ParseIso(const std::string& text) {
  std::tm parts{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return std::nullopt;
  std::int64_t fraction = 0;
  if (*rest == '.') {
    std::int64_t worth = kSecond / 10;
    for (++rest; *rest >= '0' && *rest <= '9'; ++rest, worth /= 10)
      fraction += (*rest - '0') * worth;
  }
  if (std::string_view(rest) != "Z") return std::nullopt;
  const std::time_t seconds = timegm(&parts);
  if (seconds < 0 || seconds > std::int64_t{8'000'000'000}) return std::nullopt;
  return seconds * kSecond + fraction;
}

std::optional<std::int64_t> ParseNanoseconds(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> TimeOf(const json::Value& value) {
  if (const auto number = value.Integer()) return number;
  const auto text = value.Text();
  if (!text) return std::nullopt;
  if (const auto parsed = ParseNanoseconds(*text)) return parsed;
  return ParseIso(std::string(*text));
}

// What is shown to people: without controls, and bounded.
bool IsText(std::string_view text) {
  return text.size() <= kMostText && std::ranges::none_of(text, [](char c) {
           return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
         });
}

Status ParseMember(const json::Member& member, MetricSample& sample) {
  const auto& [name, value] = member;
  const auto wrong = [&name = name](std::string_view what) {
    return Error(StatusCode::kInvalidArgument, "'{}' is to be {}", name, what);
  };
  if (name == "time") {
    const auto time = TimeOf(value);
    if (!time) return wrong("a time such as 2026-11-23T06:41:16Z, or nanoseconds since 1970");
    sample.time_ns = *time;
  } else if (name == "value") {
    const auto number = value.Number();
    if (!number) return wrong("a number");
    sample.value = *number;
  } else if (name == "step" || name == "rank") {
    if (value.IsNull()) return OkStatus();
    const auto number = value.Integer();
    if (!number) return wrong("a whole number");
    (name == "step" ? sample.step : sample.rank) = number;
  } else if (name == "name" || name == "unit" || name == "host") {
    const auto text = value.Text();
    if (!text) return wrong("a text");
    if (!IsText(*text)) return wrong(fmt::format("a text of up to {} bytes", kMostText));
    (name == "name" ? sample.name : name == "unit" ? sample.unit : sample.host) = *text;
  } else {
    return Error(StatusCode::kInvalidArgument, "'{}' is not known of a metric", name);
  }
  return OkStatus();
}

Status AddSample(const json::Value& one, std::vector<MetricSample>& samples) {
  const auto at = [&](std::string_view what) {
    return Error(StatusCode::kInvalidArgument, "metric {}: {}", samples.size(), what);
  };
  if (!one.IsObject()) return at("it is no object");
  MetricSample sample;
  bool has_time = false;
  bool has_value = false;
  for (const json::Member& member : one.Members()) {
    const Status parsed = ParseMember(member, sample);
    if (!parsed.ok()) return at(parsed.message());
    has_time |= member.name == "time";
    has_value |= member.name == "value";
  }
  if (sample.name.empty() || !has_time || !has_value) return at("it has no time, name or value");
  samples.push_back(std::move(sample));
  return OkStatus();
}

}  // namespace

Result<std::vector<MetricSample>> ParseSamples(std::string_view text) {
  const auto no_list = [](std::string_view why) {
    return Error(StatusCode::kInvalidArgument, "there is no list in JSON: {}", why);
  };
  std::vector<MetricSample> samples;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    for (std::size_t at = first; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      at = end + 1;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const Result<json::Reader> one = json::Reader::Parse(line);
      if (!one.ok()) return no_list(one.status().message());
      RS_RETURN_IF_ERROR(AddSample(one->root(), samples));
    }
    return samples;
  }
  const Result<json::Reader> list = json::Reader::Parse(text);
  if (!list.ok()) return no_list(list.status().message());
  if (!list->root().IsArray()) return no_list("it is another value");
  for (const json::Value& one : list->root().Items()) RS_RETURN_IF_ERROR(AddSample(one, samples));
  return samples;
}

void AppendSample(std::string& out, const MetricSample& sample) {
  const auto known = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  json::Writer writer(out);
  json::FieldsOf<api::Sample>().Write({.time = std::to_string(sample.time_ns),
                                       .name = sample.name,
                                       .value = sample.value,
                                       .step = sample.step,
                                       .rank = sample.rank,
                                       .host = known(sample.host),
                                       .unit = known(sample.unit)},
                                      writer);
}

std::vector<MetricSample> Thinned(std::vector<MetricSample> samples, std::size_t points) {
  std::map<std::tuple<std::string_view, std::optional<std::int64_t>, std::string_view>,
           std::vector<std::size_t>>
      series;
  for (std::size_t i = 0; i < samples.size(); ++i)
    series[{samples[i].name, samples[i].rank, samples[i].host}].push_back(i);
  std::vector<bool> stays(samples.size(), false);
  for (const auto& [key, places] : series) {
    const std::size_t stretches = std::max<std::size_t>(1, points / 2);
    if (places.size() <= 2 * stretches) {
      for (const std::size_t place : places) stays[place] = true;
      continue;
    }
    for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
      const auto first =
          places.begin() + static_cast<std::ptrdiff_t>(places.size() * stretch / stretches);
      const auto last =
          places.begin() + static_cast<std::ptrdiff_t>(places.size() * (stretch + 1) / stretches);
      const auto [least, greatest] = std::minmax_element(
          first, last,
          [&](std::size_t a, std::size_t b) { return samples[a].value < samples[b].value; });
      stays[*least] = stays[*greatest] = true;
    }
  }
  std::vector<MetricSample> left;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (stays[i]) left.push_back(std::move(samples[i]));
  }
  return left;
}

}  // namespace rankscope
