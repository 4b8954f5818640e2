# Run by cmake -P while building: text files become an array in a C++ source.
#
#   cmake -DNAME=PageScript -DHEAD=LICENSE -DFILES=a.js,b.js -DOUT=page_script.cc -P embed.cmake
#
# defines `const HtmlAsset& PageScript()` of report/html_assets.h: HEAD in a comment and the files in
# that order, and the base64 of their SHA-256, which the page's content security policy names. The bytes are character literals: compilers limit the length of
# string literals.
string(REPLACE "," ";" files "${FILES}")
set(joined ${OUT}.txt)
file(WRITE ${joined} "")
# HTML knows only line feeds: with carriage returns the page's text would not be what was hashed.
function(append path before after)
  file(READ ${path} text)
  string(REPLACE "\r" "" text "${text}")
  if(text MATCHES "</(script|style)")
    message(FATAL_ERROR "${path} has a </script or </style, which would end the element that it stands in")
  endif()
  file(APPEND ${joined} "${before}${text}${after}")
endfunction()
if(HEAD)
  append(${HEAD} "/*!\n" "*/\n")
endif()
foreach(path ${files})
  append(${path} "" "")
endforeach()

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
#include \"report/html_assets.h\"

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
