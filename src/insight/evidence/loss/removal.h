// Removes device work from a scenario, with the host work that launches it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "replay/scenario/scenario.h"

namespace rankscope {

// The longest host work before a launch that is the launch's own, of such work of all launches:
// what a launch costs is what most of them cost this host, and a stretch of many times that does
// something else before it launches. At least one of `costs`; ns.
std::int64_t MostOfALaunch(std::vector<std::int64_t> costs);

// Of every node whether it is one of these, or host work that ends in launching nothing but these:
// what a program without them would not do. Host work before a launch that takes many times what a
// launch costs this host is none of it: it does something else before it launches.
std::vector<bool> WithLaunches(const JobGraph& graph, std::vector<bool> of_device);

// Sets all of these to no time, without waits for their launch.
void Remove(const std::vector<bool>& nodes, Scenario& scenario);

}  // namespace rankscope
