#include "schema.h"

#include <algorithm>
#include <regex>
#include <set>

namespace warpjit::tool {

namespace {

using nlohmann::json;

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  std::string check(const json& schema, const json& value, const std::string& path) const {
    static const std::set<std::string> known = {"$schema",
                                                "$id",
                                                "title",
                                                "description",
                                                "$defs",
                                                "$ref",
                                                "type",
                                                "const",
                                                "enum",
                                                "required",
                                                "properties",
                                                "patternProperties",
                                                "additionalProperties",
                                                "items",
                                                "minItems",
                                                "maxItems",
                                                "minimum",
                                                "maximum",
                                                "minLength",
                                                "pattern",
                                                "oneOf"};
    if (schema.is_boolean()) return schema.get<bool>() ? "" : path + ": not allowed";
    for (const auto& [keyword, content] : schema.items())
      if (!known.contains(keyword)) return path + ": the validator does not know '" + keyword + "'";
    if (schema.contains("$ref")) {
      const std::string reference = schema["$ref"].get<std::string>();
      if (const std::string problem = check(root_.at(json::json_pointer(reference.substr(1))), value, path);
          !problem.empty())
        return problem;
    }
    if (schema.contains("type") && !has_type(value, schema["type"].get<std::string>()))
      return path + ": must be of type " + schema["type"].get<std::string>();
    if (schema.contains("const") && value != schema["const"])
      return path + ": must be " + schema["const"].dump();
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      return path + ": must be one of " + schema["enum"].dump();
    if (const std::string problem = check_scalar(schema, value, path); !problem.empty()) return problem;
    if (schema.contains("oneOf")) {
      int matches = 0;
      for (const json& choice : schema["oneOf"]) matches += check(choice, value, path).empty();
      if (matches != 1) return path + ": matches " + std::to_string(matches) + " of the choices";
    }
    if (value.is_array()) return check_array(schema, value, path);
    return value.is_object() ? check_object(schema, value, path) : "";
  }

 private:
  static bool has_type(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "number") return value.is_number();
    return type == "integer" && value.is_number_integer();
  }

  static std::string check_scalar(const json& schema, const json& value, const std::string& path) {
    if (value.is_number()) {
      if (schema.contains("minimum") && value < schema["minimum"]) return path + ": too small";
      if (schema.contains("maximum") && value > schema["maximum"]) return path + ": too large";
    }
    if (!value.is_string()) return {};
    const std::string text = value.get<std::string>();
    if (schema.contains("minLength") && text.size() < schema["minLength"].get<std::size_t>())
      return path + ": too short";
    if (schema.contains("pattern") &&
        !std::regex_search(text, std::regex(schema["pattern"].get<std::string>())))
      return path + ": does not match " + schema["pattern"].dump();
    return {};
  }

  std::string check_array(const json& schema, const json& value, const std::string& path) const {
    if (schema.contains("minItems") && value.size() < schema["minItems"].get<std::size_t>())
      return path + ": too few items";
    if (schema.contains("maxItems") && value.size() > schema["maxItems"].get<std::size_t>())
      return path + ": too many items";
    if (!schema.contains("items")) return {};
    for (std::size_t k = 0; k < value.size(); ++k)
      if (const std::string problem = check(schema["items"], value[k], path + "/" + std::to_string(k));
          !problem.empty())
        return problem;
    return {};
  }

  std::string check_object(const json& schema, const json& value, const std::string& path) const {
    if (schema.contains("required"))
      for (const json& key : schema["required"])
        if (!value.contains(key.get<std::string>())) return path + ": " + key.dump() + " is missing";
    for (const auto& [key, item] : value.items()) {
      bool matched = false;
      std::string problem;
      if (schema.contains("properties") && schema["properties"].contains(key)) {
        matched = true;
        problem = check(schema["properties"][key], item, path + "/" + key);
      }
      if (problem.empty() && schema.contains("patternProperties"))
        for (const auto& [pattern, content] : schema["patternProperties"].items())
          if (std::regex_search(key, std::regex(pattern))) {
            matched = true;
            problem = check(content, item, path + "/" + key);
          }
      if (problem.empty() && !matched && schema.contains("additionalProperties"))
        problem = check(schema["additionalProperties"], item, path + "/" + key);
      if (!problem.empty()) return problem;
    }
    return {};
  }

  const json& root_;
};

}  // namespace

std::string validate(const json& schema, const json& value) {
  return Validator(schema).check(schema, value, "");
}

}  // namespace warpjit::tool
