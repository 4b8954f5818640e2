// What reaches an agent from outside: datagrams, frames and requests of RPC, configurations, texts
// of /proc. Whatever comes, there is an answer or a sentence, and what is made of it is bounded.
#include "agent/captures.h"
#include "agent/process_info.h"
#include "agent/rpc.h"
#include "agent/telemetry/fields.h"
#include "input.h"
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
  (void)Known().Tick(At(0));
  FUZZ_CHECK(Known().Processes().size() <= 64);
}

void Request(std::string_view bytes, std::uint8_t option) {
  static const Rpc rpc(Known(), {"0.1.0", "host", ""}, [] { return At(1); });
  const std::string answer = rpc.Answer(bytes);
  FUZZ_CHECK(answer.front() == '{' && answer.back() == '}');
  (void)Known().Tick(At(option));
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
  const std::string container = ContainerIn(bytes);
  FUZZ_CHECK(container.empty() || container.size() == 64);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  switch (input.first % 5) {
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
    default:
      Texts(input.data);
      break;
  }
  return 0;
}

}  // namespace rankscope::fuzz
