#include "frontend/tesla/container/graphics_fields.h"

#include <algorithm>
#include <type_traits>

#include "frontend/tesla/container/graphics.h"

namespace warpjit::tesla {
namespace {

using Numbers = std::span<const std::uint32_t>;

template <auto Member>
std::vector<std::uint32_t> numbers_of(const GraphicsState& state) {
  const auto& value = state.*Member;
  if constexpr (requires { value.begin(); })
    return {value.begin(), value.end()};
  else
    return {static_cast<std::uint32_t>(value)};
}

template <auto Member>
void take_numbers(GraphicsState& state, Numbers numbers) {
  auto& value = state.*Member;
  using Value = std::remove_reference_t<decltype(value)>;
  if constexpr (requires { value.begin(); }) {
    value = {};
    if constexpr (requires { value.resize(1); }) value.resize(numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k)
      value[k] = static_cast<typename Value::value_type>(numbers[k]);
  } else {
    value = static_cast<Value>(numbers[0]);
  }
}

enum class FieldForm : std::uint8_t { number, flag, list };
template <auto Member>
constexpr GraphicsField field(std::string_view name, ProgramType type, FieldForm form, std::size_t most,
                              std::uint32_t limit) {
  return {name,
          type,
          most,
          limit,
          form == FieldForm::list,
          form == FieldForm::flag,
          numbers_of<Member>,
          take_numbers<Member>};
}

constexpr std::uint32_t kAnyWord = ~0U;
using State = GraphicsState;
constexpr GraphicsField kFields[] = {
    field<&State::attributes>("attributes", ProgramType::vertex, FieldForm::list, 2, kAnyWord),
    field<&State::builtin_attributes>("builtin-attributes", ProgramType::vertex, FieldForm::number, 1,
                                      kAnyWord),
    field<&State::vertex_results>("results", ProgramType::vertex, FieldForm::list, kMaxVertexResults, 255),
    field<&State::color_slots>("color-slots", ProgramType::vertex, FieldForm::number, 1, kAnyWord),
    field<&State::geometry_enabled>("geometry", ProgramType::vertex, FieldForm::flag, 1, 1),
    field<&State::geometry_results>("results", ProgramType::geometry, FieldForm::list, kMaxGeometryResults,
                                    255),
    field<&State::geometry_output>("output", ProgramType::geometry, FieldForm::number, 1, 3),
    field<&State::geometry_vertices>("vertices", ProgramType::geometry, FieldForm::number, 1,
                                     kMaxEmittedVertices),
    field<&State::color_slots>("color-slots", ProgramType::geometry, FieldForm::number, 1, kAnyWord),
    field<&State::interpolants>("interpolants", ProgramType::fragment, FieldForm::number, 1, kAnyWord),
    field<&State::noperspective>("noperspective", ProgramType::fragment, FieldForm::list, 4, kAnyWord),
    field<&State::fragment_control>("control", ProgramType::fragment, FieldForm::number, 1, kAnyWord),
    field<&State::fragment_results>("result-count", ProgramType::fragment, FieldForm::number, 1, 128),
    field<&State::pixel_center_integer>("pixel-center-integer", ProgramType::fragment, FieldForm::flag, 1, 1),
    field<&State::primitive_id_slot>("primitive-id-slot", ProgramType::fragment, FieldForm::number, 1, 127),
    field<&State::two_sided>("two-sided", ProgramType::fragment, FieldForm::flag, 1, 1),
    field<&State::point_sprites>("point-sprites", ProgramType::fragment, FieldForm::flag, 1, 1),
    field<&State::point_coordinates>("point-coordinates", ProgramType::fragment, FieldForm::list, 16,
                                     kAnyWord),
    field<&State::point_upper_left>("point-upper-left", ProgramType::fragment, FieldForm::flag, 1, 1),
    field<&State::color_slots>("color-slots", ProgramType::fragment, FieldForm::number, 1, kAnyWord),
};

}  // namespace

std::span<const GraphicsField> graphics_fields() { return kFields; }

const GraphicsField* find_graphics_field(ProgramType type, std::string_view name) {
  const auto found = std::ranges::find_if(
      kFields, [&](const GraphicsField& field) { return field.type == type && field.name == name; });
  return found != std::end(kFields) ? &*found : nullptr;
}

Status set_graphics_field(const GraphicsField& field, GraphicsState& state, Numbers numbers) {
  const auto wrong = [&](std::string message) {
    return Error{ErrorCode::bad_input, std::string(field.name) + ": " + message, {}};
  };
  if (numbers.empty() || numbers.size() > field.most)
    return wrong(field.most == 1 ? "expected one number"
                                 : "expected 1 to " + std::to_string(field.most) + " numbers");
  for (const std::uint32_t number : numbers)
    if (number > field.limit) return wrong("a number is at most " + std::to_string(field.limit));
  field.set(state, numbers);
  return {};
}

std::vector<GivenGraphicsField> given_graphics(const Program& program) {
  const GraphicsState defaults;
  std::vector<GivenGraphicsField> given;
  for (const GraphicsField& field : kFields)
    if (field.type == program.type && field.get(program.graphics) != field.get(defaults))
      given.push_back({&field, field.get(program.graphics)});
  return given;
}

}  // namespace warpjit::tesla
