#include "schemas/post_training.h"

namespace rankscope {

template const PostFindings& SchemaOf<PostFindings>();
template const PostRoles& SchemaOf<PostRoles>();
template const PostPhases& SchemaOf<PostPhases>();
template const PostSteps& SchemaOf<PostSteps>();
template const PostOverlap& SchemaOf<PostOverlap>();
template const PostTail& SchemaOf<PostTail>();
template const PostReplicas& SchemaOf<PostReplicas>();
template const PostStaleness& SchemaOf<PostStaleness>();
template const PostPadding& SchemaOf<PostPadding>();
template const PostRollouts& SchemaOf<PostRollouts>();
template const PostSources& SchemaOf<PostSources>();
template const PostNotes& SchemaOf<PostNotes>();

}  // namespace rankscope
