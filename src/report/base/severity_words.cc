#include "report/base/severity_words.h"

namespace rankscope {

SeverityWords WordsOfSeverity(std::string_view severity) {
  static constexpr SeverityWords kSeverities[] = {{"high", "HIGH", Style::kAlarm},
                                                  {"medium", "MEDIUM", Style::kNotice},
                                                  {"low", "low", Style::kAside}};
  for (const SeverityWords& words : kSeverities) {
    if (words.id == severity) return words;
  }
  return {severity, severity, Style::kAside};
}

}  // namespace rankscope
