// LineEditor: reads lines from a terminal, with editing, history and completion (libedit).
#pragma once

#include <histedit.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::cli {

class LineEditor {
 public:
  struct Options {
    std::string history_file;  // "": no history beyond this run
    // Completions of a word with this beginning.
    std::function<std::vector<std::string>(std::string_view begin)> complete;
    // Whether Ctrl-C was pressed since the last line.
    std::function<bool()> interrupted;
  };
  explicit LineEditor(Options options);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Outcome { kLine, kEnd, kInterrupted };
  // Reads a line, without its newline.
  Outcome Read(const std::string& prompt, std::string& line);

  // Adds a line to the history of the arrow keys.
  void Remember(const std::string& line);

 private:
  static char* PromptOf(EditLine* editor);
  static int ReadCharacter(EditLine* editor, wchar_t* character);
  static unsigned char Complete(EditLine* editor, int key);
  static LineEditor& Of(EditLine* editor);

  struct End {
    void operator()(EditLine* editor) const { el_end(editor); }
    void operator()(History* history) const { history_end(history); }
  };
  Options options_;
  std::string prompt_;
  std::unique_ptr<History, End> history_;
  std::unique_ptr<EditLine, End> editor_;
};

}  // namespace rankscope::cli
