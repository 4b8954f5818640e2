// The files that are run, and their imports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fix/base/source_file.h"
#include "fix/python/edits.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// Whether a file trains: it has a loop with `backward`, or is run and imports torch.
bool IsTrainingProgram(const SourceFile& file);

// The last of the imports that a file begins with, settings of os.environ and sys.path among them;
// none where it begins with something else.
Node LastImport(const SourceFile& file);
// The first statement of the module that imports torch or what is below it.
Node FirstImportOf(const SourceFile& file, std::string_view module);

// An edit that imports a module by its own name, where `place` does not see it under that name yet;
// no edits then. The file begins with imports.
std::vector<Edit> ImportFor(const SourceFile& file, std::string_view module, const Node& place);
// Whether ImportFor leaves the module's own name with its meaning at `place`: nothing else is
// called so.
bool CanImport(const SourceFile& file, std::string_view module, const Node& place);

}  // namespace rankscope::fix
