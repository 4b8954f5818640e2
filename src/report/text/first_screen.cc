#include "report/text/first_screen.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "report/base/flop_utilisation.h"
#include "report/base/severity_words.h"
#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/text/sections.h"
#include "report/words/finding_words.h"
#include "report/words/recording_words.h"
#include "schemas/captures.h"
#include "schemas/findings.h"
#include "schemas/steps.h"
#include "table/style.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

constexpr std::size_t kTextFirstScreenMostLines = 25;
constexpr std::string_view kTextFirstScreenIndent = "        ";  // below the severity

constexpr std::size_t kLinesOfTitle = 2;
constexpr std::size_t kLinesOfParts = 4;  // of device time, in short

// How much of each part is shown. What there is room for depends on all of them.
struct Extent {
  std::size_t findings = 0;        // in full
  std::size_t sentence_lines = 0;  // of what is said of the job behind its step time
  std::size_t first_change = 0;    // lines of what to change, of the first finding
  std::size_t other_changes = 0;   // and of each of the others
};
// The first that fits is taken, else the last.
constexpr std::array<Extent, 9> kExtents = {{{3, 3, 4, 4},
                                             {3, 3, 3, 2},
                                             {3, 2, 3, 2},
                                             {3, 2, 2, 1},
                                             {3, 2, 1, 1},
                                             {3, 1, 1, 1},
                                             {2, 2, 2, 1},
                                             {2, 1, 2, 1},
                                             {1, 1, 2, 1}}};

// Where the last clause or sentence of the text ends, but not inside of brackets, which may hold
// code; 0 where none does.
std::size_t EndOfLastClause(std::string_view text) {
  std::size_t end = 0;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const char c = text[i];
    const bool ends_clause = text[i + 1] == ' ' && (c == ';' || c == '.' || c == ',' || c == ':');
    const bool is_aside = c == ' ' && text[i + 1] == '(';
    if (depth == 0 && (ends_clause || is_aside)) end = i;
    if (c == '(') ++depth;
    if (c == ')') depth = std::max(0, depth - 1);
  }
  return end;
}

// A line that is too long ends in " ...": behind a clause or sentence that ends nearby, else behind
// a word.
std::string Clipped(std::string line) {
  constexpr std::string_view kMore = " ...";
  constexpr std::size_t kNearby = 16;
  constexpr std::size_t kClauseNearby = 40;
  if (CountCodePoints(line) <= kTextWidth) return line;
  const std::size_t end = ByteOfCodePoint(line, kTextWidth - kMore.size());
  line.resize(end);
  const std::size_t clause = EndOfLastClause(line);
  const std::size_t blank = line.rfind(' ');
  if (clause > 0 && end - clause <= kClauseNearby && clause * 2 > end) {
    line.resize(clause);
  } else if (blank != std::string::npos && end - blank <= kNearby) {
    line.resize(blank);
  }
  while (line.ends_with(' ') || line.ends_with(',') || line.ends_with(';') || line.ends_with(':'))
    line.pop_back();
  return line.append(kMore);
}

// As AppendWrapped, in at most `most` lines.
void AppendClipped(std::string& out, std::string_view first, std::string_view text,
                   std::size_t most) {
  std::string whole;
  AppendWrapped(whole, first, text);
  std::size_t last = 0;  // where the last line that may be shown begins
  for (std::size_t line = 1; line < most && last < whole.size(); ++line)
    last = whole.find('\n', last) + 1;
  out.append(whole, 0, last);
  if (last == whole.size()) return;
  // The rest as one line.
  const std::string indentation = "\n" + std::string(CountCodePoints(first), ' ');
  std::string rest = whole.substr(last);
  rest.pop_back();
  for (std::size_t at = 0; (at = rest.find(indentation, at)) != std::string::npos;)
    rest.replace(at, indentation.size(), " ");
  out += Clipped(std::move(rest)) + "\n";
}

// The grave verdicts, whole where nothing else is to be said, or else the first notable one; the
// others are in --full.
void AppendVerdictsInShort(std::string& out, const Report& report) {
  constexpr std::size_t kMostVerdicts = 3;
  const std::size_t lines = RowsOf<Findings>(report).empty() ? 5 : 2;
  const RecordingSentences said = DescribeRecording(report);
  const std::vector<std::string>& first = said.grave.empty() ? said.notable : said.grave;
  const std::size_t shown = said.grave.empty() ? std::min<std::size_t>(1, first.size())
                                               : std::min(kMostVerdicts, first.size());
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) AppendClipped(text, "", SafeForTerminal(first[i]), lines);
  if (const std::size_t more = said.grave.size() + said.notable.size() - shown; more > 0) {
    const std::string others = fmt::format("({} more: --full)", more);
    const std::size_t last = text.rfind('\n', text.size() - 2) + 1;  // 0 where it is the only line
    const bool has_room = CountCodePoints(text.substr(last)) + others.size() <= kTextWidth;
    text.back() = has_room ? ' ' : '\n';
    text += others + "\n";
  }
  out += text;
}

void AppendSentence(std::string& out, const Report& report, std::size_t lines) {
  out += '\n';
  AppendWrapped(out, "", FindingsSentence(report) + FlopUtilisationSentence(report));
  for (const std::string& more : {LargestPartsSentence(report), ReplaySentence(report)}) {
    if (!more.empty()) AppendClipped(out, "", SafeForTerminal(more), lines);
  }
}

// The end of a long path, from a folder on.
std::string PathInShort(std::string_view path) {
  constexpr std::size_t kMost = 40;
  if (path.size() <= kMost) return std::string(path);
  const std::size_t folder = path.find('/', path.size() - kMost);
  return folder == std::string_view::npos ? std::string(path)
                                          : fmt::format("...{}", path.substr(folder));
}

