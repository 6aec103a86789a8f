// A validator for the part of JSON Schema (draft 2020-12) that docs/launch.schema.json uses. A keyword that
// it does not know is reported as a violation, so that the schema cannot outgrow it unnoticed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace warpjit::tool {

// The first violation ("/inputs/v0: ..."), or an empty string.
std::string validate(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace warpjit::tool
