// The C interface: programs of any container, their names and what they need.
#include "runtime/api/c/boundary.h"
#include "warpjit/tesla.hpp"
#include "warpjit/usse.h"
#include "warpjit/usse.hpp"
#include "warpjit/valhall.hpp"

namespace warpjit::c_api {
namespace {

const char* or_empty(const char* text) { return text != nullptr ? text : ""; }

// `flags`: those that this loader takes.
Result<Selection> selection(const warpjit_program_choice& wanted, std::uint32_t flags) {
  WARPJIT_CHECK(check_flags(wanted.flags, flags));
  Selection made;
  made.entry = or_empty(wanted.entry);
  made.source_name = or_empty(wanted.source_name);
  if (wanted.position != 0) made.index = wanted.position - 1;
  if (wanted.stage != WARPJIT_STAGE_ANY) {
    WARPJIT_TRY(made.stage, enumerator(std::int64_t{wanted.stage} - 1, Stage::fragment, "stage"));
  }
  return made;
}
Result<Selection> selection(const warpjit_program_choice* choice) {
  WARPJIT_TRY(const warpjit_program_choice wanted, read(choice, "choice"));
  return selection(wanted, 0);
}

constexpr std::uint32_t kPica200Flags = WARPJIT_PROGRAM_F24 | WARPJIT_PROGRAM_STRUCTURAL_SCOPES;

pica200::Modes pica200_modes(std::uint32_t flags) {
  return {.f24 = (flags & WARPJIT_PROGRAM_F24) != 0,
          .structural_scopes = (flags & WARPJIT_PROGRAM_STRUCTURAL_SCOPES) != 0};
}

Result<tesla::Modes> tesla_modes(const warpjit_tesla_modes* from) {
  WARPJIT_TRY(const warpjit_tesla_modes wanted, read(from, "modes"));
  WARPJIT_CHECK(check_flags(wanted.flags, WARPJIT_TESLA_SATURATED_NAN_IS_ZERO | WARPJIT_TESLA_ZERO_WINS |
                                              WARPJIT_TESLA_INFINITE_DERIVATIVES | WARPJIT_TESLA_FAST_FMAD |
                                              WARPJIT_TESLA_FAST_SFU | WARPJIT_TESLA_LINKED_SAMPLERS));
  tesla::Modes modes;
  modes.saturated_nan_is_zero = (wanted.flags & WARPJIT_TESLA_SATURATED_NAN_IS_ZERO) != 0;
  modes.zero_wins = (wanted.flags & WARPJIT_TESLA_ZERO_WINS) != 0;
  modes.infinite_derivatives = (wanted.flags & WARPJIT_TESLA_INFINITE_DERIVATIVES) != 0;
  modes.fast_fmad = (wanted.flags & WARPJIT_TESLA_FAST_FMAD) != 0;
  modes.fast_sfu = (wanted.flags & WARPJIT_TESLA_FAST_SFU) != 0;
  modes.linked_samplers = (wanted.flags & WARPJIT_TESLA_LINKED_SAMPLERS) != 0;
  if (wanted.call_limit != 0) modes.call_limit = wanted.call_limit;
  return modes;
}

// Members that are numbers or flags in both structs.
template <class To>
struct GraphicsMember {
  std::uint32_t warpjit_tesla_graphics::*from;
  To tesla::GraphicsState::*to;
};
using State = tesla::GraphicsState;
using CState = warpjit_tesla_graphics;
constexpr GraphicsMember<std::uint32_t> kGraphicsNumbers[] = {
    {&CState::builtin_attributes, &State::builtin_attributes},
    {&CState::geometry_output, &State::geometry_output},
    {&CState::geometry_vertices, &State::geometry_vertices},
    {&CState::interpolants, &State::interpolants},
    {&CState::fragment_control, &State::fragment_control},
    {&CState::fragment_results, &State::fragment_results},
    {&CState::primitive_id_slot, &State::primitive_id_slot},
    {&CState::color_slots, &State::color_slots}};
constexpr GraphicsMember<bool> kGraphicsFlags[] = {
    {&CState::geometry_enabled, &State::geometry_enabled},
    {&CState::pixel_center_integer, &State::pixel_center_integer},
    {&CState::two_sided, &State::two_sided},
    {&CState::point_sprites, &State::point_sprites},
    {&CState::point_upper_left, &State::point_upper_left}};

Result<tesla::GraphicsState> tesla_graphics(const warpjit_tesla_graphics* from) {
  tesla::GraphicsState state;
  if (from == nullptr) return state;
  WARPJIT_TRY(const warpjit_tesla_graphics wanted, read(from, "graphics"));
  for (const auto& member : kGraphicsNumbers) state.*member.to = wanted.*member.from;
  for (const auto& member : kGraphicsFlags) state.*member.to = wanted.*member.from != 0;
  std::copy(std::begin(wanted.attributes), std::end(wanted.attributes), state.attributes.begin());
  std::copy(std::begin(wanted.noperspective), std::end(wanted.noperspective), state.noperspective.begin());
  std::copy(std::begin(wanted.point_coordinates), std::end(wanted.point_coordinates),
            state.point_coordinates.begin());
  WARPJIT_TRY(const auto vertex, array(wanted.vertex_results, wanted.vertex_result_count, "vertex_results"));
  WARPJIT_TRY(const auto geometry,
              array(wanted.geometry_results, wanted.geometry_result_count, "geometry_results"));
  state.vertex_results.assign(vertex.begin(), vertex.end());
  state.geometry_results.assign(geometry.begin(), geometry.end());
  return state;
}

valhall::FloatMode valhall_mode(std::uint32_t flags) {
  return {.flush_single = (flags & WARPJIT_VALHALL_FLUSH_SINGLE) != 0,
          .flush_half = (flags & WARPJIT_VALHALL_FLUSH_HALF) != 0,
          .suppress_nan = (flags & WARPJIT_VALHALL_SUPPRESS_NAN) != 0,
          .suppress_infinity = (flags & WARPJIT_VALHALL_SUPPRESS_INFINITY) != 0};
}

std::span<const Symbol> symbols(const warpjit_program* program, std::int32_t kind) {
  if (program == nullptr) return {};
  switch (kind) {
    case WARPJIT_INPUT:
      return program->program.inputs();
    case WARPJIT_OUTPUT:
      return program->program.outputs();
    case WARPJIT_UNIFORM:
      return program->program.uniforms();
    default:
      return {};
  }
}

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;

warpjit_status warpjit_program_load(const void* bytes, size_t byte_count,
                                    const warpjit_program_choice* choice, warpjit_program** program,
                                    warpjit_error* error) {
  return make(program, "program", error, {}, [&]() -> Result<Program> {
    WARPJIT_TRY(const std::span<const std::byte> data, bytes_at(bytes, byte_count));
    WARPJIT_TRY(const Selection wanted, selection(choice));
    return Program::load(data, wanted);
  });
}

warpjit_status warpjit_program_from_shbin(const void* bytes, size_t byte_count,
                                          const warpjit_program_choice* choice, warpjit_program** program,
                                          warpjit_error* error) {
  return make(program, "program", error, {}, [&]() -> Result<Program> {
    WARPJIT_TRY(const std::span<const std::byte> data, bytes_at(bytes, byte_count));
    WARPJIT_TRY(const warpjit_program_choice wanted, read(choice, "choice"));
    WARPJIT_TRY(const Selection made, selection(wanted, kPica200Flags));
    return pica200::load_shbin(data, made, pica200_modes(wanted.flags));
  });
}

warpjit_status warpjit_program_from_pica200_assembly(const char* text, const warpjit_program_choice* choice,
                                                     warpjit_program** program, warpjit_error* error) {
  return make(program, "program", error, {{text, "text"}}, [&]() -> Result<Program> {
    WARPJIT_TRY(const warpjit_program_choice wanted, read(choice, "choice"));
    WARPJIT_TRY(const Selection selected, selection(wanted, kPica200Flags));
    return pica200::load_assembly(text, selected, pica200_modes(wanted.flags));
  });
}

warpjit_status warpjit_program_from_words(const warpjit_program_words* words, warpjit_program** program,
                                          warpjit_error* error) {
  return make(program, "program", error, {{words, "words"}}, [&]() -> Result<Program> {
    WARPJIT_TRY(const warpjit_program_words wanted, read(words, "words"));
    WARPJIT_CHECK(check_flags(wanted.flags, kPica200Flags));
    if (wanted.isa != WARPJIT_ISA_PICA200) return bad("these are words of the PICA200", "isa");
    pica200::RawProgram raw;
    WARPJIT_TRY(raw.code, array(wanted.code, wanted.code_count, "code"));
    WARPJIT_TRY(raw.descriptors, array(wanted.descriptors, wanted.descriptor_count, "descriptors"));
    raw.entry = wanted.entry;
    if (wanted.stage != WARPJIT_STAGE_ANY) {
      WARPJIT_TRY(raw.stage, enumerator(std::int64_t{wanted.stage} - 1, Stage::fragment, "stage"));
    }
    raw.source_name = or_empty(wanted.source_name);
    return pica200::load_words(raw, pica200_modes(wanted.flags));
  });
}

warpjit_status warpjit_program_from_cubin(const void* bytes, size_t byte_count,
                                          const warpjit_program_choice* choice,
                                          const warpjit_tesla_modes* modes, warpjit_program** program,
                                          warpjit_error* error) {
  return make(program, "program", error, {}, [&]() -> Result<Program> {
    WARPJIT_TRY(const std::span<const std::byte> data, bytes_at(bytes, byte_count));
    WARPJIT_TRY(const Selection made, selection(choice));
    WARPJIT_TRY(const tesla::Modes chip, tesla_modes(modes));
    return tesla::load_cubin(data, made, chip);
  });
}

warpjit_status warpjit_program_from_tesla_assembly(const char* text, const warpjit_program_choice* choice,
                                                   const warpjit_tesla_modes* modes,
                                                   warpjit_program** program, warpjit_error* error) {
  return make(program, "program", error, {{text, "text"}}, [&]() -> Result<Program> {
    WARPJIT_TRY(const Selection made, selection(choice));
    WARPJIT_TRY(const tesla::Modes chip, tesla_modes(modes));
    return tesla::load_assembly(text, made, chip);
  });
}

warpjit_status warpjit_program_from_tesla_words(const warpjit_tesla_words* words,
                                                const warpjit_tesla_modes* modes, warpjit_program** program,
                                                warpjit_error* error) {
  return make(program, "program", error, {{words, "words"}}, [&]() -> Result<Program> {
    WARPJIT_TRY(const warpjit_tesla_words wanted, read(words, "words"));
    WARPJIT_TRY(const tesla::Modes chip, tesla_modes(modes));
    tesla::RawProgram raw;
    WARPJIT_TRY(raw.code, array(wanted.code, wanted.code_count, "code"));
    raw.entry = wanted.entry;
    if (wanted.registers != 0) raw.registers = wanted.registers;
    raw.shared_bytes = wanted.shared_bytes;
    raw.local_bytes = wanted.local_bytes;
    raw.source_name = or_empty(wanted.source_name);
    if (wanted.stage != WARPJIT_STAGE_ANY) {
      WARPJIT_TRY(raw.stage, enumerator(std::int64_t{wanted.stage} - 1, Stage::fragment, "stage"));
    }
    WARPJIT_TRY(raw.graphics, tesla_graphics(wanted.graphics));
    return tesla::load_words(raw, chip);
  });
}

warpjit_status warpjit_tesla_default_graphics(warpjit_tesla_graphics* graphics, warpjit_error* error) {
  return fill(graphics, "graphics", error, {}, []() -> Result<warpjit_tesla_graphics> {
    const tesla::GraphicsState state;
    warpjit_tesla_graphics to{};
    for (const auto& member : kGraphicsNumbers) to.*member.from = state.*member.to;
    for (const auto& member : kGraphicsFlags) to.*member.from = state.*member.to ? 1 : 0;
    return to;
  });
}

warpjit_status warpjit_program_from_valhall_words(const warpjit_valhall_words* words,
                                                  warpjit_program** program, warpjit_error* error) {
  return make(program, "program", error, {{words, "words"}}, [&]() -> Result<Program> {
    WARPJIT_TRY(const warpjit_valhall_words wanted, read(words, "words"));
    WARPJIT_CHECK(check_flags(wanted.flags, WARPJIT_VALHALL_FLUSH_SINGLE | WARPJIT_VALHALL_FLUSH_HALF |
                                                WARPJIT_VALHALL_SUPPRESS_NAN |
                                                WARPJIT_VALHALL_SUPPRESS_INFINITY |
                                                WARPJIT_VALHALL_POINTS_FROM_BOTTOM));
    valhall::RawProgram raw;
    WARPJIT_TRY(raw.code, array(wanted.code, wanted.code_count, "code"));
    raw.address = wanted.address;
    raw.entry = wanted.entry;
    raw.local_bytes = wanted.local_bytes;
    raw.shared_bytes = wanted.shared_bytes;
    raw.mode = valhall_mode(wanted.flags);
    raw.fragment.points_from_bottom = (wanted.flags & WARPJIT_VALHALL_POINTS_FROM_BOTTOM) != 0;
    for (std::size_t k = 0; wanted.blend_targets != nullptr && k < raw.fragment.blend_targets.size(); ++k) {
      const std::int32_t target = wanted.blend_targets[k];
      if (target < -1 || target >= static_cast<std::int32_t>(kMaxColorTargets))
        return Error{ErrorCode::bad_input, "there is no colour target " + std::to_string(target),
                     "blend_targets"};
      raw.fragment.blend_targets[k] =
          target < 0 ? valhall::FragmentSetup::kNoTarget : static_cast<std::uint8_t>(target);
    }
    const auto take_table = [](std::uint32_t table, const char* field, std::uint8_t& to) -> Status {
      if (table > valhall::kMaxTable)
        return Error{ErrorCode::bad_input, "there is no resource table " + std::to_string(table), field};
      if (table != 0) to = static_cast<std::uint8_t>(table);
      return {};
    };
    WARPJIT_CHECK(take_table(wanted.texture_table, "texture_table", raw.fragment.texture_table));
    WARPJIT_CHECK(take_table(wanted.sampler_table, "sampler_table", raw.fragment.sampler_table));
    raw.source_name = or_empty(wanted.source_name);
    if (wanted.stage != WARPJIT_STAGE_ANY) {
      WARPJIT_TRY(raw.stage, enumerator(std::int64_t{wanted.stage} - 1, Stage::fragment, "stage"));
    }
    return valhall::load_words(raw);
  });
}

warpjit_status warpjit_program_from_valhall_assembly(const char* text, const warpjit_program_choice* choice,
                                                     warpjit_program** program, warpjit_error* error) {
  return make(program, "program", error, {{text, "text"}}, [&]() -> Result<Program> {
    WARPJIT_TRY(const Selection made, selection(choice));
    return valhall::load_assembly(text, made);
  });
}

warpjit_status warpjit_program_from_usse_words(const warpjit_usse_words* words, warpjit_program** program,
                                               warpjit_error* error) {
  return make(program, "program", error, {{words, "words"}}, [&]() -> Result<Program> {
    WARPJIT_TRY(const warpjit_usse_words wanted, read(words, "words"));
    usse::RawProgram raw;
    WARPJIT_TRY(raw.code, array(wanted.code, wanted.code_count, "code"));
    raw.source_name = or_empty(wanted.source_name);
    if (wanted.stage != WARPJIT_STAGE_ANY) {
      WARPJIT_TRY(raw.stage, enumerator(std::int64_t{wanted.stage} - 1, Stage::fragment, "stage"));
    }
    return usse::load_words(raw);
  });
}

warpjit_status warpjit_program_from_usse_assembly(const char* text, const warpjit_program_choice* choice,
                                                  warpjit_program** program, warpjit_error* error) {
  return make(program, "program", error, {{text, "text"}}, [&]() -> Result<Program> {
    WARPJIT_TRY(const Selection selected, selection(choice));
    return usse::load_assembly(text, selected);
  });
}

void warpjit_program_destroy(warpjit_program* program) { delete program; }

size_t warpjit_program_unit_words(const warpjit_program* program) {
  return program != nullptr ? program->program.unit_words() : 0;
}
warpjit_status warpjit_program_get_info(const warpjit_program* program, warpjit_program_info* info,
                                        warpjit_error* error) {
  return fill(info, "info", error, {{program, "program"}}, [&] {
    const Program& from = program->program;
    const Resources needs = from.resources();
    warpjit_program_info result{};
    result.isa = static_cast<std::int32_t>(from.isa());
    result.stage = static_cast<std::int32_t>(from.stage()) + 1;
    result.entry = from.entry();
    result.registers = needs.registers;
    result.shared_bytes = needs.shared_bytes;
    result.local_bytes = needs.local_bytes;
    result.code_words = from.code_size();
    result.name = from.name().c_str();
    result.source_name = from.source_name().c_str();
    return result;
  });
}

warpjit_status warpjit_program_disassemble(const warpjit_program* program, char* text, size_t capacity,
                                           size_t* length, warpjit_error* error) {
  return call(error, {{program, "program"}}, [&]() -> Status {
    if (capacity != 0) WARPJIT_CHECK(given(text, "text"));
    WARPJIT_TRY(const std::string listing, disassemble(program->program));
    if (capacity != 0) copy_text(listing, {text, capacity});
    if (length != nullptr) *length = listing.size();
    return {};
  });
}

warpjit_status warpjit_program_find(const warpjit_program* program, int32_t kind, const char* name,
                                    warpjit_location* location, warpjit_error* error) {
  return call(error, {{program, "program"}, {name, "name"}, {location, "location"}}, [&]() -> Status {
    using Find = Result<Location> (Program::*)(std::string_view) const;
    constexpr Find kFind[] = {&Program::input, &Program::output, &Program::uniform, &Program::state};
    if (kind < 0 || kind >= std::ssize(kFind))
      return bad("there is no such value: " + std::to_string(kind), "kind");
    WARPJIT_TRY(const Location found, (program->program.*kFind[kind])(name));
    *location = {static_cast<std::uint32_t>(found.kind), found.first, found.count, found.components,
                 found.word};
    return {};
  });
}

size_t warpjit_program_symbol_count(const warpjit_program* program, int32_t kind) {
  return symbols(program, kind).size();
}

warpjit_status warpjit_program_get_symbol(const warpjit_program* program, int32_t kind, size_t index,
                                          warpjit_symbol* symbol, warpjit_error* error) {
  return fill(symbol, "symbol", error, {{program, "program"}}, [&]() -> Result<warpjit_symbol> {
    WARPJIT_TRY(const Symbol* found, element(symbols(program, kind), index));
    warpjit_symbol result{};
    result.name = found->name.c_str();
    result.reg = found->reg.c_str();
    result.count = found->count;
    return result;
  });
}
