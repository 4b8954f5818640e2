#include "json/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/fields_for_test.h"
#include "json/schema.h"
#include "json/typescript.h"

namespace rankscope::json {
namespace {

using json_test::Call;
using json_test::Colour;
using json_test::LongReport;
using json_test::Order;
using json_test::Parcel;
using json_test::Record;
using json_test::Report;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string WrongOrder(std::string_view text) {
  const Result<Order> order = FromJson<Order>(text);
  EXPECT_FALSE(order.ok()) << text;
  EXPECT_EQ(order.status().code(), StatusCode::kInvalidArgument);
  return order.status().message();
}

TEST(FieldsOfRequest, AreReadOverTheDefaults) {
  const Result<Order> order =
      FromJson<Order>(R"({"buyer":"a","count":3,"ids":[4,5],"is_gift":true,"kind":null,)"
                      R"("wheels":[{},{"size":26.5,"maker":"m"}]})");
  ASSERT_TRUE(order.ok()) << order.status().message();
  EXPECT_EQ(order->name, "bike");
  EXPECT_EQ(order->count, 3);
  EXPECT_THAT(order->ids, ElementsAre(4, 5));
  EXPECT_EQ(order->kind, "new");
  EXPECT_TRUE(order->is_gift);
  ASSERT_EQ(order->wheels.size(), 2U);
  EXPECT_EQ(order->wheels[0].size, 1);
  EXPECT_EQ(order->wheels[1].size, 26.5);
}

TEST(FieldsOfRequest, RefuseWhatNobodyKnows) {
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","nam":1})"),
            "nam: is not known here; known are name, count, ids, kind, is_gift, wheels, buyer");
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","wheels":[{},{"diameter":1}]})"),
            "wheels[1].diameter: is not known here; known are size, maker");
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","buyer":"b"})"), "buyer: stands there twice");
}

TEST(FieldsOfRequest, RefuseWhatIsOutOfBounds) {
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","count":10})"),
            "count: a whole number from 1 to 9 is needed");
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","count":"1"})"),
            "count: a whole number from 1 to 9 is needed");
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","ids":[0,-1]})"),
            "ids[1]: a whole number from 0 on is needed");
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","ids":[1,2,3,4]})"), "ids: up to 3 items are taken");
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","ids":7})"), "ids: a list is needed");
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","kind":"old"})"), "kind: one of 'new', 'used' is needed");
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","name":"12345678901"})"),
            "name: the text has 11 bytes; up to 10 are kept");
  EXPECT_EQ(WrongOrder(R"({"buyer":"a\u0001"})"), "buyer: the text has a control character");
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","is_gift":1})"), "is_gift: true or false is needed");
  EXPECT_EQ(WrongOrder(R"({"buyer":"a","wheels":[{"size":-1}]})"),
            "wheels[0].size: a number from 0 on is needed");
  EXPECT_EQ(WrongOrder("{}"), "buyer: is missing");
  EXPECT_EQ(WrongOrder("[]"), "the text: an object is needed");
}

TEST(FieldsOfRequest, CheckWhatCameAnotherWay) {
  Order order{.buyer = "a"};
  EXPECT_TRUE(FieldsOf<Order>().Check(order).ok());
  order.count = 0;
  EXPECT_EQ(FieldsOf<Order>().Check(order).message(),
            "count: a whole number from 1 to 9 is needed");
}

TEST(Fields, AreWrittenInTheirOrder) {
  EXPECT_EQ(ToJson(Order{.ids = {1}, .wheels = {{.size = 2}}}),
            R"({"name":"bike","count":1,"ids":[1],"kind":"new","is_gift":false,)"
            R"("wheels":[{"size":2,"maker":null}],"buyer":""})");
  EXPECT_EQ(ToJson(Record{.bytes = 5, .tags = {{"a", "b"}}}),
            R"({"colour":"green","bytes":5,"rank":null,"tags":{"a":"b"},"spare":null})");
  LongReport report;
  report.summary.text = R"({"x":[]})";
  EXPECT_EQ(ToJson(report),
            R"({"text":"none","number":7,"reasons":[],"busy":null,"summary":{"x":[]}})");
  report.hosts = 3;
  EXPECT_THAT(ToJson(report), HasSubstr(R"(,"hosts":3})"));
}

TEST(FieldsOfCall, PassOverWhatTheyDoNotKnow) {
  const Result<Call> call = FromJson<Call>(R"({"fn":"record","steps":3,"pids":[7]})");
  ASSERT_TRUE(call.ok()) << call.status().message();
  EXPECT_EQ(call->steps, 3);
  EXPECT_THAT(call->pids, ElementsAre(7));
  EXPECT_EQ(call->limit, 9);
  const Status wrong = FromJson<Call>(R"({"steps":-1})").status();
  EXPECT_EQ(wrong.message(), "steps: a whole number from 0 on is needed");
  EXPECT_EQ(wrong.code(), StatusCode::kInvalidArgument);
}

TEST(FieldsOfCall, LeaveOutDefaults) {
  EXPECT_EQ(ToJson(Call{}), R"({"limit":9})");
  EXPECT_EQ(ToJson(Call{.steps = 3, .pids = {7}}), R"({"steps":3,"pids":[7],"limit":9})");
}

TEST(FieldsOfRecord, NeedAllAndNoOthers) {
  const std::string text = ToJson(
      Record{.colour = Colour::kRed, .bytes = UINT64_MAX, .rank = 3, .spare = {{.size = 4}}});
  const Result<Record> record = FromJson<Record>(text);
  ASSERT_TRUE(record.ok()) << record.status().message();
  EXPECT_EQ(ToJson(*record), text);
  EXPECT_EQ(FromJson<Record>(R"({"colour":"red"})").status().message(), "bytes: is missing");
  EXPECT_EQ(FromJson<Record>(R"({"colour":"blue"})").status().message(),
            "colour: one of 'red', 'green' is needed");
  EXPECT_EQ(FromJson<Record>(R"({"colour":"red","bytes":-1})").status().code(),
            StatusCode::kBadData);
}

