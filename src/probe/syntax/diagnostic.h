// An error or warning about a specification, with its place in the file and a remedy.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::probe {

// Bytes of one line; the first line and the first byte of a line are 1. Line 0: no place.
struct Place {
  int line = 0;
  int column = 0;
  int length = 1;
};

enum class Severity : unsigned char { kError, kWarning };

struct Diagnostic {
  Severity severity = Severity::kError;
  Place place;
  std::string message;  // "there is no name `pwoer`"
  std::string remedy;   // "did you mean `power`?"; "": the message is enough
};

// Collects the problems of one file. It keeps at most kMostKept, so that a file full of errors does
// not need more memory.
class Diagnostics {
 public:
  static constexpr std::size_t kMostShown = 20;
  static constexpr std::size_t kMostKept = 1000;

  void Error(Place place, std::string message, std::string remedy = {});
  void Warn(Place place, std::string message, std::string remedy = {});

  bool has_errors() const { return has_errors_; }
  bool is_empty() const { return all_.empty(); }
  // Sorted by place, one per place, at most kMostShown. If there are errors, warnings are left out.
  std::vector<Diagnostic> Sorted() const;
  // The number of diagnostics that Sorted() leaves out.
  std::size_t LeftOut() const;

 private:
  std::vector<Diagnostic> Unique() const;
  std::vector<Diagnostic> all_;
  bool has_errors_ = false;
};

// "FILE:LINE:COL: message; remedy", the line and a caret below the place. Columns count characters.
// Control characters of the file appear as '?'. Ends with a line end.
std::string FormatDiagnostic(std::string_view file, std::string_view text,
                             const Diagnostic& diagnostic);

}  // namespace rankscope::probe
