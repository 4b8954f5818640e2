// The sections of the text report, each in its file. A section whose tables are missing or empty
// appends nothing, or one sentence that says why.
#pragma once

#include <string>

#include "report/base/report.h"

namespace rankscope {

// The step divided into its causes and its best time, a bar each.
void AppendContributions(std::string& out, const Report& report);
// Limits of the following sections; nothing if there are none.
void AppendRecording(std::string& out, const Report& report);
void AppendVerdict(std::string& out, const Report& report);   // recording: what is grave
void AppendTitle(std::string& out, const Report& report);     // ranks, devices, steps
void AppendLayout(std::string& out, const Report& report);    // layout
void AppendStepTime(std::string& out, const Report& report);  // step_spread
// Further data about steps: phases, energy, how they were found.
void AppendStepNotes(std::string& out, const Report& report);
// findings, gains, replay_fidelity, not_evaluated
void AppendFindings(std::string& out, const Report& report);
void AppendHeadlines(std::string& out, const Report& report);  // headline.h
void AppendJobTime(std::string& out, const Report& report);    // job_breakdown
// The same from 1 % on, in at most `room` lines: bars, or a sentence.
void AppendLargestParts(std::string& out, const Report& report, std::size_t room);
void AppendCriticalPath(std::string& out, const Report& report);  // job_critical_path
void AppendRanks(std::string& out, const Report& report);         // rank_metrics, rank_breakdown
// clocks, collective_ranks, collective_sizes, blame
void AppendAcross(std::string& out, const Report& report);
void AppendPipeline(std::string& out, const Report& report);        // pipeline
void AppendExperts(std::string& out, const Report& report);         // expert_load, expert_ranks
void AppendOverRanks(std::string& out, const Report& report);       // over_ranks
void AppendKernels(std::string& out, const Report& report);         // kernels_by_name
void AppendUnknownKernels(std::string& out, const Report& report);  // those of no known class alone
void AppendGraphs(std::string& out, const Report& report);          // graphs, graph_ops
void AppendHost(std::string& out, const Report& report);            // host_breakdown
void AppendSnoop(std::string& out, const Report& report);           // windows of snoop and offcpu
void AppendQuality(std::string& out, const Report& report);         // data_quality
void AppendQualityCount(std::string& out, const Report& report);    // the same in a line

}  // namespace rankscope
