# rankscope_bpf(TARGET SOURCE NAME): compiles a BPF program by clang and puts its bytes into TARGET, as `std::string_view NAME()` of snoop/programs.h.
#
# Sets RANKSCOPE_BPF where all that it takes is there: clang, libbpf (as a static library) and libelf, on x86-64.
find_program(BPF_CLANG NAMES clang clang-14 clang-15 clang-16 clang-17 clang-18 clang-19)
find_path(LIBBPF_INCLUDE bpf/libbpf.h)
find_library(LIBBPF_LIBRARY libbpf.a)
find_library(LIBELF_LIBRARY elf)
set(RANKSCOPE_BPF OFF)
if(BPF_CLANG AND LIBBPF_INCLUDE AND LIBBPF_LIBRARY AND LIBELF_LIBRARY AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(RANKSCOPE_BPF ON)
endif()

function(rankscope_bpf target source name)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${name}_bytes.cc)
  get_filename_component(folder ${source} DIRECTORY)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h)
  # With -g for BTF alone, which libbpf needs for maps.
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${BPF_CLANG} -target bpf -mcpu=v3 -O2 -g -Wall -Werror -I${LIBBPF_INCLUDE} -I/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -fdebug-prefix-map=${CMAKE_SOURCE_DIR}=.
            -c ${source} -o ${object}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DFILE=${object} -DOUT=${made} -P ${CMAKE_SOURCE_DIR}/cmake/embed_bpf.cmake
    DEPENDS ${source} ${headers} ${CMAKE_SOURCE_DIR}/cmake/embed_bpf.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${made})
endfunction()
