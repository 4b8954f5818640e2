#include "sql/error_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/nearest_name.h"

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

// X of "Table with name X does not exist!...".
std::optional<std::string> MissingTable(std::string_view sentence) {
  constexpr std::string_view kBegin = "Table with name ";
  const std::size_t end = sentence.find(" does not exist!");
  if (!sentence.starts_with(kBegin) || end == std::string_view::npos) return std::nullopt;
  return std::string(sentence.substr(kBegin.size(), end - kBegin.size()));
}

// DuckDB suggests a name however far it is.
std::string NoTable(const std::string& name, const std::vector<std::string>& views,
                    ErrorHints hints) {
  std::string sentence = fmt::format("there is no table or view {}", name);
  const bool is_file =
      name.find('/') != std::string::npos || name.ends_with(".csv") || name.ends_with(".parquet");
  if (is_file)
    return sentence + (hints == ErrorHints::kOptions ? "; --allow-files lets a query read files"
                                                     : "; files are not read here");
  const std::string_view nearest = NearestName(name, views);
  if (!nearest.empty())
    return fmt::format("{}; did you mean {}? rankscope list has all", sentence, nearest);
  return sentence + "; rankscope list has all";
}

}  // namespace

Status StatusOf(std::string_view message, const std::vector<std::string>& views, ErrorHints hints) {
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
  if (const auto name = MissingTable(sentence)) sentence = NoTable(*name, views, hints);
  if (hints == ErrorHints::kNone && code == StatusCode::kResource)
    return {code, "out of memory: " + sentence};
  if (hints == ErrorHints::kNone) return {code, std::move(sentence)};
  if (error_class == "Permission Error") {
    sentence += "; --allow-files lets a query read and write files";
  }
  if (code == StatusCode::kResource) {
    sentence += "; more may be allowed with --memory 8G";
  }
  return {code, std::move(sentence)};
}

}  // namespace rankscope::sql
