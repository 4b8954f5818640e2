// A file of a run that its sender puts into the store of contents, without a server in between.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

// What is to be sent, or was.
struct DirectUpload {
  std::string sha256;  // of the file, hexadecimal
  std::int64_t bytes = 0;
};

struct UploadHeader {
  std::string name, value;
};
// Where to: PUT with these headers, and a body of exactly as many bytes.
struct UploadAddress {
  std::string url;
  std::vector<UploadHeader> headers;
  std::int64_t valid_s = 0;  // from now on
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::DirectUpload>& FieldsOf();
template <>
const Fields<api::UploadHeader>& FieldsOf();
template <>
const Fields<api::UploadAddress>& FieldsOf();

}  // namespace rankscope::json
