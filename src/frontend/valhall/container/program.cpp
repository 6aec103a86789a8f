#include "frontend/valhall/container/program.h"

#include "frontend/encoding/names.h"
#include "frontend/valhall/encoding/decode.h"
#include "warpjit/pixels.hpp"

namespace warpjit::valhall {
namespace {

constexpr std::pair<Stage, std::string_view> kStageNames[] = {
    {Stage::compute, "compute"}, {Stage::vertex, "vertex"}, {Stage::fragment, "fragment"}};

}  // namespace

std::string_view stage_name(Stage stage) { return encoding::look_up(kStageNames, stage); }
std::optional<Stage> find_stage(std::string_view name) { return encoding::find_name(kStageNames, name); }

std::string Program::where(std::uint64_t address) const {
  const std::uint64_t index = address / 8;
  return where_byte(source_name, address, index < code.size() ? code[index] : 0);
}

Status check_limits(const Program& program) {
  const auto fail = [&](ErrorCode code, const char* message) {
    return Error{code, message, program.source_name};
  };
  if (program.code.empty()) return fail(ErrorCode::bad_input, "a program needs at least one word");
  if (program.code.size() > kMaxCodeWords) return fail(ErrorCode::resource_limit, "more code than 16 MiB");
  if (program.entry % 8 != 0 || program.entry / 8 >= program.code.size())
    return fail(ErrorCode::bad_input, "the entry is no word of the code");
  if (program.local_bytes > kMaxLocalBytes)
    return fail(ErrorCode::resource_limit, "a thread has at most 64 KiB of memory");
  if (program.shared_bytes > kMaxSharedBytes)
    return fail(ErrorCode::resource_limit, "a workgroup has at most 64 KiB of memory");
  if (!find_stage(stage_name(program.stage)))
    return fail(ErrorCode::unsupported, "this GPU has no programs for this stage");
  if ((program.fragment.samples != 1 && program.fragment.samples != 4) ||
      program.fragment.sample >= program.fragment.samples)
    return fail(ErrorCode::bad_input, "pixels have 1 or 4 samples, and a sample is one of these");
  for (const std::uint8_t target : program.fragment.blend_targets)
    if (target >= kMaxColorTargets && target != FragmentSetup::kNoTarget)
      return fail(ErrorCode::bad_input, "a blend descriptor names a colour target above 7");
  return {};
}

Result<Program> read_words(std::span<const std::byte> bytes, Stage stage, const std::string& file_name) {
  if (bytes.empty() || bytes.size() % 8 != 0)
    return Error{ErrorCode::bad_input,
                 "Valhall instructions are 8 bytes each, but there are " + std::to_string(bytes.size()),
                 file_name};
  if (bytes.size() / 8 > kMaxCodeWords)
    return Error{ErrorCode::resource_limit, "more code than 16 MiB", file_name};
  Program program{
      .stage = stage, .code = std::vector<std::uint64_t>(bytes.size() / 8), .source_name = file_name};
  for (std::size_t k = 0; k < bytes.size(); ++k)
    program.code[k / 8] |= std::to_integer<std::uint64_t>(bytes[k]) << (k % 8 * 8);
  return program;
}

std::vector<std::byte> write_words(const Program& program) {
  std::vector<std::byte> bytes(8 * program.code.size());
  for (std::size_t k = 0; k < bytes.size(); ++k)
    bytes[k] = static_cast<std::byte>(program.code[k / 8] >> (k % 8 * 8));
  return bytes;
}

}  // namespace warpjit::valhall
