// A minimal XML reader for S3's answers, small documents of elements and text. It supports no
// document types, only XML's five entities and numeric ones, and limits size and depth; attributes
// are skipped. Malformed XML is an error with its byte offset.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::s3 {

struct XmlElement {
  std::string name;  // without a namespace prefix
  std::string text;  // its own text, entities resolved; with child elements, the text between them
  std::vector<XmlElement> children;

  // The first child with that name; null if there is none.
  const XmlElement* Find(std::string_view child) const;
  // The child's text, or "".
  std::string_view TextOf(std::string_view child) const;
};

inline constexpr std::size_t kMostXmlBytes = std::size_t{8} << 20;
inline constexpr int kMostXmlDepth = 16;

Result<XmlElement> ParseXml(std::string_view document);

// Escapes "<" as "&lt;" and so on.
std::string XmlEscaped(std::string_view text);

}  // namespace rankscope::s3
