// Generates C++ from specifications: it computes the same as the interpreter, without a tree.
//
// Two files per class, CLASS.h and CLASS.cc, built together with rankscope's own sources:
//
//   std::unique_ptr<const probe::Program> MakeChipProgram();
//   std::unique_ptr<probe::Monitor> OpenChip(probe::SourceReader& reader);
//
// #line directives lead compilers and debuggers to the specification's lines.
#pragma once

#include <string>
#include <vector>

#include "probe/check/spec.h"

namespace rankscope::probe {

struct GeneratedFile {
  std::string name;  // "TwinLake.h"
  std::string text;
};

// `maker` names the generating program, "rankscope 0.1.0". A specification without errors can
// always be generated, and the result compiles.
std::vector<GeneratedFile> Generate(const Spec& spec, const std::string& maker);

}  // namespace rankscope::probe
