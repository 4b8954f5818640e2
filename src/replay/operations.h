// The cost of stragglers, from a plain table of operations: the what-if method of "Understanding
// Stragglers in Large Model Training Using What-if Analysis" (OSDI 2025).
//
// Operations of a step are replayed by their dependencies. A rank computes in the order of its
// starts, and after its last backward pass it reduces, clips and optimises in that order;
// parameters are gathered before the first forward pass of their chunk; the i-th receive comes
// before the i-th pass that needs one, and after the pass of its kind before that; the i-th send
// comes after its pass; sends and receives of a kind follow each other. An operation of several
// ranks begins with its last member: sends match receives by order; gathering and reducing join dp
// ranks, embeddings the first and last stage, clipping all ranks. Its transfer time is its end
// minus the latest start of its members.
#pragma once

#include "base/status.h"
#include "table/table.h"

namespace rankscope {

// `operations` has the columns of Operations; the result those of StragglerSlowdown: the job, its
// steps, then dp ranks, stages and types (sends and receives of a direction are one). kBadData with
// a message for operations that cannot belong to one job. Linear in rows times distinct dp ranks,
// stages and types; besides these, only one step is kept.
Result<Table> ReplayStragglers(const Table& operations);

}  // namespace rankscope