// The line first: what does not fit is the rest.
std::string PlaceInShort(Place place) {
  std::string line = PathInShort(place.file);
  if (!line.empty() && place.line) line += fmt::format(":{}", *place.line);
  place.file.clear();
  const std::string rest = PlaceWords(place);
  return SafeForTerminal(line + (line.empty() || rest.empty() ? "" : ", ") + rest);
}

// "HIGH    launch-bound: 24.5%, 3.24 ms per step. The device waits for launches."
void AppendShortFinding(std::string& out, const Report& report, std::size_t row,
                        std::size_t lines_of_change) {
  const RowsOf<Findings> findings(report);
  const SeverityWords severity = WordsOfSeverity(findings.String(row, findings->severity));
  std::string text;
  AppendClipped(
      text, fmt::format("{:<8}", severity.shown),
      fmt::format("{}: {}. {}", SafeForTerminal(findings.String(row, findings->id)),
                  GainWords(report, row),
                  AsSentence(SafeForTerminal(TitleWords(findings.String(row, findings->title),
                                                        findings.String(row, findings->places))))),
      kLinesOfTitle);
  text.replace(0, severity.shown.size(), Marked(severity.style, severity.shown));
  std::string where = SafeForTerminal(findings.String(row, findings->who));
  const std::vector<Place> places = ParsePlaces(findings.String(row, findings->places));
  if (!places.empty()) where += (where.empty() ? "" : "; ") + PlaceInShort(places.front());
  if (!where.empty()) AppendClipped(text, kTextFirstScreenIndent, where, 1);
  std::string change(findings.String(row, findings->recommendation));
  if (const std::size_t end = change.find('\n'); end != std::string::npos)
    change.replace(end, std::string::npos, " ...");
  if (!change.empty())
    AppendClipped(text, std::string(kTextFirstScreenIndent) + "Change: ", SafeForTerminal(change),
                  lines_of_change);
  out += text;
}

void AppendOthers(std::string& out, const Report& report, std::size_t first) {
  const RowsOf<Findings> findings(report);
  if (first >= findings.rows()) return;
  std::string list;
  for (std::size_t row = first; row < findings.rows(); ++row) {
    const auto gain = findings.Number(row, findings->gain_pct);
    const bool is_bound = findings.String(row, findings->gain_method) == "bound";
    list += fmt::format(
        "{}{}{}{}", list.empty() ? "" : ", ", SafeForTerminal(findings.String(row, findings->id)),
        gain && is_bound ? " at most" : "", gain ? " " + HumanValue(*gain, "%") : "");
  }
  AppendClipped(out, "And:    ", list, 1);
}

void AppendFindingsInShort(std::string& out, const Report& report, const Extent& extent) {
  const std::size_t in_full = std::min(RowsOf<Findings>(report).rows(), extent.findings);
  for (std::size_t row = 0; row < in_full; ++row)
    AppendShortFinding(out, report, row, row == 0 ? extent.first_change : extent.other_changes);
  AppendOthers(out, report, in_full);
}

// Commands are copied: a line breaks between them alone.
void AppendCommands(std::string& out, std::span<const std::string> commands) {
  constexpr std::string_view kFirst = "More: ";
  std::string line(kFirst);
  for (const std::string& command : commands) {
    const bool is_first = line.size() == kFirst.size();
    if (!is_first && CountCodePoints(line) + 2 + CountCodePoints(command) > kTextWidth) {
      out += line + "\n";
      line.assign(kFirst.size(), ' ');
    } else if (!is_first) {
      line += "; ";
    }
    line += command;
  }
  out += line + "\n";
}

std::string HintOf(const Report& report) {
  const RowsOf<Findings> findings(report);
  std::vector<std::string> commands;
  if (findings.rows() > 0)
    commands.push_back("rankscope explain " + SafeForTerminal(findings.String(0, findings->id)));
  commands.push_back(CommandWords(report, "rankscope TRACES --full"));
  commands.push_back(CommandWords(report, RowsOf<JobBreakdown>(report).empty()
                                              ? "rankscope top ops TRACES"
                                              : "rankscope top kernels TRACES"));
  commands.push_back(CommandWords(report, "rankscope TRACES --format html -o report.html"));
  std::string hint = "\n";
  if (const std::size_t causes = CausesNotEvaluated(report).size(); causes > 0)
    hint += Plural(causes, "cause") + " could not be looked for: --full says why.\n";
  AppendCommands(hint, commands);
  return hint;
}

}  // namespace

std::string FirstScreen(const Report& report) {
  const std::string hint = HintOf(report);
  std::string screen;
  for (const Extent& extent : kExtents) {
    screen.clear();
    AppendVerdictsInShort(screen, report);
    AppendTitle(screen, report);
    AppendSentence(screen, report, extent.sentence_lines);
    AppendFindingsInShort(screen, report, extent);
    if (LinesOf(screen) + kLinesOfParts + LinesOf(hint) <= kTextFirstScreenMostLines) break;
  }
  const auto room = [&] {
    const std::size_t taken = LinesOf(screen) + LinesOf(hint);
    return taken < kTextFirstScreenMostLines ? kTextFirstScreenMostLines - taken : 0;
  };
  // Of hardly any device work shares say nothing.
  if (!HasVerdict(report, "too-little-work")) AppendLargestParts(screen, report, room());
  for (const auto append : {AppendStepNotes, AppendUnknownKernels, AppendQualityCount}) {
    std::string section;
    append(section, report);
    if (LinesOf(section) <= room()) screen += section;
  }
  return screen + hint;
}

}  // namespace rankscope
