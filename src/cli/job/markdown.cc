#include "cli/job/markdown.h"

#include <algorithm>

#include "report/base/text_lines.h"
#include "table/style.h"

namespace rankscope::cli {
namespace {

constexpr std::string_view kItem = "- ";
constexpr std::string_view kFence = "```";

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return line;
}

// "see [roofline.md](../roofline.md)" -> "see roofline.md".
std::string WithoutLinks(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t middle = text.find("](");
    const std::size_t open = text.substr(0, middle).rfind('[');
    const std::size_t close = text.find(')', middle == std::string_view::npos ? 0 : middle);
    if (middle == std::string_view::npos || open == std::string_view::npos ||
        close == std::string_view::npos)
      return out.append(text);
    out.append(text.substr(0, open)).append(text.substr(open + 1, middle - open - 1));
    text.remove_prefix(close + 1);
  }
}

// A paragraph or an item, whose lines are joined until it ends.
class Paragraph {
 public:
  explicit Paragraph(std::string& out) : out_(out) {}

  void Add(std::string_view line) {
    const bool is_item = line.starts_with(kItem);
    if (is_item) {
      End();
      first_ = "  - ";
      line.remove_prefix(kItem.size());
    }
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!text_.empty()) text_ += ' ';
    text_ += line;
  }
  void End() {
    if (!text_.empty()) AppendWrapped(out_, first_, WithoutLinks(text_));
    text_.clear();
    first_ = "  ";
  }

 private:
  std::string& out_;
  std::string text_;
  std::string_view first_ = "  ";
};

}  // namespace

std::string MarkdownForTerminal(std::string_view markdown) {
  std::string out;
  Paragraph paragraph(out);
  bool is_code = false;
  bool is_below_heading = false;
  while (!markdown.empty()) {
    const std::string_view line = TakeLine(markdown);
    const bool is_heading = !is_code && line.starts_with('#');
    if (line.starts_with(kFence)) {
      paragraph.End();
      is_code = !is_code;
    } else if (is_code) {
      if (!line.empty()) out.append("      ").append(line);
      out += '\n';
    } else if (is_heading) {
      paragraph.End();
      const std::size_t begin = std::min(line.find_first_not_of("# "), line.size());
      out += Marked(Style::kHeading, line.substr(begin)) + '\n';
    } else if (line.empty()) {
      paragraph.End();
      // What follows a heading is indented: no empty line in between.
      if (!is_below_heading) out += '\n';
    } else {
      paragraph.Add(line);
    }
    is_below_heading = is_heading;
  }
  paragraph.End();
  return out;
}

}  // namespace rankscope::cli
