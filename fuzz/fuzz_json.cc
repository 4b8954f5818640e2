// Any text as JSON: every value of it can be asked for as everything, has a path that leads to it,
// and what is written again reads as the same.
#include "input.h"
#include "json/reader.h"
#include "json/writer.h"

namespace rankscope::fuzz {
namespace {

constexpr std::size_t kMostPaths = 64;  // each goes through all of the text

void Copy(const json::Value& value, json::Writer& writer, std::size_t& paths) {
  if (paths < kMostPaths) {
    ++paths;
    const std::string path = value.Path();
    const Status wrong = value.Wrong("is wrong");
    FUZZ_CHECK(wrong.message().starts_with(path.empty() ? "the text" : path));
    FUZZ_CHECK(value["no such member"].IsAbsent() || value.IsObject());
  }
  if (value.IsObject()) {
    writer.BeginObject();
    for (const json::Member& member : value.Members()) {
      writer.Key(member.name);
      Copy(member.value, writer, paths);
    }
    writer.EndObject();
  } else if (value.IsArray()) {
    writer.BeginArray();
    for (const json::Value& item : value.Items()) Copy(item, writer, paths);
    writer.EndArray();
  } else if (const auto text = value.Text()) {
    writer.Write(*text);
  } else if (const auto flag = value.Flag()) {
    writer.Write(*flag);
  } else if (const auto integer = value.Integer()) {
    writer.Write(*integer);
  } else if (const auto number = value.Unsigned()) {
    writer.Write(*number);
  } else if (const auto real = value.Number()) {
    writer.Write(*real);
  } else {
    FUZZ_CHECK(value.IsNull());
    writer.Null();
  }
}

std::string CopyOf(const json::Reader& reader) {
  std::string copy;
  json::Writer writer(copy);
  std::size_t paths = 0;
  Copy(reader.root(), writer, paths);
  return copy;
}

}  // namespace
}  // namespace rankscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace rankscope;
  const fuzz::Input input = fuzz::Split(bytes, size);
  const Result<json::Reader> reader = json::Reader::Parse(input.data);
  if (!reader.ok()) {
    FUZZ_CHECK(!reader.status().message().empty());
    return 0;
  }
  const std::string copy = fuzz::CopyOf(*reader);
  const Result<json::Reader> again = json::Reader::Parse(copy);
  FUZZ_CHECK(again.ok());
  // -0.0 is written as -0, which reads as the whole number 0.
  const std::string settled = fuzz::CopyOf(*again);
  const Result<json::Reader> last = json::Reader::Parse(settled);
  FUZZ_CHECK(last.ok() && fuzz::CopyOf(*last) == settled);
  return 0;
}
