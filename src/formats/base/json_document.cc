#include "formats/base/json_document.h"

#include <vector>

#include "formats/base/whole_text.h"

namespace rankscope {
bool CloseCutJson(std::string& text) {
  std::vector<char> open;
  std::vector<char> open_at_cut;
  std::size_t cut = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') open.push_back(c);
    if (c != '}' && c != ']') continue;
    if (open.empty()) return false;
    open.pop_back();
    if (open.empty() || open.back() != '[') continue;
    cut = i + 1;
    open_at_cut = open;
  }
  if (cut == 0) return false;
  text.resize(cut);
  for (; !open_at_cut.empty(); open_at_cut.pop_back())
    text += open_at_cut.back() == '{' ? '}' : ']';
  return true;
}

Status JsonDocument::Read(ByteSource& source, const std::string& path, QualityLog& quality) {
  RS_ASSIGN_OR_RETURN(std::string text, ReadWhole(source, path));
  quality.Merge(source.problems());
  text_bytes_ = text.size();
  Result<json::Reader> whole = json::Reader::ParseLarge(text);
  if (whole.ok()) {
    reader_ = std::move(*whole);
    return OkStatus();
  }
  if (CloseCutJson(text)) {
    if (Result<json::Reader> part = json::Reader::ParseLarge(text); part.ok()) {
      reader_ = std::move(*part);
      quality.Add(QualityCode::kTruncated, static_cast<std::int64_t>(text_bytes_),
                  "the document was cut off; what is whole before that is shown");
      return OkStatus();
    }
  }
  return Error(StatusCode::kBadData, "{}: the JSON is damaged ({}); write or copy it again", path,
               whole.status().message());
}

}  // namespace rankscope
