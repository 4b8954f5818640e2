// --open: shows the written output in a browser.
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

// Opens a written trace as --open says; does nothing without the option. As a page: the analysis of
// that file.
Status OpenTrace(const OpenArgument& where, const std::string& path);

// A file name, private to this user, for a page without a given name:
// "/tmp/rankscope-XXXXXX/report.html".
Result<std::string> NameForPage();

// Opens a page in the user's browser ($BROWSER, otherwise xdg-open if there is a display). Without
// a browser it prints the address.
Status OpenPage(const std::string& path);

// Opens a trace in ui.perfetto.dev, which fetches it from this host. The trace is served on
// 127.0.0.1:9001, the only address from which the UI may fetch, to that site only, until it was
// fetched or Ctrl-C. It is sent nowhere else. Without a browser it prints the UI's address. kIo if
// the port is in use.
Status OpenInPerfetto(const std::string& path);

}  // namespace rankscope::cli
