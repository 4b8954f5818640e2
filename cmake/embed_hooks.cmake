# Run by cmake -P while building: Python files become texts in a C++ source, as src/rerun/hooks.h declares them.
#
#   cmake -DROOT=FOLDER -DFILES=a.py,b/c.py -DOUT=hook_files.cc -P embed_hooks.cmake
string(REPLACE "," ";" files "${FILES}")
set(rows "")
foreach(file ${files})
  file(READ ${ROOT}/${file} text)
  if(text MATCHES "\\)HOOK\"")
    message(FATAL_ERROR "${file} holds the end of a raw string literal")
  endif()
  # Brackets and semicolons mean something to CMake in lists alone: here the text is one value.
  string(APPEND rows "    {\"${file}\", R\"HOOK(${text})HOOK\"},\n")
endforeach()
file(WRITE ${OUT} "// Made by cmake/embed_hooks.cmake.
#include \"rerun/hooks.h\"

namespace rankscope::rerun {

std::span<const HookFile> HookFiles() {
  static constexpr HookFile kFiles[] = {
${rows}  };
  return kFiles;
}

}  // namespace rankscope::rerun
")
