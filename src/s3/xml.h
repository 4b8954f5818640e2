// The answers of S3 are small XML documents of elements and text. This reads them and nothing more:
// no document types, no entities but the five of XML and numbers, bounds on size and depth; an
// attribute is passed over. What is not well-formed is an error with its byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::s3 {

struct XmlElement {
  std::string name;  // without a namespace's prefix
  std::string text;  // its own, entities resolved; where it has elements, that between them
  std::vector<XmlElement> children;

  // The first child of that name; null without.
  const XmlElement* Find(std::string_view child) const;
  // Its text, or "".
  std::string_view TextOf(std::string_view child) const;
};

inline constexpr std::size_t kMostXmlBytes = std::size_t{8} << 20;
inline constexpr int kMostXmlDepth = 16;

Result<XmlElement> ParseXml(std::string_view document);

// "&lt;" for "<" and so on.
std::string XmlEscaped(std::string_view text);

}  // namespace rankscope::s3
