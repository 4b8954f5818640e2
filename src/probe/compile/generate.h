// C++ of specifications: what the interpreter computes, without a tree at run time.
//
// For each class two files, CLASS.h and CLASS.cc, which are built beside rankscope's own sources:
//
//   std::unique_ptr<const probe::Program> MakeChipProgram();
//   std::unique_ptr<probe::Monitor> OpenChip(probe::SourceReader& reader);
//
// #line leads compilers and debuggers to the specification's lines.
#pragma once

#include <string>
#include <vector>

#include "probe/check/spec.h"

namespace rankscope::probe {

struct GeneratedFile {
  std::string name;  // "TwinLake.h"
  std::string text;
};

// `maker` is who made it, "rankscope 0.1.0". A specification that was checked without errors can be
// generated, and what is generated compiles.
std::vector<GeneratedFile> Generate(const Spec& spec, const std::string& maker);

}  // namespace rankscope::probe
