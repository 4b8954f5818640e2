// Errors as values. A Status is OK or a code with one clear sentence; a Result<T> is a T or such a
// Status.
//
//   Result<Table> Load(...);
//   RS_ASSIGN_OR_RETURN(Table table, Load(...));
//
// The sentence names the file and place if there is one, the problem and the remedy. Library code
// neither prints nor throws.
#pragma once

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace rankscope {

enum class StatusCode : unsigned char {
  kOk,
  kInvalidArgument,  // the caller asked for something that makes no sense: a usage error
  kNotFound,         // a file, rank, analysis or column does not exist
  kBadData,          // the input cannot be used
  kIo,               // the operating system said no
  kResource,         // a limit of memory, disk or size was hit
  kCancelled,        // the user stopped it
  kInternal,
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : state_(std::make_unique<State>(State{code, std::move(message)})) {}
  Status(const Status& other)
      : state_(other.state_ ? std::make_unique<State>(*other.state_) : nullptr) {}
  Status(Status&&) noexcept = default;
  Status& operator=(const Status& other) {
    if (this != &other) state_ = other.state_ ? std::make_unique<State>(*other.state_) : nullptr;
    return *this;
  }
  Status& operator=(Status&&) noexcept = default;

  bool ok() const { return state_ == nullptr; }
  StatusCode code() const { return state_ ? state_->code : StatusCode::kOk; }
  const std::string& message() const {
    static const std::string kEmpty;
    return state_ ? state_->message : kEmpty;
  }

 private:
  struct State {
    StatusCode code;
    std::string message;
  };
  std::unique_ptr<State> state_;  // null = OK, so that the good path costs one word
};

inline Status OkStatus() { return {}; }

// Error(StatusCode::kIo, "cannot open {}: {}", path, why)
Status FormatError(StatusCode code, fmt::string_view format, fmt::format_args args);
template <typename... Args>
Status Error(StatusCode code, fmt::format_string<Args...> format, Args&&... args) {
  return FormatError(code, format, fmt::make_format_args(args...));
}

// Ends the program with the sentence of an unchecked error.
[[noreturn]] void DieOfError(const Status& status);

// An optional beside a Status takes one word more than a variant of both, but compiles in a
// fraction of the time.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(Status status)
      : status_(std::move(status)) {  // NOLINT: implicit on purpose, `return status;`
    RS_CHECK(!status_.ok(), "a Result made from an OK status");
  }
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U&&, T> &&
                                                    !std::is_same_v<std::decay_t<U>, Result> &&
                                                    !std::is_same_v<std::decay_t<U>, Status>>>
  Result(U&& value) : value_(std::in_place, std::forward<U>(value)) {}  // NOLINT

  bool ok() const { return value_.has_value(); }
  Status status() const { return status_; }
  T& value() & {
    DieIfNotOk();
    return *value_;
  }
  const T& value() const& {
    DieIfNotOk();
    return *value_;
  }
  T&& value() && {
    DieIfNotOk();
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  void DieIfNotOk() const {
    if (!ok()) [[unlikely]]
      DieOfError(status_);
  }

  Status status_;
  std::optional<T> value_;  // none: status_ says why
};

}  // namespace rankscope

#define RS_CONCAT_INNER(a, b) a##b
#define RS_CONCAT(a, b) RS_CONCAT_INNER(a, b)
#define RS_RETURN_IF_ERROR(expression)                                                   \
  do {                                                                                   \
    if (::rankscope::Status rs_status = (expression); !rs_status.ok()) return rs_status; \
  } while (false)
#define RS_ASSIGN_OR_RETURN(declaration, expression) \
  RS_ASSIGN_OR_RETURN_IMPL(RS_CONCAT(rs_result_, __LINE__), declaration, expression)
#define RS_ASSIGN_OR_RETURN_IMPL(result, declaration, expression) \
  auto result = (expression);                                     \
  if (!result.ok()) return result.status();                       \
  declaration = std::move(result).value()
