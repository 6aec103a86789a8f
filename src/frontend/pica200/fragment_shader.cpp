#include "frontend/pica200/fragment_shader.h"

#include <algorithm>

#include "frontend/key.h"
#include "frontend/pica200/facts/fragment_words.h"
#include "frontend/pica200/interpret/fragment/draw.h"
#include "frontend/pica200/translate/fragment/fragment.h"

namespace warpjit::pica200 {

namespace {

frontend::Traits traits_of(const FragmentState& state) {
  frontend::Traits traits;
  traits.isa = Isa::pica200;
  traits.stage = warpjit::Stage::fragment;
  traits.table_bytes = frontend::kPixelTableBytes + (sizeof(FragmentWords) + 63) / 64 * 64;
  traits.varyings.slots_read = slot_uses(state);
  return traits;
}

// Triangles as the runtime gives them, pixel by pixel in the guest's memory.
class FragmentInterpreter final : public frontend::GuestInterpreter {
 public:
  Status draw(const frontend::Values& values, const interpret::PixelWork& work,
              const RunLimits& limits) const override {
    const auto& data = static_cast<const FragmentData&>(*values.data);
    WARPJIT_TRY(fragment::Drawing drawing,
                fragment::Drawing::make(data.setup, *data.memory, work.cancel, work.observer));
    if (limits.observer != nullptr) drawing.observe(*limits.observer, work.raster.scissor);
    if (work.observer != nullptr) work.observer->begin_part();
    const std::size_t count = (work.indexed ? work.indices.size() : work.vertex_count) / 3;
    Status status;
    for (std::size_t n = 0; n < count && status; ++n) {
      std::array<Vertex, 3> triangle;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t number = work.indexed ? work.indices[3 * n + k] : 3 * n + k;
        std::memcpy(&triangle[k], work.vertices.data() + number * work.stride, sizeof(Vertex));
      }
      status = drawing.draw(triangle);
    }
    if (work.counts != nullptr) {
      work.counts->primitives = count;
      work.counts->covered = drawing.fragments();
    }
    if (work.came_to != nullptr) *work.came_to = {.primitive = count, .fragments = drawing.fragments()};
    return status;
  }
};

}  // namespace

FragmentShader::FragmentShader(const FragmentState& state)
    : frontend::Shader(traits_of(state)), state_(state) {}

void FragmentShader::reset(frontend::Values& values) const { values.words.assign(kFragmentWords, 0); }

void FragmentShader::fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const {
  frontend::fill_pixel_table(values.pixels, table);
  std::ranges::copy(values.words, table.begin() + frontend::kPixelTableBytes / 4);
}

Status FragmentShader::append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const {
  frontend::append_value(key, state_);
  frontend::append_key(facts.get<frontend::PixelFacts>(), key);
  return {};
}

Result<frontend::Shader::Translation> FragmentShader::translate(const frontend::Facts& facts, bool) const {
  Translation translation;
  translation.function = translate_fragment(state_, facts.get<frontend::PixelFacts>());
  return translation;
}

Result<std::unique_ptr<frontend::GuestInterpreter>> FragmentShader::prepare_interpreter(
    const frontend::Facts&) const {
  return std::unique_ptr<frontend::GuestInterpreter>(std::make_unique<FragmentInterpreter>());
}

}  // namespace warpjit::pica200
