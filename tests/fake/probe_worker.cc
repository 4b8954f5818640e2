// Loads libraries for tests of specifications, as `rankscope probe worker` does.
#include "probe/library/worker.h"

int main() { return rankscope::probe::ServeLibrary(); }
