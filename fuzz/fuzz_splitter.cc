// Splitter: any bytes, any chunk size. Chunks hold whole pieces that begin and end with a brace.
// Where the input is JSON, the events are exactly those that a DOM finds, whatever the chunk size.
#include <simdjson.h>

#include <string>
#include <vector>

#include "formats/base/byte_source.h"
#include "formats/kineto/tokens/splitter.h"
#include "formats/kineto/tokens/validate.h"
#include "input.h"

namespace rankscope::fuzz {
namespace {

namespace dom = simdjson::dom;
using kineto::EventSplitter;

struct Events {
  std::vector<std::string> events;  // minified
  std::uint64_t lost = 0;
  bool saw_events = false;
  bool has_escaped_key = false;
};

std::string Minified(std::string_view object, dom::parser& parser) {
  dom::element element;
  FUZZ_CHECK(parser.parse(simdjson::padded_string(object)).get(element) == simdjson::SUCCESS);
  return simdjson::minify(element);
}

// The objects of a chunk; between them there is nothing but white space and commas.
void Collect(std::string_view text, dom::parser& parser, std::vector<std::string>& events) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] != '{') {
      FUZZ_CHECK(std::string_view(" \t\r\n,").find(text[at]) != std::string_view::npos);
      ++at;
      continue;
    }
    const kineto::ObjectExtent extent = kineto::MeasureObject(text.substr(at));
    FUZZ_CHECK(extent.kind == kineto::ObjectExtent::Kind::kComplete);
    events.push_back(Minified(text.substr(at, extent.at), parser));
    at += extent.at;
  }
}

Events Cut(std::string_view data, const kineto::SplitLimits& limits, bool is_json) {
  const auto source = OpenByteSource(data);
  EventSplitter splitter(*source, limits);
  dom::parser parser;
  Events found;
  kineto::Chunk chunk;
  std::int64_t last_end = 0;
  for (std::uint64_t sequence = 0; splitter.Next(chunk); ++sequence) {
    FUZZ_CHECK(chunk.sequence() == sequence);
    const std::string_view text = chunk.text();
    FUZZ_CHECK(text.size() >= 2 && text.front() == '{' && text.back() == '}');
    FUZZ_CHECK(chunk.offset() >= last_end);
    last_end = chunk.offset() + static_cast<std::int64_t>(text.size());
    FUZZ_CHECK(last_end <= static_cast<std::int64_t>(splitter.text_bytes()));
    if (is_json) Collect(text, parser, found.events);
    const std::string_view array = chunk.AsArray();
    FUZZ_CHECK(array.front() == '[' && array.back() == ']');
  }
  found.lost = splitter.lost_events();
  found.saw_events = splitter.top_level().saw_events();
  for (const auto& [key, value] : splitter.top_level().values()) {
    found.has_escaped_key |= key.find('\\') != std::string::npos;
  }
  if (is_json) FUZZ_CHECK(splitter.lost_events() == 0 || !splitter.problems().entries().empty());
  return found;
}

void AddElements(dom::array list, Events& expected) {
  expected.saw_events = true;
  for (const dom::element element : list) {
    if (element.is_object()) {
      expected.events.push_back(simdjson::minify(element));
    } else {
      ++expected.lost;
    }
  }
}

// What a DOM says; false when the input is not JSON.
bool Reference(std::string_view data, Events& expected) {
  dom::parser parser;
  dom::element root;
  if (parser.parse(simdjson::padded_string(data)).get(root)) return false;
  dom::array list;
  dom::object object;
  if (root.get(list) == simdjson::SUCCESS) AddElements(list, expected);
  if (root.get(object) == simdjson::SUCCESS) {
    for (const auto& [key, value] : object) {
      if (key == "traceEvents" && value.get(list) == simdjson::SUCCESS) AddElements(list, expected);
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  kineto::SplitLimits limits;
  limits.chunk_bytes = 16 + input.first;
  limits.max_event_bytes = 64 + std::size_t{input.second} * 16;
  Cut(input.data, limits, false);

  Events expected;
  if (input.data.starts_with("\x1f\x8b") || !Reference(input.data, expected)) return 0;
  for (const std::size_t chunk_bytes : {limits.chunk_bytes, std::size_t{1} << 20}) {
    const Events found = Cut(input.data, {.chunk_bytes = chunk_bytes}, true);
    // The splitter compares outer keys as they are written.
    if (found.has_escaped_key) return 0;
    FUZZ_CHECK(found.saw_events == expected.saw_events);
    FUZZ_CHECK(found.events == expected.events);
    FUZZ_CHECK(found.lost == expected.lost);
  }
  return 0;
}

}  // namespace rankscope::fuzz
