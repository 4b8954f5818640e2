// The part of libcurl's C interface that we use, declared by hand. The program is built without
// libcurl's headers and starts without libcurl, since only S3 stores and sign-in by a provider need
// it. The numbers are part of libcurl's ABI and have never changed; curl_functions_test.cc compares
// them with curl.h if that is installed.
#pragma once

#include <cstddef>

#include "base/status.h"

namespace rankscope::fetch::curl {

using Handle = void;
struct List;  // curl_slist

// CURLoption
inline constexpr int kWriteData = 10001;
inline constexpr int kUrl = 10002;
inline constexpr int kReadData = 10009;
inline constexpr int kErrorBuffer = 10010;
inline constexpr int kUserAgent = 10018;
inline constexpr int kLowSpeedLimit = 19;
inline constexpr int kLowSpeedTime = 20;
inline constexpr int kHttpHeader = 10023;
inline constexpr int kHeaderData = 10029;
inline constexpr int kCustomRequest = 10036;
inline constexpr int kNoBody = 44;
inline constexpr int kUpload = 46;
inline constexpr int kFollowLocation = 52;
inline constexpr int kSslVerifyPeer = 64;
inline constexpr int kCaInfo = 10065;
inline constexpr int kSslVerifyHost = 81;
inline constexpr int kHttpVersion = 84;
inline constexpr int kNoSignal = 99;
inline constexpr int kTimeoutMs = 155;
inline constexpr int kConnectTimeoutMs = 156;
inline constexpr int kSeekData = 10168;
inline constexpr int kProtocols = 181;
inline constexpr int kPathAsIs = 234;
inline constexpr int kUploadBufferSize = 280;
inline constexpr int kWriteFunction = 20011;
inline constexpr int kReadFunction = 20012;
inline constexpr int kHeaderFunction = 20079;
inline constexpr int kSeekFunction = 20167;
inline constexpr int kInFileSizeLarge = 30115;
// CURLINFO
inline constexpr int kResponseCode = 0x200002;
// Values
inline constexpr long kHttp11 = 2;
inline constexpr long kProtocolHttp = 1;
inline constexpr long kProtocolHttps = 2;
inline constexpr long kGlobalDefault = 3;
inline constexpr std::size_t kErrorBytes = 256;
inline constexpr std::size_t kReadAbort = 0x10000000;
// CURLcode
inline constexpr int kOk = 0;
inline constexpr int kUnsupportedProtocol = 1;
inline constexpr int kMalformedUrl = 3;
inline constexpr int kWriteError = 23;
inline constexpr int kOutOfMemory = 27;
inline constexpr int kAbortedByCallback = 42;
inline constexpr int kPeerFailedVerification = 60;
inline constexpr int kSslCaCertBadFile = 77;

struct Functions {
  int (*global_init)(long flags);
  Handle* (*easy_init)();
  void (*easy_cleanup)(Handle*);
  void (*easy_reset)(Handle*);
  int (*easy_setopt)(Handle*, int option, ...);
  int (*easy_perform)(Handle*);
  int (*easy_getinfo)(Handle*, int info, ...);
  const char* (*easy_strerror)(int code);
  List* (*slist_append)(List*, const char*);
  void (*slist_free_all)(List*);
};

// Loads libcurl.so.4 on the first call; kResource with what to install if it is missing.
// Thread-safe; it stays loaded.
Result<const Functions*> Load();

}  // namespace rankscope::fetch::curl
