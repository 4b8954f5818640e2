#include "cli/job/line_editor.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cwchar>
#include <filesystem>
#include <utility>

namespace rankscope::cli {
namespace {

constexpr int kMostLines = 1000;

bool IsOfSqlWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// What all names begin with.
std::string CommonBegin(const std::vector<std::string>& names) {
  std::string begin = names.front();
  for (const std::string& name : names) {
    const auto [end, ignored] = std::mismatch(begin.begin(), begin.end(), name.begin(), name.end());
    begin.erase(end, begin.end());
  }
  return begin;
}

}  // namespace

LineEditor::LineEditor(Options options) : options_(std::move(options)), history_(history_init()) {
  std::setlocale(LC_CTYPE, "");  // letters beyond ASCII have a width
  editor_.reset(el_init("rankscope", stdin, stdout, stderr));
  EditLine* const editor = editor_.get();
  HistEvent event;
  history(history_.get(), &event, H_SETSIZE, kMostLines);
  history(history_.get(), &event, H_SETUNIQUE, 1);
  if (!options_.history_file.empty())
    history(history_.get(), &event, H_LOAD, options_.history_file.c_str());
  el_set(editor, EL_CLIENTDATA, this);
  el_set(editor, EL_PROMPT, PromptOf);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_HIST, history, history_.get());
  el_set(editor, EL_GETCFN, ReadCharacter);
  el_set(editor, EL_ADDFN, "rs-complete", "complete the word", Complete);
  el_set(editor, EL_BIND, "^I", "rs-complete", nullptr);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
}

LineEditor::~LineEditor() {
  if (options_.history_file.empty()) return;
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::create_directories(fs::path(options_.history_file).parent_path(), ignored);
  // Queries may name what is nobody else's business.
  const int file =
      open(options_.history_file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  close(file);
  HistEvent event;
  history(history_.get(), &event, H_SAVE, options_.history_file.c_str());
}

LineEditor& LineEditor::Of(EditLine* editor) {
  void* self = nullptr;
  el_get(editor, EL_CLIENTDATA, &self);
  return *static_cast<LineEditor*>(self);
}

char* LineEditor::PromptOf(EditLine* editor) { return Of(editor).prompt_.data(); }

// One character of the terminal's, or -1 when Ctrl-C came first. A signal may come just before the
// terminal is waited for, so the wait is short.
int LineEditor::ReadCharacter(EditLine* editor, wchar_t* character) {
  constexpr int kWaitMs = 50;
  std::mbstate_t state{};
  while (true) {
    if (Of(editor).options_.interrupted()) return -1;
    pollfd terminal{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (poll(&terminal, 1, kWaitMs) <= 0) continue;
    char byte = 0;
    const ssize_t size = read(STDIN_FILENO, &byte, 1);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return static_cast<int>(size);
    const std::size_t used = std::mbrtowc(character, &byte, 1, &state);
    if (used == static_cast<std::size_t>(-2)) continue;  // more bytes of one character
    if (used != static_cast<std::size_t>(-1)) return 1;
    state = {};  // a byte of no character is passed over
  }
}

unsigned char LineEditor::Complete(EditLine* editor, int) {
  const LineInfo* line = el_line(editor);
  const char* begin = line->cursor;
  while (begin > line->buffer && IsOfSqlWord(begin[-1])) --begin;
  const std::string_view word(begin, static_cast<std::size_t>(line->cursor - begin));
  const std::vector<std::string> names = Of(editor).options_.complete(word);
  if (names.empty()) return CC_REFRESH_BEEP;
  const std::string common = CommonBegin(names);
  if (common.size() > word.size()) {
    const std::string more = common.substr(word.size()) + (names.size() == 1 ? " " : "");
    return el_insertstr(editor, more.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }
  if (names.size() == 1) return CC_NORM;
  std::string all = "\n";
  for (const std::string& name : names) all += name + "  ";
  std::printf("%s\n", all.c_str());
  return CC_REDISPLAY;
}

LineEditor::Outcome LineEditor::Read(const std::string& prompt, std::string& line) {
  prompt_ = prompt;
  int size = 0;
  const char* text = el_gets(editor_.get(), &size);
  if (options_.interrupted()) {
    el_reset(editor_.get());
    std::printf("\n");
    return Outcome::kInterrupted;
  }
  if (text == nullptr || size <= 0) return Outcome::kEnd;
  line.assign(text, static_cast<std::size_t>(size));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return Outcome::kLine;
}

void LineEditor::Remember(const std::string& line) {
  HistEvent event;
  history(history_.get(), &event, H_ENTER, line.c_str());
}

}  // namespace rankscope::cli
