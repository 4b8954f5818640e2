#include "cli/arguments/request_arguments.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/arguments/durations.h"
#include "cli/arguments/server_arguments.h"
#include "cli/base/command.h"
#include "serving/base/words.h"

namespace rankscope::cli {

Status RequestArguments::TakeHeaders(http::Fields* fields) const {
  for (const std::string& text : headers_) {
    const std::size_t colon = text.find(':');
    const bool is_field = colon != std::string::npos && colon > 0 &&
                          text.find_first_of("\r\n") == std::string::npos &&
                          text.substr(0, colon).find(' ') == std::string::npos;
    if (!is_field)
      return Error(StatusCode::kInvalidArgument, "--header takes 'NAME: VALUE', not '{}'", text);
    fields->emplace_back(text.substr(0, colon),
                         std::string(Trimmed(std::string_view(text).substr(colon + 1))));
  }
  if (token_file_.empty()) return OkStatus();
  RS_ASSIGN_OR_RETURN(const std::string token, ReadToken(token_file_, "OPENAI_API_KEY"));
  fields->emplace_back("Authorization", "Bearer " + token);
  return OkStatus();
}

Status RequestArguments::TakeInto(load::LoadSpec& spec) const {
  spec.target = target_;
  RS_ASSIGN_OR_RETURN(spec.sessions.think, ParseDuration(think_));
  RS_RETURN_IF_ERROR(TakeHeaders(&spec.target.client.fields));
  spec.target.endpoint = endpoint_ == "chat"    ? load::Endpoint::kChat
                         : endpoint_ == "plain" ? load::Endpoint::kPlain
                                                : load::Endpoint::kCompletions;
  if (!spec.target.path.empty() && !spec.target.path.starts_with('/'))
    return Error(StatusCode::kInvalidArgument, "--path begins with '/'");
  if (!body_.empty()) {
    RS_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(body_));
    spec.target.body = file->text();
    if (spec.target.method == "GET") spec.target.method = "POST";
  }
  spec.target.is_streamed = !no_stream_;
  spec.target.forces_length = !free_length_;
  spec.prompt = {.mean = prompt_, .variation = prompt_variation_};
  spec.output = {.mean = output_tokens_, .variation = output_variation_};
  spec.shared_prefix = shared_;
  spec.sessions.turns = turns_;
  return OkStatus();
}

void RequestArguments::AddTo(CommandSpec& command) {
  command
      .AddOption("--endpoint", endpoint_,
                 "completions or chat of OpenAI's kind, or plain: any request")
      .OneOf({"completions", "chat", "plain"})
      .ShowDefault();
  command.AddOption("--model", target_.model, "that is asked (default: the first of /v1/models)");
  command.AddOption("--prompt-tokens", prompt_, "mean length of prompts")
      .Range(1, 10'000'000)
      .ShowDefault();
  command
      .AddOption("--prompt-variation", prompt_variation_,
                 "coefficient of variation of their length (log-normal)")
      .Range(0.0, 10.0)
      .ShowDefault();
  command.AddOption("--output-tokens", output_tokens_, "mean length of answers")
      .Range(1, 10'000'000)
      .ShowDefault();
  command
      .AddOption("--output-variation", output_variation_,
                 "coefficient of variation of their length")
      .Range(0.0, 10.0)
      .ShowDefault();
  command.AddOption("--shared-prefix", shared_, "tokens that all prompts begin with")
      .Range(0, 10'000'000);
  CommandOption& turns =
      command.AddOption("--turns", turns_, "of a conversation, each with all before it")
          .Range(1, 1000)
          .ShowDefault();
  command.AddOption("--think", think_, "from an answer to the next turn").Type("TIME").Needs(turns);
  command.AddOption("--extra", target_.extra, "members for the body, such as {\"temperature\": 0}")
      .Type("JSON");
  command.AddFlag("--no-stream", no_stream_, "answers come as a whole");
  command.AddFlag("--free-length", free_length_, "answers may end early (without ignore_eos)");
  command.AddOption("--path", target_.path, "in place of the endpoint's own");
  command.AddOption("--method", target_.method, "of plain requests")
      .OneOf({"GET", "POST", "PUT", "DELETE", "PATCH"})
      .ShowDefault();
  command.AddOption("--body", body_, "of plain requests").Type(kFileType);
  command.AddOption("--header", headers_, "'NAME: VALUE'; repeatable").Type("FIELD").OneEach();
  command.AddOption("--token-file", token_file_, "goes along as a bearer token").Type(kFileType);
  command.AddOption("--tls-ca", target_.client.ca_file, "certificates to trust, PEM")
      .Type(kFileType);
}

load::Arrivals ArrivalsOf(const std::string& text) {
  if (text == "constant") return load::Arrivals::kConstant;
  if (text == "gamma") return load::Arrivals::kGamma;
  return load::Arrivals::kPoisson;
}

}  // namespace rankscope::cli
