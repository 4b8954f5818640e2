#include "trace/device_api.h"

#include <array>
#include <span>

namespace rankscope {

bool IsLaunchCall(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("LaunchKernel") || has("GraphLaunch") || has("LaunchCooperative") || has("LaunchGrid"))
    return true;
  if (name.starts_with("runFunction")) return true;  // MTIA
  if (name == "Node@launch") return true;            // Ascend
  const bool is_api = name.starts_with("cu") || name.starts_with("hip");
  if (!is_api || has("Attribute") || has("Node") || has("Param")) return false;
  return has("Memcpy") || has("Memset");
}

bool IsGraphLaunchCall(std::string_view name) {
  return name.find("GraphLaunch") != std::string_view::npos;
}

bool IsSynchronizeCall(std::string_view name) {
  return name.find("Synchronize") != std::string_view::npos ||
         name.find("synchronize") != std::string_view::npos;
}

SyncScope ScopeOfSynchronizeCall(std::string_view name) {
  if (name.find("Stream") != std::string_view::npos) return SyncScope::kStream;
  if (name.find("Event") != std::string_view::npos) return SyncScope::kEvent;
  return SyncScope::kDevice;
}

bool IsStreamWaitCall(std::string_view name) {
  return name.find("StreamWaitEvent") != std::string_view::npos;
}

namespace {

struct Rule {
  std::string_view begin;  // of the name, behind the API's own prefix
  std::string_view action;
};

// The first that fits decides.
constexpr std::array kOfRuntime = {
    Rule{"Malloc", "allocate"},     Rule{"HostAlloc", "allocate"},
    Rule{"HostMalloc", "allocate"}, Rule{"ExtMalloc", "allocate"},
    Rule{"HostFree", "free"},       Rule{"Free", "free"},
    Rule{"HostRegister", "pin"},    Rule{"HostUnregister", "pin"},
    Rule{"MemAlloc", "allocate"},   Rule{"MemFree", "free"},
    Rule{"MemCreate", "allocate"},  Rule{"MemRelease", "free"},
    Rule{"MemMap", "map"},          Rule{"MemUnmap", "map"},
    Rule{"MemSetAccess", "map"},    Rule{"MemAddressReserve", "map"},
    Rule{"MemAddressFree", "map"},  Rule{"MemHostAlloc", "allocate"},
    Rule{"MemHostRegister", "pin"}, Rule{"MemHostUnregister", "pin"},
    Rule{"MemPoolTrimTo", "free"},
};
constexpr std::array kOfSycl = {
    Rule{"MemAlloc", "allocate"},       Rule{"MemFree", "free"},
    Rule{"USMHostAlloc", "allocate"},   Rule{"USMDeviceAlloc", "allocate"},
    Rule{"USMSharedAlloc", "allocate"}, Rule{"USMFree", "free"},
};

}  // namespace

std::optional<std::string_view> AllocatorAction(std::string_view name) {
  const auto find = [](std::string_view rest,
                       std::span<const Rule> rules) -> std::optional<std::string_view> {
    for (const Rule& rule : rules) {
      if (rest.starts_with(rule.begin)) return rule.action;
    }
    return std::nullopt;
  };
  for (const std::string_view prefix : {"cuda", "hip", "AscendCL@aclrt", "cu"}) {
    if (name.starts_with(prefix)) return find(name.substr(prefix.size()), kOfRuntime);
  }
  for (const std::string_view prefix : {"ze", "ur"}) {
    if (name.starts_with(prefix)) return find(name.substr(prefix.size()), kOfSycl);
  }
  return std::nullopt;
}

bool IsBlockingFree(std::string_view name) {
  return AllocatorAction(name) == "free" && name.find("Free") != std::string_view::npos &&
         name.find("Async") == std::string_view::npos && name.find("USM") == std::string_view::npos;
}

}  // namespace rankscope
