// The words of advice for a server: each has its own settings, and some have no KV cache.
#pragma once

#include <string>
#include <string_view>

#include "serving/causes/analysis.h"

namespace rankscope::serving {

// "vLLM", as metric_names.h names it, by metrics, else by logs; "" of several or none that is
// known.
std::string ServerOf(const Analysis& analysis);

// Whether it generates tokens by a KV cache; an unknown one is taken to.
bool HasKvCache(std::string_view server);

enum class Setting {
  kSlots,        // the most requests at once
  kTokenBudget,  // of a step
  kCacheMemory,
};
// "--max-num-seqs"; of an unknown server those of several, by commas. Not for Ray Serve and Triton.
std::string_view OptionsOf(std::string_view server, Setting setting);

// Sentences.
std::string MoreSlots(std::string_view server, std::string_view slots);
std::string MoreServers(std::string_view server);
std::string MoreCache(std::string_view server);
std::string MoreFrontend(std::string_view server);
std::string RecordMore(std::string_view server);

// Behind "the engine's iterations": how they are recorded, or that they are not read.
std::string HowIterations(std::string_view server);

}  // namespace rankscope::serving
