#include "sql/error_text.h"

#include <fmt/ranges.h>

#include <array>
#include <utility>

namespace rankscope::sql {
namespace {

// Classes that are not the query's fault.
constexpr std::array<std::pair<std::string_view, StatusCode>, 4> kCodes = {{
    {"Out of Memory Error", StatusCode::kResource},
    {"IO Error", StatusCode::kIo},
    {"INTERRUPT Error", StatusCode::kCancelled},
    {"INTERNAL Error", StatusCode::kInternal},
}};

// "Catalog Error" of "Catalog Error: Table with ..."; empty when there is none.
std::string_view ClassOf(std::string_view message) {
  constexpr std::string_view kEnd = " Error: ";
  const std::size_t at = message.find(kEnd);
  const std::size_t colon = message.find(':');
  if (at == std::string_view::npos || colon != at + kEnd.size() - 2) return {};
  return message.substr(0, colon);
}

}  // namespace

Status StatusOf(std::string_view message, const std::vector<std::string>& views) {
  const std::string_view error_class = ClassOf(message);
  if (!error_class.empty()) message.remove_prefix(error_class.size() + 2);
  StatusCode code = StatusCode::kInvalidArgument;
  for (const auto& [name, of_class] : kCodes) {
    if (name == error_class) code = of_class;
  }

  // The lines up to the first empty one or the quotation of the query.
  std::string sentence;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    const std::string_view line = message.substr(0, end);
    if (line.empty() || line.starts_with("LINE ")) break;
    if (!sentence.empty()) sentence += ' ';
    sentence += line;
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  if (sentence.starts_with("Table with name ")) {
    sentence += fmt::format(" There are: {}", fmt::join(views, ", "));
  }
  if (error_class == "Permission Error") {
    sentence += "; --allow-files lets a query read and write files";
  }
  if (code == StatusCode::kResource) {
    sentence += "; more may be allowed with --memory 8G";
  }
  return {code, std::move(sentence)};
}

}  // namespace rankscope::sql
