// The files that are run as programs, and their imports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fix/base/source_file.h"
#include "fix/python/edits.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// Whether a file trains: it has a loop with `backward`, or it is run and imports torch.
bool IsTrainingProgram(const SourceFile& file);

// The last of the imports at the begin of a file, including settings of os.environ and sys.path;
// none if the file begins with something else.
Node LastImport(const SourceFile& file);
// The first statement that imports `module` or a submodule of it.
Node FirstImportOf(const SourceFile& file, std::string_view module);

// An edit that imports a module by its own name; no edits if `place` sees it under that name
// already. The file must begin with imports.
std::vector<Edit> ImportFor(const SourceFile& file, std::string_view module, const Node& place);
// Whether the module's own name keeps its meaning at `place` after ImportFor: nothing else has that
// name.
bool CanImport(const SourceFile& file, std::string_view module, const Node& place);

}  // namespace rankscope::fix
