#include "formats/kineto/by_process/by_process.h"

#include "formats/kineto/by_process/ascend.h"
#include "formats/kineto/by_process/legacy_autograd.h"
#include "formats/kineto/by_process/xla.h"

namespace rankscope::kineto {

void ReadByProcess(UnsortedTrace& unsorted) {
  if (ReadAscend(unsorted) || ReadXla(unsorted)) return;
  ReadLegacyAutograd(unsorted);
}

}  // namespace rankscope::kineto
