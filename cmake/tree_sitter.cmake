# Python's syntax for src/fix: tree-sitter of Debian, as a static library, so that packages need nothing more; and the grammar, C sources of an npm package that
# `./dev setup` fetches, checks and unpacks.
find_path(TREE_SITTER_INCLUDE tree_sitter/api.h REQUIRED)
find_library(TREE_SITTER_LIBRARY NAMES libtree-sitter.a tree-sitter REQUIRED)
set(PYTHON_GRAMMAR ${CMAKE_SOURCE_DIR}/third_party/tree-sitter-python/src)
if(NOT EXISTS ${PYTHON_GRAMMAR}/parser.c)
  message(FATAL_ERROR "third_party/tree-sitter-python is missing: run ./dev setup")
endif()
add_library(python_grammar STATIC ${PYTHON_GRAMMAR}/parser.c ${PYTHON_GRAMMAR}/scanner.c)
target_include_directories(python_grammar PRIVATE ${PYTHON_GRAMMAR})
# Made by a generator, megabytes of tables: neither our warnings nor our speed. The options of our own sources do not apply.
set_target_properties(python_grammar PROPERTIES COMPILE_OPTIONS "-O1;-w" POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
add_library(TreeSitter::python INTERFACE IMPORTED)
target_include_directories(TreeSitter::python SYSTEM INTERFACE ${TREE_SITTER_INCLUDE})
target_link_libraries(TreeSitter::python INTERFACE python_grammar ${TREE_SITTER_LIBRARY})
