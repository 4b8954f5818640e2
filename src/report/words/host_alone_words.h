// Sentences where findings are impossible: for recordings without device work, and for unexplained
// time.
#pragma once

#include <string>

#include "report/base/report.h"

namespace rankscope {

// The collectives of process groups on the host, how long their ranks are in them and how much of
// it is waiting; the largest phase of steps; the op that takes most itself. "" when none is known.
std::string DescribeHostAlone(const Report& report);

// In which op or call hosts are for most of the time that devices idle for no reason that the trace
// shows; "" where it is no such one, or not most of it.
std::string DescribeBlockedHost(const Report& report);

// Exposed communication, if at least a tenth of device time; else "".
std::string DescribeExposed(const Report& report);

// If devices are idle for at least half of their time, and causes with the gain `gain_pct` explain
// less than a third of that; else "".
std::string DescribeIdle(const Report& report, double gain_pct);

}  // namespace rankscope
