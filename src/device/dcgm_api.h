// The part of NVIDIA's Data Center GPU Manager that we call: names, types and constants as in
// dcgm_agent.h, dcgm_structs.h and dcgm_fields.h. Compared with the headers of DCGM 3 (3.3 of 2024)
// and 4 (of 2025), where all of this is identical: libdcgm.so.3 and libdcgm.so.4. DCGM 2 is not
// supported, since its dcgmWatchFields does not accept pipe counters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankscope::device::dcgm {

using Return = int;
inline constexpr Return kOk = 0;
inline constexpr Return kNotSupported = -6;
inline constexpr Return kUninitialized = -10;
inline constexpr Return kTimeout = -11;
inline constexpr Return kVersionMismatch = -12;
inline constexpr Return kNoData = -14;
inline constexpr Return kNotWatched = -16;
inline constexpr Return kGpuIsLost = -18;
inline constexpr Return kConnectionNotValid = -21;
inline constexpr Return kModuleNotLoaded = -33;
inline constexpr Return kProfilingNotSupported = -36;

using Handle = std::uintptr_t;
using Group = std::uintptr_t;       // of devices
using FieldGroup = std::uintptr_t;  // of fields
inline constexpr int kEmptyGroup = 1;
inline constexpr int kGpuEntity = 1;
inline constexpr unsigned kMostDevices = 32;

// A struct contains its own size and version.
constexpr unsigned VersionOf(std::size_t size, unsigned version) {
  return static_cast<unsigned>(size) | (version << 24U);
}

struct ConnectParams {  // dcgmConnectV2Params_v2
  unsigned version;
  unsigned persists;  // 1: watches outlive the connection
  unsigned timeout_ms;
  unsigned is_unix_socket;
};
static_assert(sizeof(ConnectParams) == 16);
inline constexpr unsigned kConnectVersion = VersionOf(sizeof(ConnectParams), 2);

struct FieldValue {  // dcgmFieldValue_v1
  unsigned version;
  unsigned short field;
  unsigned short type;
  Return status;
  std::int64_t unix_us;
  union {
    std::int64_t whole;
    double real;
    char text[256];
    char blob[4096];
  } value;
};
static_assert(offsetof(FieldValue, unix_us) == 16);
static_assert(offsetof(FieldValue, value) == 24);
static_assert(sizeof(FieldValue) == 4120);
inline constexpr unsigned short kReal = 'd';
inline constexpr unsigned short kWhole = 'i';
inline constexpr unsigned short kText = 's';

// Values from here on say why there is no number: unknown, not found, not supported, not
// permitted.
inline constexpr std::int64_t kBlank32 = 0x7ffffff0;
inline constexpr std::int64_t kBlank64 = 0x7ffffffffffffff0;
inline constexpr double kBlankReal = 140737488355328.0;
// Texts without a value: "<<<NULL>>>", "<<<NOT_SUPPORTED>>>".
inline constexpr char kBlankText[] = "<<<";

}  // namespace rankscope::device::dcgm
