#include "support/pica_cases.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/source_dir.h"

namespace warpjit::tests {
namespace {

using nlohmann::json;
using namespace pica200;

std::uint32_t word(const json& value) {
  if (value.is_string()) return static_cast<std::uint32_t>(std::stoul(value.get<std::string>(), nullptr, 0));
  return static_cast<std::uint32_t>(value.get<std::int64_t>());
}

void read_vector(const json& value, float (&out)[4]) {
  for (std::size_t k = 0; k < 4; ++k) out[k] = std::bit_cast<float>(word(value.at(k)));
}

PicaExpectation read_expectation(const json& in) {
  PicaExpectation result;
  result.reg = in.at("reg");
  if (in.contains("comp"))
    result.component = static_cast<int>(std::string_view("xyzw").find(in["comp"].get<std::string>()));
  const std::string kind = in.at("kind");
  using Kind = PicaExpectation::Kind;
  result.kind = kind == "eq"       ? Kind::equal
                : kind == "bits"   ? Kind::bits
                : kind == "nan"    ? Kind::nan
                : kind == "inf"    ? Kind::infinite
                : kind == "approx" ? Kind::approximate
                                   : Kind::integer;
  if (in.contains("value")) result.value = word(in["value"]);
  result.relative = in.value("rel", 0.0);
  result.absolute = in.value("abs", 0.0);
  return result;
}

PicaRun read_run(const json& in) {
  PicaRun result;
  const json& inputs = in.at("inputs");
  for (std::size_t k = 0; k < inputs.size() && k < 16; ++k) read_vector(inputs[k], result.start.v[k]);
  if (in.contains("init"))
    for (std::size_t k = 0; k < 2; ++k) result.start.cmp[k] = in["init"].at("cc").at(k).get<int>() != 0;
  for (const json& entry : in.at("expect")) {
    result.expect.push_back(read_expectation(entry));
    result.geometry |= result.expect.back().reg.starts_with("emit.");
  }
  if (in.contains("expect_triangles")) {
    result.geometry = true;
    for (const json& entry : in["expect_triangles"]) {
      PicaRun::Triangle& triangle = result.triangles.emplace_back();
      triangle.inverted = word(entry.at("inv")) != 0;
      for (std::size_t vertex = 0; vertex < 3; ++vertex)
        for (std::size_t k = 0; k < 4; ++k) triangle.words[vertex][k] = word(entry.at("o0").at(vertex).at(k));
    }
  }
  return result;
}

PicaCase read_case(const json& in) {
  PicaCase result;
  result.name = in.at("name");
  result.tier = in.at("tier");
  result.program.source_name = result.name;
  for (const json& entry : in.at("program")) result.program.code.push_back(word(entry));
  for (const json& entry : in.at("opdesc")) result.program.descriptors.push_back(word(entry));
  result.program.entry = word(in.at("entry"));
  const json& uniforms = in.at("uniforms");
  for (const auto& [key, value] : uniforms.at("f").items())
    read_vector(value, result.uniforms.c[std::stoul(key)]);
  for (const auto& [key, value] : uniforms.at("i").items())
    for (std::size_t k = 0; k < 4; ++k)
      result.uniforms.i[std::stoul(key)][k] = static_cast<std::uint8_t>(word(value.at(k)));
  result.uniforms.b = static_cast<std::uint16_t>(word(uniforms.at("b")));
  for (const json& run : in.at("runs")) result.runs.push_back(read_run(run));
  return result;
}

}  // namespace

std::string pica_cases_path() { return tests::shared_file("corpus/pica200/tests.json"); }

Result<std::vector<PicaCase>> load_pica_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{ErrorCode::io, "cannot be opened", path};
  std::vector<PicaCase> cases;
  try {  // nlohmann-json throws
    const json document = json::parse(file);
    for (const json& entry : document.at("cases")) cases.push_back(read_case(entry));
  } catch (const std::exception& exception) {
    return Error{ErrorCode::bad_input, exception.what(), path};
  }
  return cases;
}

std::optional<std::string> mismatch(const PicaExpectation& expected, const ThreadState& state) {
  using Kind = PicaExpectation::Kind;
  const auto report = [&](const std::string& got, const std::string& wanted) {
    std::string text = expected.reg;
    if (expected.component >= 0) text += std::string(".") + "xyzw"[expected.component];
    return text + ": got " + got + ", wanted " + wanted;
  };
  if (expected.kind == Kind::integer) {
    if (expected.reg != "aL") return "no integer register " + expected.reg;
    const auto wanted = static_cast<std::int32_t>(expected.value);
    if (state.aL == wanted) return std::nullopt;
    return report(std::to_string(state.aL), std::to_string(wanted));
  }
  const auto reg = parse_register(expected.reg);
  if (!reg || (reg->file != RegisterFile::o && reg->file != RegisterFile::r) || expected.component < 0)
    return "no register " + expected.reg;
  const float got = (reg->file == RegisterFile::o ? state.o : state.r)[reg->index][expected.component];
  const float wanted = std::bit_cast<float>(expected.value);
  bool ok = false;
  switch (expected.kind) {
    case Kind::equal:
      ok = got == wanted;
      break;
    case Kind::bits:
      ok = std::bit_cast<std::uint32_t>(got) == expected.value;
      break;
    case Kind::nan:
      ok = std::isnan(got);
      break;
    case Kind::infinite:
      ok = std::isinf(got);
      break;
    case Kind::approximate: {
      const double limit =
          std::max(expected.relative * std::fabs(static_cast<double>(wanted)), expected.absolute);
      ok = std::fabs(static_cast<double>(got) - static_cast<double>(wanted)) <= limit;
      break;
    }
    case Kind::integer:
      break;
  }
  if (ok) return std::nullopt;
  return report(std::to_string(got), std::to_string(wanted));
}

}  // namespace warpjit::tests
