// api_types FILE: writes the module of TypeScript by which the pages know the API.
#include <fmt/core.h>

#include <cstdio>

#include "api/again.h"
#include "api/capture.h"
#include "api/host.h"
#include "api/patch.h"
#include "api/request.h"
#include "api/run.h"
#include "api/sample.h"
#include "api/table_definition.h"
#include "api/timeline.h"
#include "api/tuning.h"
#include "base/file.h"
#include "json/typescript.h"
#include "json/writer.h"
#include "quantity/quantity.h"

namespace rankscope {
namespace {

std::string Quantities() {
  std::string text = "export const quantities = ";
  json::Writer writer(text);
  writer.BeginObject();
  for (const quantity::Quantity* const one : quantity::All()) {
    writer.Key(one->name).BeginObject();
    writer.Member("unit", one->unit).Member("text", one->text).EndObject();
  }
  writer.EndObject();
  return text + " as const;\nexport type QuantityName = keyof typeof quantities;\n";
}

// Those that a page sends or gets; what is in them follows.
std::string Module() {
  const json::FieldList* const lists[] = {&json::FieldsOf<api::HostList>(),
                                          &json::FieldsOf<api::HostMetrics>(),
                                          &json::FieldsOf<api::CaptureRequest>(),
                                          &json::FieldsOf<api::CaptureList>(),
                                          &json::FieldsOf<api::CaptureDetail>(),
                                          &json::FieldsOf<api::NewRun>(),
                                          &json::FieldsOf<api::RunChange>(),
                                          &json::FieldsOf<api::RunPage>(),
                                          &json::FieldsOf<api::RunFileList>(),
                                          &json::FieldsOf<api::Patch>(),
                                          &json::FieldsOf<api::TableDefinitionList>(),
                                          &json::FieldsOf<api::RunAgain>(),
                                          &json::FieldsOf<api::RunTuning>(),
                                          &json::FieldsOf<api::TimelineHits>(),
                                          &json::FieldsOf<api::Explanation>(),
                                          &json::FieldsOf<api::NewNote>(),
                                          &json::FieldsOf<api::NoteList>(),
                                          &json::FieldsOf<api::SavedQueryList>(),
                                          &json::FieldsOf<api::SampleList>(),
                                          &json::FieldsOf<api::Session>(),
                                          &json::FieldsOf<api::SignInWays>()};
  return "// Types of the server's API and the quantities that agents tell, made of their "
         "declarations "
         "in src/api and src/quantity.\n\n" +
         json::TypeScriptOf(lists) + "\n" + Quantities();
}

}  // namespace
}  // namespace rankscope

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: api_types FILE\n");
    return 2;
  }
  const rankscope::Status written = rankscope::WriteFileAtomically(argv[1], rankscope::Module());
  if (!written.ok()) fmt::print(stderr, "{}\n", written.message());
  return written.ok() ? 0 : 1;
}
