// Version and the names of the public enumerations.
#include "warpjit/warpjit.hpp"

namespace warpjit {
namespace {

template <class Enum, std::size_t kCount>
std::optional<Enum> parse(std::string_view text, const char* const (&names)[kCount]) {
  for (std::size_t n = 0; n < kCount; ++n)
    if (text == names[n]) return static_cast<Enum>(n);
  return std::nullopt;
}
template <class Enum, std::size_t kCount>
const char* text_of(Enum value, const char* const (&names)[kCount]) {
  const auto index = static_cast<std::size_t>(value);
  return index < kCount ? names[index] : "?";
}

// In the order of the enumerators.
constexpr const char* kIsas[] = {"pica200", "tesla", "valhall", "usse"};
constexpr const char* kStages[] = {"vertex", "geometry", "compute", "fragment"};
constexpr const char* kWorks[] = {"rows", "draw", "primitives", "grid", "pixels"};
constexpr const char* kEngines[] = {"jit", "ir", "guest"};
constexpr const char* kTargetNames[] = {"automatic", "v3", "v4", "a64", "v4-fp16", "a64-fp16"};

constexpr const char* kPrimitiveModes[] = {"point", "variable", "fixed"};

}  // namespace

Version version() { return {WARPJIT_VERSION_MAJOR, WARPJIT_VERSION_MINOR, WARPJIT_VERSION_PATCH}; }

const char* name(Isa isa) { return text_of(isa, kIsas); }
const char* name(Stage stage) { return text_of(stage, kStages); }
const char* name(Work work) { return text_of(work, kWorks); }
const char* name(EngineKind engine) { return text_of(engine, kEngines); }
const char* name(Target target) { return text_of(target, kTargetNames); }
const char* name(PrimitiveMode mode) { return text_of(mode, kPrimitiveModes); }
std::optional<Isa> parse_isa(std::string_view text) { return parse<Isa>(text, kIsas); }
std::optional<Stage> parse_stage(std::string_view text) { return parse<Stage>(text, kStages); }
std::optional<EngineKind> parse_engine(std::string_view text) { return parse<EngineKind>(text, kEngines); }
std::optional<Target> parse_target(std::string_view text) { return parse<Target>(text, kTargetNames); }
std::optional<PrimitiveMode> parse_primitive_mode(std::string_view text) {
  return parse<PrimitiveMode>(text, kPrimitiveModes);
}

}  // namespace warpjit
