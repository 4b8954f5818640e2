// Where a process has its Python interpreter: in the program or in libpython, by their symbols.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "cpu_profile/image/maps.h"
#include "cpu_profile/image/memory.h"
#include "cpu_profile/python/python_reader.h"

namespace rankscope::cpu_profile {

// `maps` are those of the process. Files are read as it has them, through /proc/PID. kNotFound: it
// runs no Python, or one that is not known; kIo: its memory may not be read.
Result<PythonPlace> FindPython(pid_t pid, const std::vector<Mapping>& maps, Memory& memory);

}  // namespace rankscope::cpu_profile
