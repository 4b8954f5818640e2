#include "schemas/launches.h"

namespace rankscope {

template const Launches& SchemaOf<Launches>();
template const QueueLength& SchemaOf<QueueLength>();

}  // namespace rankscope
