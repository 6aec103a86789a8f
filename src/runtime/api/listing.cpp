// Listings of programs of every guest.
#include "warpjit/listing.hpp"

#include "base/result.h"
#include "frontend/pica200/assembly/disassemble.h"
#include "frontend/pica200/assembly/fragment_text.h"
#include "frontend/pica200/fragment_shader.h"
#include "frontend/pica200/shader.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "frontend/tesla/shader.h"
#include "frontend/usse/assembly/disassemble.h"
#include "frontend/usse/shader.h"
#include "frontend/valhall/assembly/disassemble.h"
#include "frontend/valhall/shader.h"

namespace warpjit {

Result<std::string> disassemble(const Program& program) try {
  const frontend::Shader& shader = frontend::shader_of(program);
  switch (shader.isa()) {
    case Isa::pica200:
      if (shader.stage() == Stage::fragment)
        return pica200::list_fragment(static_cast<const pica200::FragmentShader&>(shader).state());
      return pica200::disassemble(static_cast<const pica200::Shader&>(shader).program());
    case Isa::tesla:
      return tesla::disassemble(static_cast<const tesla::Shader&>(shader).program());
    case Isa::valhall:
      return valhall::disassemble(static_cast<const valhall::Shader&>(shader).program());
    case Isa::usse:
      return usse::disassemble(static_cast<const usse::Shader&>(shader).program());
  }
  return Error{ErrorCode::internal, "no such guest", ""};
} catch (...) {
  return caught();
}

}  // namespace warpjit
