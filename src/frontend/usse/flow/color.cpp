#include "frontend/usse/flow/color.h"

#include <string>

namespace warpjit::usse {

bool takes_integers(PixelFormat format) {
  switch (format) {
    case PixelFormat::rgba8i:
    case PixelFormat::rgba8ui:
    case PixelFormat::r32i:
    case PixelFormat::r32ui:
    case PixelFormat::rgba32i:
    case PixelFormat::rgba32ui:
      return true;
    default:
      return false;
  }
}

Status check_color(const Program& program, PixelFormat target) {
  if (target == PixelFormat::none || program.has(Flag::output_undefined) || program.has(Flag::native_color))
    return {};
  const auto refused = [&](const std::string& what) {
    return Error{ErrorCode::unsupported, "a colour of " + what + " is not supported", program.source_name};
  };
  const ParameterType type = program.fragment.output_type;
  if (type == ParameterType::aggregate) return refused("this type");
  if ((type == ParameterType::u32 || type == ParameterType::s32) && !takes_integers(target))
    return refused(std::string("integers of 32 bits for a target of ") + name(target));
  return {};
}

}  // namespace warpjit::usse
