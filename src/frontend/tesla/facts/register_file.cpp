#include "frontend/tesla/facts/register_file.h"

namespace warpjit::tesla {
namespace {

using Bank = frontend::RegisterBank;

constexpr Bank kGeneral{.name = "$r", .first = general_word(0), .registers = kMaxRegisters};
constexpr Bank kAddresses{
    .name = "$a", .first = address_word(0), .registers = kAddressRegisters, .reading = Bank::Reading::word};
constexpr Bank kConditionCodes{.name = "$c",
                               .first = condition_word(0),
                               .registers = kConditionRegisters,
                               .reading = Bank::Reading::word};
constexpr Bank kOutputs{
    .name = "o", .first = output_word(0), .registers = kMaxOutputWords, .addressed = true};

constexpr Bank attributes(std::uint16_t words) {
  return {.name = "a", .first = attribute_word(0), .registers = words, .addressed = true};
}
// "p2[0x10]": the word of input vertex 2 that p[$a1+0x10] is if $a1 is 8.
constexpr Bank input_vertex(const char* name, unsigned number) {
  return {.name = name,
          .first = input_vertex_word(number, 0),
          .registers = kMaxOutputWords,
          .of = Bank::Of::varying,
          .addressed = true};
}

constexpr Bank kCompute[] = {kGeneral, kAddresses, kConditionCodes};
constexpr Bank kVertex[] = {kGeneral, kAddresses, kConditionCodes, kOutputs, attributes(kVertexAttributes)};
constexpr Bank kGeometry[] = {kGeneral,
                              kAddresses,
                              kConditionCodes,
                              kOutputs,
                              attributes(kGeometryAttributes),
                              input_vertex("p0", 0),
                              input_vertex("p1", 1),
                              input_vertex("p2", 2),
                              input_vertex("p3", 3),
                              input_vertex("p4", 4),
                              input_vertex("p5", 5)};
constexpr Bank kFragment[] = {kGeneral,
                              kAddresses,
                              kConditionCodes,
                              kOutputs,
                              {.name = "v",
                               .first = interpolant_word(0),
                               .registers = kInterpolants,
                               .of = Bank::Of::varying,
                               .addressed = true}};

}  // namespace

std::span<const Bank> register_banks(ProgramType type) {
  switch (type) {
    case ProgramType::vertex:
      return kVertex;
    case ProgramType::geometry:
      return kGeometry;
    case ProgramType::fragment:
      return kFragment;
    case ProgramType::compute:
      break;
  }
  return kCompute;
}

}  // namespace warpjit::tesla
