// The parser asserts of every text what only some texts keep (that a key begins behind '['), and
// says what is wrong with the others right behind that.
#define TOML_ASSERT(expr) static_cast<void>(0)
#define TOML_IMPLEMENTATION
#include "base/toml.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace rankscope {
namespace {

bool IsBeyondAscii(char one) { return (static_cast<unsigned char>(one) & 0x80) != 0; }

// The same document in ASCII: letters beyond it are escaped in strings that have escapes, and left
// out of comments. What toml++ 3.3 does with them is not defined everywhere.
class AsAscii {
 public:
  explicit AsAscii(std::string_view text) : text_(text) {}

  // False: a letter stands at place() where none can.
  bool Run() {
    while (at_ < text_.size()) {
      const char one = text_[at_];
      if (one == '#')
        TakeComment();
      else if ((one == '"' || one == '\'') && !TakeString())
        return false;
      else if (one != '"' && one != '\'' && !TakePlain())
        return false;
    }
    return true;
  }

  const std::string& ascii() const { return ascii_; }
  std::size_t place() const { return at_; }

 private:
  bool TakePlain() {
    if (IsBeyondAscii(text_[at_])) return false;
    ascii_ += text_[at_++];
    return true;
  }

  void TakeComment() {
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_)
      if (!IsBeyondAscii(text_[at_])) ascii_ += text_[at_];
  }

  // To its end; of a string of one line that has none to the end of the line.
  bool TakeString() {
    const char quote = text_[at_];
    const std::size_t size = text_.substr(at_).starts_with(std::string(3, quote)) ? 3 : 1;
    const std::string end(size, quote);
    Copy(size);
    while (at_ < text_.size() && !text_.substr(at_).starts_with(end)) {
      if (text_[at_] == '\n' && size == 1) return true;
      if (IsBeyondAscii(text_[at_])) {
        if (quote == '\'' || !Escape()) return false;
      } else if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) {
        Copy(1);
        if (IsBeyondAscii(text_[at_])) return false;
        Copy(1);
      } else {
        Copy(1);
      }
    }
    Copy(std::min(size, text_.size() - at_));
    return true;
  }

  void Copy(std::size_t size) {
    ascii_ += text_.substr(at_, size);
    at_ += size;
  }

  bool Escape() {
    const CodePoint letter = DecodeUtf8(text_, at_);
    if (!letter.valid) return false;
    ascii_ += fmt::format("\\U{:08X}", letter.value);
    at_ += letter.bytes;
    return true;
  }

  const std::string_view text_;
  std::string ascii_;
  std::size_t at_ = 0;
};

}  // namespace

Result<toml::table> ParseToml(std::string_view text, const std::string& source) {
  AsAscii document(text);
  if (!document.Run())
    return Error(StatusCode::kInvalidArgument,
                 "{}: line {}: letters beyond ASCII stand in \"strings\" and in comments alone, as "
                 "UTF-8",
                 source, 1 + std::ranges::count(text.substr(0, document.place()), '\n'));
  toml::parse_result parsed = toml::parse(document.ascii(), source);
  if (!parsed)
    return Error(StatusCode::kInvalidArgument, "{}: line {}: {}", source,
                 parsed.error().source().begin.line, parsed.error().description());
  return std::move(parsed).table();
}

}  // namespace rankscope
