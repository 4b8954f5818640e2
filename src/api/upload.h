// A file of a run that the client puts directly into the content storage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

// The file to send, or sent.
struct DirectUpload {
  std::string sha256;  // of the file, hexadecimal
  std::int64_t bytes = 0;
};

struct UploadHeader {
  std::string name, value;
};
// The address: PUT with these headers, and a body of exactly this size.
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
