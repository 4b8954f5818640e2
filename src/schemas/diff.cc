#include "schemas/diff.h"

namespace rankscope {

template const DiffJob& SchemaOf<DiffJob>();
template const DiffNotes& SchemaOf<DiffNotes>();
template const DiffSteps& SchemaOf<DiffSteps>();
template const DiffPartNames& SchemaOf<DiffPartNames>();
template const DiffPhaseNames& SchemaOf<DiffPhaseNames>();
template const DiffModuleNames& SchemaOf<DiffModuleNames>();
template const DiffOpNames& SchemaOf<DiffOpNames>();
template const DiffHostNames& SchemaOf<DiffHostNames>();
template const DiffKernelNames& SchemaOf<DiffKernelNames>();
template const DiffPlaceNames& SchemaOf<DiffPlaceNames>();
template const DiffCallTree& SchemaOf<DiffCallTree>();
template const DiffPath& SchemaOf<DiffPath>();
template const DiffRanks& SchemaOf<DiffRanks>();
template const DiffFindings& SchemaOf<DiffFindings>();

}  // namespace rankscope
