// Any bytes as an answer of S3: each reader gives what is well-formed or one sentence, and what it
// gives keeps what its users rely on.
#include <string>

#include "input.h"
#include "s3/answers.h"
#include "s3/place.h"
#include "s3/sign.h"
#include "s3/xml.h"

namespace rankscope::fuzz {
namespace {

void CheckElement(const s3::XmlElement& element, int depth) {
  FUZZ_CHECK(depth <= s3::kMostXmlDepth);
  FUZZ_CHECK(!element.name.empty());
  for (const s3::XmlElement& child : element.children) CheckElement(child, depth + 1);
}

void CheckXml(std::string_view text) {
  const auto parsed = s3::ParseXml(text);
  if (!parsed.ok()) {
    FUZZ_CHECK(!parsed.status().message().empty());
    return;
  }
  CheckElement(*parsed, 1);
  const auto again = s3::ParseXml("<a>" + s3::XmlEscaped(parsed->text) + "</a>");
  FUZZ_CHECK(again.ok() && again->text == parsed->text);
}

void CheckAnswers(std::string_view text) {
  if (const auto page = s3::ReadListPage(text); page.ok()) {
    for (const s3::Listed& listed : page->objects) FUZZ_CHECK(!listed.key.empty());
  }
  if (const auto page = s3::ReadUploadsPage(text); page.ok()) {
    for (const s3::BegunUpload& upload : page->uploads) FUZZ_CHECK(!upload.id.empty());
  }
  const s3::Refusal refusal = s3::ReadRefusal(text);
  for (const std::string* shown : {&refusal.code, &refusal.message}) {
    for (const char c : *shown) FUZZ_CHECK(c >= ' ' && c < 0x7f);
  }
  FUZZ_CHECK(!s3::ReadUploadId(text).ok() || !s3::ReadUploadId(text)->empty());
  if (const auto refused = s3::ReadDone(text, "CopyObjectResult"))
    FUZZ_CHECK(!refused->code.empty());
  for (const auto& time : {s3::ParseIsoTime(text), s3::ParseHttpTime(text)})
    FUZZ_CHECK(!time || *time >= 0);
}

// What is sent has no byte that would end a line or begin another part of an address.
void CheckEncoding(std::string_view text) {
  for (const std::string& encoded : {s3::EncodePath(text), s3::EncodeQuery(text)}) {
    for (const char c : encoded) FUZZ_CHECK(c > ' ' && c < 0x7f && c != '?' && c != '#');
  }
  const auto nothing = [](const char*) { return std::optional<std::string>(); };
  const auto place = s3::ParsePlace("s3://" + std::string(text), text, "", nothing);
  if (place.ok()) FUZZ_CHECK(s3::ParsePlace(place->Text(), place->endpoint, "", nothing).ok());
}

}  // namespace
}  // namespace rankscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace rankscope::fuzz;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  CheckXml(text);
  CheckAnswers(text);
  CheckEncoding(text);
  return 0;
}
