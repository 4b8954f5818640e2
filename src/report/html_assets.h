// The fixed parts of the HTML report: files of src/report/html and third_party/uplot, built into
// the program by cmake/embed.cmake.
#pragma once

#include <string_view>

namespace rankscope {

struct HtmlAsset {
  std::string_view text;
  std::string_view sha256;  // of `text`, in base64, for the content security policy
};

const HtmlAsset& PageScript();
const HtmlAsset& DiffScript();    // of the page of two jobs
const HtmlAsset& MemoryScript();  // of the page of a memory snapshot
const HtmlAsset& MemoryStyle();
const HtmlAsset& PageStyle();
const HtmlAsset& PlotScript();
const HtmlAsset& PlotStyle();

}  // namespace rankscope
