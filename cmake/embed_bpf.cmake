# Run by cmake -P while building: a compiled BPF program becomes an array in a C++ source.
#
#   cmake -DNAME=SnoopBytes -DFILE=snoop.bpf.o -DOUT=snoop_bytes.cc -P embed_bpf.cmake
file(READ ${FILE} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUT} "// Made by cmake/embed_bpf.cmake.
#include \"snoop/programs.h\"

namespace rankscope::snoop {
namespace {
alignas(8) constexpr char kBytes[] = {
${bytes}};
}  // namespace

std::string_view ${NAME}() { return {kBytes, sizeof(kBytes)}; }

}  // namespace rankscope::snoop
")
