// --open: what was written, shown in a browser.
#pragma once

#include <string>

#include "base/status.h"
#include "contract/command.h"

namespace rankscope::cli {

// --open perfetto|page.
class OpenArgument {
 public:
  void AddTo(CommandSpec& app);
  bool is_perfetto() const { return what_ == "perfetto"; }
  bool is_page() const { return what_ == "page"; }

 private:
  std::string what_;
};

// A trace that was written, where --open says; nothing without it. As a page: what analyze says of
// that file.
Status OpenTrace(const OpenArgument& where, const std::string& path);

// A file of this user's own for a page that nobody gave a name:
// "/tmp/rankscope-XXXXXX/report.html".
Result<std::string> NameForPage();

// A page in the user's browser ($BROWSER, else xdg-open where there is a display). Prints its
// address where there is none.
Status OpenPage(const std::string& path);

// A trace in ui.perfetto.dev, which fetches it from this host: it is served on 127.0.0.1:9001, the
// one address that the UI may fetch from, to that site alone, until it was fetched or Ctrl-C. The
// trace goes nowhere else. Prints the UI's address where there is no browser. kIo when the port is
// taken.
Status OpenInPerfetto(const std::string& path);

}  // namespace rankscope::cli
