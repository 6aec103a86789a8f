#include "frontend/usse/facts/color.h"

#include <string>

namespace warpjit::usse {

Status check_color(const Program& program, PixelFormat target) {
  if (target == PixelFormat::none || program.has(Flag::output_undefined) || program.has(Flag::native_color))
    return {};
  const auto refused = [&](const std::string& what) {
    return Error{ErrorCode::unsupported, "a colour of " + what + " is not supported", program.source_name};
  };
  const ParameterType type = program.fragment.output_type;
  if (type == ParameterType::aggregate) return refused("this type");
  if ((type == ParameterType::u32 || type == ParameterType::s32) && !is_integer(target))
    return refused(std::string("integers of 32 bits for a target of ") + name(target));
  return {};
}

}  // namespace warpjit::usse
