// Parsers for the bodies of S3's answers. Each accepts any input, and returns an error if it is not
// what it should be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::s3 {

// <Error>: why a request was refused.
struct Refusal {
  std::string code;     // "NoSuchKey"; "": the body was not from S3
  std::string message;  // shortened, without control bytes
};
Refusal ReadRefusal(std::string_view body);

struct Listed {
  std::string key;
  std::uint64_t bytes = 0;
  std::int64_t modified_s = 0;  // seconds since 1970
};

// A page of ListObjectsV2 (?list-type=2&encoding-type=url or without).
struct ListPage {
  std::vector<Listed> objects;
  std::string next;  // token of the next page; "": this is the last
};
Result<ListPage> ReadListPage(std::string_view body);

// A page of ListMultipartUploads: uploads that were begun and not completed.
struct BegunUpload {
  std::string key;
  std::string id;
  std::int64_t begun_s = 0;
};
struct UploadsPage {
  std::vector<BegunUpload> uploads;
  std::string next_key, next_id;  // "": this is the last
};
Result<UploadsPage> ReadUploadsPage(std::string_view body);

// The id of a new multipart upload.
Result<std::string> ReadUploadId(std::string_view body);
// For CompleteMultipartUpload and CopyObject, which may answer 200 with an <Error>: nullopt on
// success.
std::optional<Refusal> ReadDone(std::string_view body, std::string_view element);

// Parses "2009-10-12T17:50:30.000Z" and "Sat, 28 Nov 2026 18:54:47 GMT".
std::optional<std::int64_t> ParseIsoTime(std::string_view text);
std::optional<std::int64_t> ParseHttpTime(std::string_view text);

}  // namespace rankscope::s3
