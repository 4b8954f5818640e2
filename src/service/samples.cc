#include "service/samples.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <map>
#include <tuple>

#include "base/file.h"
#include "service/page.h"
#include "service/request_json.h"
#include "table/json_text.h"

namespace rankscope::service {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// A content of more than this is left alone: what is added makes another.
constexpr std::uint64_t kFullBytes = 4 << 20;

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

std::optional<std::int64_t> TimeOf(const simdjson::dom::element& value) {
  std::int64_t number = 0;
  if (value.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return std::nullopt;
  if (const auto parsed = ParseInteger(text)) return parsed;
  return ParseIso(std::string(text));
}

Status ParseMember(std::string_view name, const simdjson::dom::element& value, Sample& sample) {
  const auto wrong = [&](std::string_view what) {
    return Error(StatusCode::kInvalidArgument, "'{}' is to be {}", name, what);
  };
  std::string_view text;
  if (name == "time") {
    const auto time = TimeOf(value);
    if (!time) return wrong("a time such as 2026-11-23T06:41:16Z, or nanoseconds since 1970");
    sample.time_ns = *time;
  } else if (name == "value") {
    if (value.get(sample.value)) return wrong("a number");
  } else if (name == "step" || name == "rank") {
    std::int64_t number = 0;
    if (value.is_null()) return OkStatus();
    if (value.get(number)) return wrong("a whole number");
    (name == "step" ? sample.step : sample.rank) = number;
  } else if (name == "name" || name == "unit" || name == "host") {
    if (value.get(text)) return wrong("a text");
    RS_RETURN_IF_ERROR(CheckText(name, text, 200));
    (name == "name" ? sample.name : name == "unit" ? sample.unit : sample.host) = text;
  } else {
    return Error(StatusCode::kInvalidArgument, "'{}' is not known of a metric", name);
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<Sample>> ParseSamples(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::array array;
  if (const auto error = parser.parse(json).get(array)) {
    return Error(StatusCode::kInvalidArgument, "the body is no list in JSON: {}",
                 simdjson::error_message(error));
  }
  std::vector<Sample> samples;
  for (const simdjson::dom::element one : array) {
    const auto at = [&](const Status& status) {
      return Error(StatusCode::kInvalidArgument, "metric {}: {}", samples.size(), status.message());
    };
    simdjson::dom::object object;
    if (one.get(object)) return at(Error(StatusCode::kInvalidArgument, "it is no object"));
    Sample sample;
    for (const auto& member : object) {
      const Status parsed = ParseMember(member.key, member.value, sample);
      if (!parsed.ok()) return at(parsed);
    }
    const auto has = [&](std::string_view name) {
      return object.at_key(name).error() == simdjson::SUCCESS;
    };
    if (sample.name.empty() || !has("time") || !has("value"))
      return at(Error(StatusCode::kInvalidArgument, "it has no time, name or value"));
    samples.push_back(std::move(sample));
  }
  return samples;
}

void AppendSample(std::string& out, const Sample& sample) {
  out += "{\"time\":\"" + std::to_string(sample.time_ns) + "\",\"name\":";
  AppendJsonString(out, sample.name);
  out += ",\"value\":";
  AppendJsonDouble(out, sample.value);
  if (sample.step) out += ",\"step\":" + std::to_string(*sample.step);
  if (sample.rank) out += ",\"rank\":" + std::to_string(*sample.rank);
  if (!sample.host.empty()) {
    out += ",\"host\":";
    AppendJsonString(out, sample.host);
  }
  if (!sample.unit.empty()) {
    out += ",\"unit\":";
    AppendJsonString(out, sample.unit);
  }
  out += '}';
}

std::vector<Sample> Thinned(std::vector<Sample> samples, std::size_t points) {
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
  std::vector<Sample> left;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (stays[i]) left.push_back(std::move(samples[i]));
  }
  return left;
}

Status StoreSamples(store::Store& store, const std::string& run, std::vector<Sample> samples) {
  if (samples.empty()) return OkStatus();
  // Contents are made while the run is not changed by others, so that none of two writers loses.
  return store.catalogue()
      .Change(run,
              [&](store::Run& one) -> Status {
                const bool goes_on = !one.metrics.empty() && one.metrics.back().bytes < kFullBytes;
                if (goes_on) {
                  store::Run last;
                  last.metrics = {one.metrics.back()};
                  RS_ASSIGN_OR_RETURN(std::vector<Sample> before, ReadSamples(store, last));
                  before.insert(before.end(), samples.begin(), samples.end());
                  samples = std::move(before);
                  one.metrics.pop_back();
                }
                std::string json = "[";
                for (const Sample& sample : samples) {
                  if (json.size() > 1) json += ",\n";
                  AppendSample(json, sample);
                }
                RS_ASSIGN_OR_RETURN(const store::BlobInfo blob,
                                    store::StoreText(store.blobs(), json + "]\n"));
                one.metrics.push_back(
                    {fmt::format("metrics-{}.json", one.metrics.size()), blob.sha256, blob.bytes});
                return OkStatus();
              })
      .status();
}

Result<std::vector<Sample>> ReadSamples(store::Store& store, const store::Run& run) {
  std::vector<Sample> all;
  for (const store::RunTable& part : run.metrics) {
    RS_ASSIGN_OR_RETURN(const std::string path, store.blobs().PathOf(part.sha256));
    RS_ASSIGN_OR_RETURN(const std::string json, ReadFile(path));
    RS_ASSIGN_OR_RETURN(std::vector<Sample> samples, ParseSamples(json));
    all.insert(all.end(), std::make_move_iterator(samples.begin()),
               std::make_move_iterator(samples.end()));
  }
  std::ranges::stable_sort(all, {}, &Sample::time_ns);
  return all;
}

}  // namespace rankscope::service
