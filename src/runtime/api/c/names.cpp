// The C interface: versions, statuses, names of enumerators and of formats.
#include <array>

#include "runtime/api/c/boundary.h"

namespace warpjit::c_api {
namespace {

static_assert(same(Isa::pica200, WARPJIT_ISA_PICA200) && same(Isa::tesla, WARPJIT_ISA_TESLA) &&
              same(Isa::valhall, WARPJIT_ISA_VALHALL) && same(Isa::usse, WARPJIT_ISA_USSE));
static_assert(same(Stage::vertex, WARPJIT_STAGE_VERTEX - 1) &&
              same(Stage::fragment, WARPJIT_STAGE_FRAGMENT - 1));
static_assert(same(Work::rows, WARPJIT_WORK_ROWS) && same(Work::pixels, WARPJIT_WORK_PIXELS));
static_assert(same(EngineKind::jit, WARPJIT_JIT) && same(EngineKind::guest, WARPJIT_GUEST));
static_assert(same(Target::automatic, WARPJIT_TARGET_AUTOMATIC) &&
              same(Target::a64_fp16, WARPJIT_TARGET_A64_FP16));
static_assert(same(PrimitiveMode::point, WARPJIT_PRIMITIVES_POINT) &&
              same(PrimitiveMode::fixed, WARPJIT_PRIMITIVES_FIXED));

constexpr int kMostEnumerators = 16, kMostPixelFormats = static_cast<int>(kLastPixelFormat) + 1;
constexpr const char* kNoName = "?";

template <class Enum>
const char* name_of(std::int32_t value) {
  return value >= 0 && value < kMostEnumerators ? name(static_cast<Enum>(value)) : kNoName;
}

// By WARPJIT_NAMES_...
constexpr const char* (*kNames[])(std::int32_t) = {
    name_of<Isa>,
    [](std::int32_t stage) { return name_of<Stage>(stage > WARPJIT_STAGE_ANY ? stage - 1 : -1); },
    name_of<Work>,
    name_of<EngineKind>,
    name_of<Target>,
    name_of<PrimitiveMode>,
    [](std::int32_t format) {
      return format >= 0 && format < kMostPixelFormats ? name(static_cast<PixelFormat>(format)) : kNoName;
    },
};

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;

uint32_t warpjit_abi_version() { return WARPJIT_ABI_VERSION; }

void warpjit_version(uint32_t* major, uint32_t* minor, uint32_t* patch) {
  const Version v = version();
  if (major != nullptr) *major = v.major;
  if (minor != nullptr) *minor = v.minor;
  if (patch != nullptr) *patch = v.patch;
}

const char* warpjit_status_name(warpjit_status status) {
  if (status == WARPJIT_OK) return "ok";
  if (status == WARPJIT_PENDING) return "pending";
  if (status < WARPJIT_OK || status > status_of(ErrorCode::outside)) return kNoName;
  return name(static_cast<ErrorCode>(status - 1));
}

const char* warpjit_name(int32_t names, int32_t value) {
  return names >= 0 && names < std::ssize(kNames) ? kNames[names](value) : kNoName;
}

warpjit_status warpjit_parse_name(int32_t names, const char* text, int32_t* value, warpjit_error* error) {
  return call(error, {{text, "text"}, {value, "value"}}, [&]() -> Status {
    const std::string_view wanted = text;
    for (std::int32_t n = 0; wanted != kNoName && n < std::max(kMostEnumerators, kMostPixelFormats); ++n)
      if (wanted == warpjit_name(names, n)) {
        *value = n;
        return {};
      }
    return bad("there is no such name: '" + std::string(wanted) + "'", "text");
  });
}

size_t warpjit_component_size(int32_t type) {
  const Result<Format> known = format(type, 1);
  return known ? size(*known) : 0;
}

const char* warpjit_format_name(int32_t type, uint32_t components) {
  constexpr std::size_t kTypes = WARPJIT_S32 + 1;
  static const auto kFormats = [] {
    std::array<std::array<std::string, 4>, kTypes> names;
    for (std::size_t t = 0; t < kTypes; ++t)
      for (std::size_t c = 0; c < 4; ++c)
        names[t][c] = name(Format{static_cast<ComponentType>(t), static_cast<std::uint8_t>(c + 1)});
    return names;
  }();
  if (!format(type, components)) return kNoName;
  return kFormats[static_cast<std::size_t>(type)][components - 1].c_str();
}

warpjit_status warpjit_parse_format(const char* text, int32_t* type, uint32_t* components,
                                    warpjit_error* error) {
  return call(error, {{text, "text"}, {type, "type"}, {components, "components"}}, [&]() -> Status {
    const std::optional<Format> found = parse_format(text);
    if (!found) return bad("there is no such format: '" + std::string(text) + "'", "text");
    *type = static_cast<std::int32_t>(found->type);
    *components = found->components;
    return {};
  });
}
