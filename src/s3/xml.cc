#include "s3/xml.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/text.h"

namespace rankscope::s3 {
namespace {

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

void AppendUtf8(std::uint32_t code, std::string& text) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    text += static_cast<char>(0xf0 | (code >> 18));
    text += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view document) : text_(document) {}

  Result<XmlElement> Document() {
    if (text_.size() > kMostXmlBytes)
      return Error(StatusCode::kBadData, "an answer of {} bytes is too long", text_.size());
    Skip("\xef\xbb\xbf");
    RS_RETURN_IF_ERROR(Between());
    if (!Skip("<")) return Wrong("no element");
    XmlElement root;
    RS_RETURN_IF_ERROR(Element(root, 1));
    RS_RETURN_IF_ERROR(Between());
    if (at_ != text_.size()) return Wrong("more than one element");
    return root;
  }

 private:
  Status Wrong(std::string_view what) const {
    return Error(StatusCode::kBadData, "no XML of S3: {} at byte {}", what, at_);
  }
  bool Skip(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void SkipSpace() {
    while (at_ < text_.size() && IsJsonSpace(text_[at_])) ++at_;
  }
  Status SkipBehind(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) return Wrong("no end of what begins");
    at_ = found + end.size();
    return OkStatus();
  }

  // Blanks, comments and instructions around the one element.
  Status Between() {
    while (true) {
      SkipSpace();
      if (Skip("<?")) {
        RS_RETURN_IF_ERROR(SkipBehind("?>"));
      } else if (Skip("<!--")) {
        RS_RETURN_IF_ERROR(SkipBehind("-->"));
      } else {
        return OkStatus();
      }
    }
  }

  Result<std::string_view> Name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsNameByte(text_[at_])) ++at_;
    if (at_ == begin) return Wrong("no name");
    return text_.substr(begin, at_ - begin);
  }

  Status Attributes() {
    while (true) {
      SkipSpace();
      if (at_ >= text_.size()) return Wrong("a tag without an end");
      if (text_[at_] == '>' || text_[at_] == '/') return OkStatus();
      RS_RETURN_IF_ERROR(Name().status());
      SkipSpace();
      if (!Skip("=")) return Wrong("an attribute without a value");
      SkipSpace();
      if (Skip("\"")) {
        RS_RETURN_IF_ERROR(SkipBehind("\""));
      } else if (Skip("'")) {
        RS_RETURN_IF_ERROR(SkipBehind("'"));
      } else {
        return Wrong("a value without quotes");
      }
    }
  }

  Status Entity(std::string& text) {
    const std::size_t end = text_.find(';', at_);
    if (end == std::string_view::npos || end - at_ > 10) return Wrong("an entity without an end");
    const std::string_view name = text_.substr(at_, end - at_);
    if (name == "lt") {
      text += '<';
    } else if (name == "gt") {
      text += '>';
    } else if (name == "amp") {
      text += '&';
    } else if (name == "quot") {
      text += '"';
    } else if (name == "apos") {
      text += '\'';
    } else {
      const bool is_hex = name.starts_with("#x");
      if (!name.starts_with("#")) return Wrong("an entity that is not known");
      const std::string_view digits = name.substr(is_hex ? 2 : 1);
      std::uint32_t code = 0;
      const auto [stop, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 10);
      const bool is_surrogate = code >= 0xd800 && code < 0xe000;
      if (error != std::errc() || stop != digits.data() + digits.size() || code == 0 ||
          code > 0x10ffff || is_surrogate) {
        return Wrong("a number that is no letter");
      }
      AppendUtf8(code, text);
    }
    at_ = end + 1;
    return OkStatus();
  }

  // Behind its '<'.
  Status Element(XmlElement& element, int depth) {
    if (depth > kMostXmlDepth) return Wrong("elements too deep in each other");
    RS_ASSIGN_OR_RETURN(const std::string_view name, Name());
    element.name = name.substr(name.find(':') + 1);  // npos + 1 is 0
    RS_RETURN_IF_ERROR(Attributes());
    if (Skip("/>")) return OkStatus();
    if (!Skip(">")) return Wrong("a tag without an end");
    while (at_ < text_.size()) {
      if (Skip("</")) {
        if (!Skip(name)) return Wrong("the end of another element");
        SkipSpace();
        return Skip(">") ? OkStatus() : Wrong("a tag without an end");
      }
      RS_RETURN_IF_ERROR(Content(element, depth));
    }
    return Wrong("an element without an end");
  }

  Status Content(XmlElement& element, int depth) {
    if (Skip("<!--")) return SkipBehind("-->");
    if (Skip("<?")) return SkipBehind("?>");
    if (Skip("<![CDATA[")) {
      const std::size_t begin = at_;
      RS_RETURN_IF_ERROR(SkipBehind("]]>"));
      element.text += text_.substr(begin, at_ - 3 - begin);
      return OkStatus();
    }
    if (Skip("<")) return Element(element.children.emplace_back(), depth + 1);
    if (Skip("&")) return Entity(element.text);
    const std::size_t end = std::min(text_.find_first_of("<&", at_), text_.size());
    element.text += text_.substr(at_, end - at_);
    at_ = end;
    return OkStatus();
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const XmlElement* XmlElement::Find(std::string_view child) const {
  const auto found = std::ranges::find(children, child, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::TextOf(std::string_view child) const {
  const XmlElement* const found = Find(child);
  return found == nullptr ? std::string_view() : found->text;
}

Result<XmlElement> ParseXml(std::string_view document) { return Parser(document).Document(); }

std::string XmlEscaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace rankscope::s3
