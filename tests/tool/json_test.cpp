// The tool's JSON values.
#include "json.h"

#include <gtest/gtest.h>

namespace warpjit::tool {
namespace {

TEST(Json, BracesAreObjectsOrArrays) {
  const Json object{{"b", 1}, {"a", {1U, -2, 0.5}}, {"c", nullptr}};
  EXPECT_EQ(object.dump(), R"({"b":1,"a":[1,-2,0.5],"c":null})");
  const Json array{1, "two", true};
  EXPECT_EQ(array.dump(), R"([1,"two",true])");
  EXPECT_EQ(Json({{"a", 1}, {"b"}}).dump(), R"([["a",1],["b"]])");  // not all items are pairs
  EXPECT_EQ(object.dump(1), "{\n \"b\": 1,\n \"a\": [\n  1,\n  -2,\n  0.5\n ],\n \"c\": null\n}");
  EXPECT_EQ(Json::array().dump(2), "[]");
}

TEST(Json, MembersKeepTheirOrder) {
  Json json;
  json["z"] = 1;
  json["a"] = std::vector<std::uint32_t>{7, 8};
  json["z"] = "again";
  EXPECT_EQ(json.dump(), R"({"z":"again","a":[7,8]})");
  EXPECT_TRUE(json.contains("a"));
  EXPECT_EQ(json.find("b"), nullptr);
  json.update({{"a", false}, {"q", 1.0}});
  json.erase("z");
  EXPECT_EQ(json.dump(), R"({"a":false,"q":1.0})");
  const Json copy = json;
  json["a"] = true;
  EXPECT_NE(copy, json);
  EXPECT_TRUE(copy["missing"].is_null());
}

TEST(Json, NumbersAreEqualByValue) {
  EXPECT_EQ(Json(1), Json(1U));
  EXPECT_EQ(Json(2), Json(2.0));
  EXPECT_NE(Json(-1), Json(~std::uint64_t{0}));
  EXPECT_NE(Json(1), Json("1"));
}

TEST(Json, Parse) {
  const auto json = parse_json(R"({"a": [1, -2, 2.5, "\u00e9", null, true], "b": {}})", "x.json");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->dump(), "{\"a\":[1,-2,2.5,\"\xc3\xa9\",null,true],\"b\":{}}");
  EXPECT_EQ((*json)["a"][std::size_t{0}].type(), Json::Type::natural);
  EXPECT_EQ((*json)["a"][std::size_t{1}].type(), Json::Type::integer);
  const auto message = [](std::string_view text) {
    const auto refused = parse_json(text, "x.json");
    return refused ? std::string() : to_string(refused.error());
  };
  EXPECT_EQ(message(R"({"a":1,"a":2})"), "x.json: key 'a' appears twice in one object");
  EXPECT_EQ(message(std::string(17, '[')), "x.json: nested deeper than 16");
  EXPECT_EQ(message(std::string(16, '[') + std::string(16, ']')), "");
  EXPECT_NE(message("{").find("x.json: not valid JSON: parse error at line 1"), std::string::npos);
  EXPECT_NE(message("[1e999]").find("not valid JSON"), std::string::npos);
}

}  // namespace
}  // namespace warpjit::tool