TEST(FieldsOfRecord, OfAnOlderFormatLackWhatCameLater) {
  Record record;
  const Result<Reader> old = Reader::Parse(R"({"colour":"red","bytes":1,"rank":null,"tags":{}})");
  EXPECT_TRUE(FieldsOf<Record>().Read(old->root(), record, 1).ok());
  EXPECT_EQ(FieldsOf<Record>().Read(old->root(), record, 2).message(), "spare: is missing");
  const Result<Reader> recent =
      Reader::Parse(R"({"colour":"red","bytes":1,"rank":null,"tags":{},"spare":null})");
  EXPECT_TRUE(FieldsOf<Record>().Read(recent->root(), record).ok());
  EXPECT_FALSE(FieldsOf<Record>().Read(recent->root(), record, 1).ok());
}

TEST(FieldsOfReport, PassOverWhatIsWrong) {
  const Result<Report> report = FromJson<Report>(
      R"({"text":"longer than five","number":101,"reasons":["a",1,"b\u0001","c","d"],"busy":"x",)"
      R"("later":true,"summary":[1, 2]})");
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->text, "longe");
  EXPECT_EQ(report->number, 7);
  EXPECT_THAT(report->reasons, ElementsAre("a", "c"));
  EXPECT_EQ(report->busy, std::nullopt);
  EXPECT_EQ(report->summary.text, "[1,2]");
}

TEST(Fields, OfARawValueAreDeclaredAndPassedThrough) {
  const Result<Parcel> parcel = FromJson<Parcel>(R"({"wheel":{"size":3,"spokes":28}})");
  ASSERT_TRUE(parcel.ok());
  EXPECT_EQ(ToJson(*parcel), R"({"wheel":{"size":3,"spokes":28}})");
  EXPECT_EQ(ToJson(Parcel()), R"({"wheel":null})");
  std::string schema;
  Writer writer(schema);
  WriteSchema(FieldsOf<Parcel>(), writer);
  EXPECT_THAT(schema, HasSubstr(R"("wheel":{"oneOf":[{"$ref":"#/components/schemas/Wheel"},)"
                                R"({"type":"null"}],"description":"unopened"})"));
  const FieldList* const lists[] = {&FieldsOf<Parcel>()};
  EXPECT_THAT(TypeScriptOf(lists), HasSubstr("readonly wheel: Wheel | null;"));
}

TEST(Fields, MakeSchemas) {
  std::string schema;
  Writer writer(schema);
  WriteSchema(FieldsOf<json_test::Wheel>(), writer);
  EXPECT_EQ(schema,
            R"({"type":"object","description":"a wheel","properties":{)"
            R"("size":{"type":"number","minimum":0,"description":"across","x-unit":"inch",)"
            R"("default":1},)"
            R"("maker":{"type":["string","null"],"description":"who made it","default":""}},)"
            R"("additionalProperties":false})");
  std::string record;
  Writer to_record(record);
  WriteSchema(FieldsOf<Record>(), to_record);
  EXPECT_THAT(record, HasSubstr(R"("colour":{"type":"string","enum":["red","green"]})"));
  EXPECT_THAT(record, HasSubstr(R"("rank":{"type":["integer","null"]})"));
  EXPECT_THAT(record, HasSubstr(R"("spare":{"oneOf":[{"$ref":"#/components/schemas/Wheel"},)"));
  EXPECT_TRUE(Reader::Parse(record).ok());
}

TEST(Fields, MakeSchemasThatNeedNoOthers) {
  std::string schema;
  Writer writer(schema);
  WriteWholeSchema(FieldsOf<Record>(), writer);
  const Result<Reader> read = Reader::Parse(schema);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->root()["properties"]["spare"]["oneOf"].At(0)["$ref"].Text(), "#/$defs/Wheel");
  EXPECT_EQ(read->root()["$defs"]["Wheel"]["properties"]["size"]["type"].Text(), "number");
  EXPECT_THAT(schema, Not(HasSubstr("components")));
  std::string wheel;
  Writer to_wheel(wheel);
  WriteWholeSchema(FieldsOf<json_test::Wheel>(), to_wheel);
  EXPECT_THAT(wheel, Not(HasSubstr("$defs")));
}

TEST(Fields, MakeTypesOfTypeScript) {
  const FieldList* const lists[] = {&FieldsOf<Order>(), &FieldsOf<LongReport>()};
  EXPECT_EQ(TypeScriptOf(lists),
            R"(// a wheel
export interface Wheel {
  readonly size?: number;  // across; in inch
  readonly maker?: string | null;  // who made it
}
export const wheelDefaults: Required<Wheel> = {"size":1,"maker":null};

// what is ordered
export interface Order {
  readonly name?: string;  // of the thing
  readonly count?: number;  // how many
  readonly ids?: readonly number[];
  readonly kind?: "new" | "used";
  readonly is_gift?: boolean;  // to be wrapped
  readonly wheels?: readonly Wheel[];
  readonly buyer: string;
}

// what is told
export interface Report {
  readonly text: string;
  readonly number: number;
  readonly reasons: readonly string[];
  readonly busy: number | null;
  readonly summary: unknown;
}

// what is told at length
export interface LongReport extends Report {
  readonly hosts?: number;
}
)");
}

}  // namespace
}  // namespace rankscope::json
