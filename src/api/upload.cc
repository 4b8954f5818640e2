#include "api/upload.h"

#include "json/fields.h"

namespace rankscope::json {

using api::DirectUpload;
using api::UploadAddress;
using api::UploadHeader;

template <>
const Fields<DirectUpload>& FieldsOf() {
  using T = DirectUpload;
  static const Fields<T> fields =
      Fields<T>("DirectUpload", "a file that its sender puts into the store", Use::kRequest)
          .Add<&T::sha256>({.name = "sha256",
                            .doc = "of its content, hexadecimal",
                            .most_bytes = 64,
                            .is_required = true})
          .Add<&T::bytes>({.name = "bytes",
                           .doc = "how long it is",
                           .unit = "bytes",
                           .least = 0,
                           .is_required = true});
  return fields;
}

template <>
const Fields<UploadHeader>& FieldsOf() {
  using T = UploadHeader;
  static const Fields<T> fields =
      Fields<T>("UploadHeader", "of a request", Use::kReport)
          .Add<&T::name>({.name = "name", .doc = "name of the header"})
          .Add<&T::value>({.name = "value", .doc = "value of the header"});
  return fields;
}

template <>
const Fields<UploadAddress>& FieldsOf() {
  using T = UploadAddress;
  static const Fields<T> fields =
      Fields<T>("UploadAddress", "where a file is to be PUT", Use::kReport)
          .Add<&T::url>({.name = "url", .doc = "in the store of contents", .most_bytes = 8000})
          .Add<&T::headers>({.name = "headers", .doc = "to be sent with it", .most_items = 16})
          .Add<&T::valid_s>({.name = "valid_s", .doc = "from now on", .unit = "s"});
  return fields;
}

}  // namespace rankscope::json
