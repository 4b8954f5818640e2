// The numbers that are declared by hand against libcurl's header, where that is installed.
#include "fetch/curl_functions.h"

#include <gtest/gtest.h>

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>

namespace rankscope::fetch {
namespace {

static_assert(curl::kWriteData == CURLOPT_WRITEDATA && curl::kUrl == CURLOPT_URL);
static_assert(curl::kReadData == CURLOPT_READDATA && curl::kErrorBuffer == CURLOPT_ERRORBUFFER);
static_assert(curl::kUserAgent == CURLOPT_USERAGENT && curl::kHttpHeader == CURLOPT_HTTPHEADER);
static_assert(curl::kLowSpeedLimit == CURLOPT_LOW_SPEED_LIMIT);
static_assert(curl::kLowSpeedTime == CURLOPT_LOW_SPEED_TIME);
static_assert(curl::kHeaderData == CURLOPT_HEADERDATA);
static_assert(curl::kCustomRequest == CURLOPT_CUSTOMREQUEST && curl::kNoBody == CURLOPT_NOBODY);
static_assert(curl::kUpload == CURLOPT_UPLOAD && curl::kFollowLocation == CURLOPT_FOLLOWLOCATION);
static_assert(curl::kSslVerifyPeer == CURLOPT_SSL_VERIFYPEER && curl::kCaInfo == CURLOPT_CAINFO);
static_assert(curl::kSslVerifyHost == CURLOPT_SSL_VERIFYHOST);
static_assert(curl::kHttpVersion == CURLOPT_HTTP_VERSION && curl::kNoSignal == CURLOPT_NOSIGNAL);
static_assert(curl::kTimeoutMs == CURLOPT_TIMEOUT_MS);
static_assert(curl::kConnectTimeoutMs == CURLOPT_CONNECTTIMEOUT_MS);
static_assert(curl::kSeekData == CURLOPT_SEEKDATA && curl::kPathAsIs == CURLOPT_PATH_AS_IS);
static_assert(curl::kProtocols == 181);  // CURLOPT_PROTOCOLS; naming it is told as out of date
static_assert(curl::kUploadBufferSize == CURLOPT_UPLOAD_BUFFERSIZE);
static_assert(curl::kWriteFunction == CURLOPT_WRITEFUNCTION);
static_assert(curl::kReadFunction == CURLOPT_READFUNCTION);
static_assert(curl::kHeaderFunction == CURLOPT_HEADERFUNCTION);
static_assert(curl::kSeekFunction == CURLOPT_SEEKFUNCTION);
static_assert(curl::kInFileSizeLarge == CURLOPT_INFILESIZE_LARGE);
static_assert(curl::kResponseCode == CURLINFO_RESPONSE_CODE);
static_assert(curl::kHttp11 == CURL_HTTP_VERSION_1_1 && curl::kProtocolHttp == CURLPROTO_HTTP);
static_assert(curl::kProtocolHttps == CURLPROTO_HTTPS);
static_assert(curl::kGlobalDefault == CURL_GLOBAL_DEFAULT);
static_assert(curl::kErrorBytes == CURL_ERROR_SIZE && curl::kReadAbort == CURL_READFUNC_ABORT);
static_assert(curl::kOk == CURLE_OK && curl::kUnsupportedProtocol == CURLE_UNSUPPORTED_PROTOCOL);
static_assert(curl::kMalformedUrl == CURLE_URL_MALFORMAT && curl::kWriteError == CURLE_WRITE_ERROR);
static_assert(curl::kOutOfMemory == CURLE_OUT_OF_MEMORY);
static_assert(curl::kAbortedByCallback == CURLE_ABORTED_BY_CALLBACK);
static_assert(curl::kPeerFailedVerification == CURLE_PEER_FAILED_VERIFICATION);
static_assert(curl::kSslCaCertBadFile == CURLE_SSL_CACERT_BADFILE);

TEST(Curl, NumbersAreThoseOfItsHeader) { SUCCEED(); }

}  // namespace
}  // namespace rankscope::fetch
#else
TEST(Curl, NumbersAreThoseOfItsHeader) { GTEST_SKIP() << "curl/curl.h is not installed"; }
#endif
