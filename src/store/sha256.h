// SHA-256: the key of contents in the store, because it cannot be forged.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

struct evp_md_ctx_st;

namespace rankscope::store {

class Sha256 {
 public:
  Sha256();
  void Add(const void* data, std::size_t size);
  void Add(std::string_view text) { Add(text.data(), text.size()); }
  // 64 lower-case digits. Do not add data afterwards.
  std::string Hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string Sha256Of(std::string_view text);
Result<std::string> Sha256OfFile(const std::string& path);

// Whether a text has the form of Hex.
bool IsSha256(std::string_view text);

}  // namespace rankscope::store
