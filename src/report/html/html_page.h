// One self-contained HTML file, without network or server. A content security policy blocks
// everything that the program did not write.
//
// Data of 64 kB and more are packed (<script type="application/gzip" id="data">: gzip as base64, a
// quarter of the bytes); less data is stored as JSON. DecompressionStream, which browsers have
// since 2023, unpacks it.
#pragma once

#include <string>
#include <string_view>

#include "report/html/html_assets.h"

namespace rankscope {

struct HtmlPage {
  std::string_view title;
  std::string_view without_script;  // a sentence for browsers that run none
  const HtmlAsset* style = nullptr;
  std::string data;                   // JSON, escaped for a script
  const HtmlAsset* script = nullptr;  // behind the data, which it draws
};

std::string WriteHtmlPage(const HtmlPage& page);

}  // namespace rankscope
