// What reaches an agent from outside: datagrams, frames and requests of RPC, configurations, texts
// of /proc. Whatever comes, there is an answer or a sentence, and what is made of it is bounded.
#include "agent/base/fields.h"
#include "agent/captures/captures.h"
#include "agent/captures/process_info.h"
#include "agent/central_settings.h"
#include "agent/pods.h"
#include "agent/rpc.h"
#include "agent/triggers/watch.h"
#include "device/flops.h"
#include "device/prometheus_text.h"
#include "input.h"
#include "json/reader.h"
#include "wire/kineto_config.h"
#include "wire/kineto_message.h"
#include "wire/rpc_frame.h"

namespace rankscope::fuzz {
namespace {

using namespace rankscope::agent;

// Of all inputs, as of one that runs for months.
Captures& Known() {
  static Captures captures("/nowhere", {.most_processes = 64, .most_kept = 16});
  return captures;
}
Now At(std::uint8_t step) {
  static Now now{.steady_ms = 1, .unix_us = 1'700'000'000'000'000};
  now.steady_ms += step * 100;
  now.unix_us += step * 100'000;
  return now;
}

void Datagram(std::string_view bytes, std::uint8_t option) {
  const auto message = wire::ParseKinetoMessage(bytes);
  if (!message.ok()) {
    FUZZ_CHECK(!message.status().message().empty());
    return;
  }
  const wire::Sender from{.address = "a", .pid = option % 32};
  if (const auto* poll = std::get_if<wire::KinetoPoll>(&*message)) {
    FUZZ_CHECK(wire::ToDatagram(*poll) == bytes);
    (void)Known().OnPoll(from, *poll, At(option));
  } else {
    const auto& context = std::get<wire::KinetoContext>(*message);
    FUZZ_CHECK(wire::ToDatagram(context) == bytes);
    (void)Known().OnContext(from, context, At(option));
  }
  Known().Tick(At(0));
  (void)Known().Look(At(0));
  FUZZ_CHECK(Known().Processes().size() <= 64);
}

void Request(std::string_view bytes, std::uint8_t option) {
  static const Decisions decisions;
  static JobValues values([] { return At(1); });
  static const Rpc rpc({Known(), decisions, values, {}, {}}, {"0.1.0", "host", "", {}},
                       [] { return At(1); });
  const std::string answer = rpc.Answer(
      bytes, {.is_trusted = option % 2 == 0, .uid = option % 4, .name = "", .problem = ""});
  FUZZ_CHECK(answer.front() == '{' && answer.back() == '}');
  Known().Tick(At(option));
  (void)Known().Look(At(option));
  FUZZ_CHECK(Known().All().size() <= 16 + 64);
}

void Config(std::string_view bytes) {
  const bool is_good = wire::CheckConfigText(bytes).ok();
  const std::string with = wire::WithValue(bytes, "REQUEST_TRACE_ID", "id");
  FUZZ_CHECK(wire::ValueIn(with, "REQUEST_TRACE_ID") == "id");
  if (is_good) FUZZ_CHECK(wire::CheckConfigText(with).ok());
  const auto made = wire::ToConfigText({.log_file = std::string(bytes)});
  if (made.ok()) FUZZ_CHECK(wire::ValueIn(*made, "ACTIVITIES_LOG_FILE").has_value());
  (void)wire::TracePath(bytes, 7);
  (void)wire::IsAllowedPath(bytes, "/data");
}

void Frames(std::string_view bytes) {
  const auto frame = wire::FrameIn(bytes);
  if (frame.ok() && *frame) FUZZ_CHECK(bytes.starts_with(wire::ToFrame(**frame)));
}

void Texts(std::string_view bytes) {
  for (const std::string_view word : Words(bytes)) {
    FUZZ_CHECK(!word.empty());
    (void)NumberOf(word);
  }
  (void)ParseEnvironment(bytes);
  const CgroupPlace place = PlaceIn(bytes);
  FUZZ_CHECK(place.container.empty() || place.container.size() == 64);
  FUZZ_CHECK(place.pod_uid.empty() || place.pod_uid.size() == 36 || place.pod_uid.size() == 32);
  (void)ParsePodList(bytes);
}

// What people write into settings.
void Rules(std::string_view bytes) {
  const auto rule = ParseRule(bytes);
  if (!rule.ok()) {
    FUZZ_CHECK(rule.status().message().find("column ") != std::string::npos);
    return;
  }
  FUZZ_CHECK(rule->hold_ms >= 0 && rule->selector.name.starts_with("rankscope_"));
  static constexpr Metric kMetric = {"rankscope_a", quantity::Kind::kGauge, ""};
  Watch watch(*rule);
  for (int i = 0; i < 3; ++i)
    (void)watch.See(*MakeSnapshot("s", {{&kMetric, rule->selector.labels, 1.0 * i}}, At(1)));
}

// What a server says to all of its hosts.
void SettingsOfServer(std::string_view bytes) {
  const auto reader = json::Reader::Parse(bytes);
  if (!reader.ok()) return;
  const auto given = ReadGivenSettings(reader->root());
  if (!given.ok()) return;
  AgentConfig local;
  FUZZ_CHECK(SetValues("triggers.most_per_hour", {"0"}, local).ok());
  AgentConfig config = local;
  for (const auto& [key, texts] : given->values)
    if (!local.given.contains(key)) (void)SetValues(key, texts, config);
  (void)ProblemsOf(config);
  // Whatever comes, none of this is changed.
  FUZZ_CHECK(config.triggers_most_per_hour == 0 && !config.rpc_trust_loopback);
  FUZZ_CHECK(config.capture_folder == local.capture_folder && config.server_url.empty());
}

// The page of a dcgm-exporter.
void Pages(std::string_view bytes) {
  for (const device::TextSample& one : device::ParsePrometheusText(bytes).samples)
    FUZZ_CHECK(!one.name.empty() && one.value == one.value);
  const auto backend = device::MakeDcgmExporter([&] { return std::string(bytes); });
  for (int i = 0; i < 2; ++i) {
    const auto states = backend->Read();
    if (!states.ok()) continue;
    for (const device::DeviceState& one : *states) {
      FUZZ_CHECK(one.xids.size() <= device::kMostXids);
      (void)device::HealthOf(one);
      (void)device::EstimateFlops(one);
    }
    FUZZ_CHECK(device::Merged(*states, *states).size() == states->size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  switch (input.first % 8) {
    case 0:
      Datagram(input.data, input.second);
      break;
    case 1:
      Request(input.data, input.second);
      break;
    case 2:
      Config(input.data);
      break;
    case 3:
      Frames(input.data);
      break;
    case 5:
      Pages(input.data);
      break;
    case 4:
      Rules(input.data);
      break;
    case 7:
      SettingsOfServer(input.data);
      break;
    default:
      Texts(input.data);
      break;
  }
  return 0;
}

}  // namespace rankscope::fuzz
