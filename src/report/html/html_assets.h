// The fixed parts of the pages of one file, web/src/page, and of the app, web/src/app: built by
// Vite and embedded by cmake/html_assets.cmake.
#pragma once

#include <string_view>

namespace rankscope {

struct HtmlAsset {
  std::string_view text;
  std::string_view sha256;  // of `text`, in base64, for the content security policy
};

const HtmlAsset& ReportScript();
const HtmlAsset& ReportStyle();
const HtmlAsset& DiffScript();  // of the page of two jobs
const HtmlAsset& DiffStyle();
const HtmlAsset& MemoryScript();  // of the page of a memory snapshot
const HtmlAsset& MemoryStyle();
const HtmlAsset& ServingScript();  // of the page of a serving program
const HtmlAsset& ServingStyle();
const HtmlAsset& AppScript();  // of the server's pages
const HtmlAsset& AppStyle();

}  // namespace rankscope
