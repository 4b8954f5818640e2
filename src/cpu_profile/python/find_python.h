// Finds a process's Python interpreter: in the program or in libpython, by their symbols.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "cpu_profile/image/maps.h"
#include "cpu_profile/image/memory.h"
#include "cpu_profile/python/python_reader.h"

namespace rankscope::cpu_profile {

// `maps` are those of the process. Files are read through /proc/PID, as the process sees them.
// kNotFound: it runs no Python, or an unknown version; kIo: its memory is not readable.
Result<PythonPlace> FindPython(pid_t pid, const std::vector<Mapping>& maps, Memory& memory);

}  // namespace rankscope::cpu_profile
