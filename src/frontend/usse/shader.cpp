#include "frontend/usse/shader.h"

namespace warpjit::usse {
namespace {

Error does_not_run(const Program& program) {
  return {ErrorCode::unsupported, "USSE programs do not run yet: they can be listed and assembled",
          program.source_name};
}

}  // namespace

Status Shader::append_key(const frontend::Facts&, std::vector<std::byte>&) const {
  return does_not_run(program_);
}

Result<frontend::Shader::Translation> Shader::translate(const frontend::Facts&, bool) const {
  return does_not_run(program_);
}

Result<std::unique_ptr<frontend::GuestInterpreter>> Shader::prepare_guest(const frontend::Facts&) const {
  return does_not_run(program_);
}

}  // namespace warpjit::usse
