# Run by cmake -P while building: a text file becomes an array in a C++ source.
#
#   cmake -DNAME=ReportScript -DFILE=report.js -DOUT=ReportScript.cc -P embed.cmake
#
# defines `const HtmlAsset& ReportScript()` of report/html/html_assets.h: the text, and the base64 of its SHA-256, which the page's content
# security policy names. The bytes are character literals: compilers limit the length of string literals.

# HTML knows only line feeds: with carriage returns the page's text would not be what was hashed.
file(READ ${FILE} text)
string(REPLACE "\r" "" text "${text}")
if(text MATCHES "</(script|style)")
  message(FATAL_ERROR "${FILE} has a </script or </style, which would end the element that it stands in")
endif()
set(joined ${OUT}.txt)
file(WRITE ${joined} "${text}")

file(SHA256 ${joined} hex)
set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
set(base64 "")
# 32 bytes are ten groups of three and one of two; a group of three bytes is four digits.
foreach(group RANGE 10)
  math(EXPR at "${group} * 6")
  string(SUBSTRING "${hex}0000" ${at} 6 bytes)
  foreach(shift 18 12 6 0)
    math(EXPR digit "(0x${bytes} >> ${shift}) & 63")
    string(SUBSTRING "${alphabet}" ${digit} 1 digit)
    string(APPEND base64 "${digit}")
  endforeach()
endforeach()
string(SUBSTRING "${base64}" 0 43 base64)

file(READ ${joined} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUT} "// Made by cmake/embed.cmake.
#include \"report/html/html_assets.h\"

namespace rankscope {
namespace {
constexpr char kText[] = {
${bytes}};
}  // namespace

const HtmlAsset& ${NAME}() {
  static constexpr HtmlAsset kAsset{{kText, sizeof(kText)}, \"${base64}=\"};
  return kAsset;
}

}  // namespace rankscope
")
