#include "frontend/tesla/guest_interpreter.h"

#include <bit>
#include <cstring>

#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/facts/launch.h"
#include "frontend/tesla/translate/graphics.h"

namespace warpjit::tesla {
namespace {

class BlockInterpreter final : public frontend::GuestInterpreter {
 public:
  explicit BlockInterpreter(Interpreter interpreter) : interpreter_(std::move(interpreter)) {}

  Status run_blocks(const frontend::Grid& grid, std::uint64_t first, std::uint64_t count,
                    const RunLimits& limits, std::optional<frontend::BlockFault>& fault) const override {
    RunReport run;
    const Status status = interpreter_.run(grid, first, count, run, HostCode::best, limits);
    fault = fault_of(run);
    return status;
  }
  unsigned lanes() const override { return kLanes; }

 private:
  Interpreter interpreter_;
};

// Vertices and input primitives as rows, and whole draws of fragment programs.
class GraphicsInterpreter final : public frontend::GuestInterpreter {
 public:
  GraphicsInterpreter(Interpreter interpreter, const GraphicsState& state,
                      const frontend::StripOutput& output, bool shows_lanes)
      : interpreter_(std::move(interpreter)),
        layout_(attribute_layout(state)),
        output_(output),
        shows_lanes_(shows_lanes) {}

  // Where threads see each other, those of a warp come together, and copies after the last one.
  unsigned lanes() const override { return shows_lanes_ ? kLanes : 1; }

  Status run(const frontend::Values& values, const frontend::Facts& facts,
             std::span<const frontend::Rows> inputs, std::span<const frontend::Rows> outputs,
             std::size_t thread_count, const RunLimits& limits) const override {
    if (const auto* strips = facts.get_if<frontend::StripFacts>())
      return run_geometry(values.grid, *strips, inputs[0], outputs, thread_count, limits);
    return run_vertices(values.grid, facts.get<frontend::RowFacts>(), inputs, outputs, thread_count, limits);
  }

  Status draw(const frontend::Values& values, const interpret::PixelWork& work,
              const RunLimits& limits) const override {
    RunReport report;
    WARPJIT_TRY(const std::unique_ptr<interpret::FragmentProgram> program,
                interpreter_.make_fragment_program(values.grid, report, HostCode::best,
                                                   work.counts_instructions(), limits));
    const Status status = interpret::draw(work, *program);
    if (const auto fault = fault_of(report); fault && work.fault != nullptr) work.fault->add(fault->access);
    return status;
  }

 private:
  Status run_vertices(const frontend::Grid& grid, const frontend::RowFacts& facts,
                      std::span<const frontend::Rows> inputs, std::span<const frontend::Rows> outputs,
                      std::size_t thread_count, const RunLimits& limits) const {
    // Which binding has an input register; none if it is not bound.
    const auto binding = [&](std::uint32_t reg) -> const frontend::Rows* {
      if ((facts.bound_inputs >> reg & 1) == 0) return nullptr;
      return &inputs[static_cast<std::size_t>(
          std::popcount(facts.bound_inputs & ((std::uint64_t{1} << reg) - 1)))];
    };
    const auto word = [](const frontend::Rows* rows, std::size_t thread, unsigned k) {
      std::uint32_t value = 0;
      if (rows != nullptr) std::memcpy(&value, rows->row(thread) + 4 * k, 4);
      return value;
    };
    std::vector<std::uint32_t> attributes, vertex_ids, instance_ids, slots;
    for (std::size_t t = 0; t < thread_count; ++t) {
      for (const std::uint8_t component : layout_.components)
        attributes.push_back(word(binding(component / 4U), t, component % 4));
      vertex_ids.push_back(word(binding(kIdInput), t, 0));
      instance_ids.push_back(word(binding(kIdInput), t, 1));
    }
    RunReport report;
    WARPJIT_CHECK(interpreter_.run_vertices(grid, {attributes, vertex_ids, instance_ids}, slots, report,
                                            HostCode::best, limits));
    const std::size_t each = thread_count == 0 ? 0 : slots.size() / thread_count;
    for (std::uint32_t k = 0; k < facts.output_count; ++k)
      for (std::size_t t = 0; t < thread_count; ++t) {
        std::array<std::uint32_t, 4> words{};
        for (std::size_t c = 0; c < 4; ++c)
          if (const std::size_t slot = 4U * facts.outputs[k] + c; slot < each)
            words[c] = slots[t * each + slot];
        std::memcpy(outputs[k].row(t), words.data(), 16);
      }
    return {};
  }

  Status run_geometry(const frontend::Grid& grid, const frontend::StripFacts& facts,
                      const frontend::Rows& input, std::span<const frontend::Rows> outputs,
                      std::size_t thread_count, const RunLimits& limits) const {
    const std::uint32_t each = 4 * facts.vertex_rows();
    const std::size_t primitive = std::size_t{facts.vertices} * each;
    std::vector<std::uint32_t> numbers(thread_count), indices, words(thread_count * primitive);
    for (std::size_t t = 0; t < thread_count; ++t) {
      std::memcpy(&numbers[t], input.row(t), 4);
      if (primitive != 0) std::memcpy(&words[t * primitive], input.row(t) + 16, 4 * primitive);
      for (std::uint32_t n = 0; n < facts.vertices; ++n)
        indices.push_back(static_cast<std::uint32_t>(t) * facts.vertices + n);
    }
    EmittedVertices emitted;
    RunReport report;
    WARPJIT_CHECK(interpreter_.run_geometry(grid,
                                            {.vertex_words = words,
                                             .words = each,
                                             .indices = indices,
                                             .vertices = facts.vertices,
                                             .numbers = numbers},
                                            emitted, report, HostCode::best, limits));
    const std::uint32_t slots = output_.slots, row_words = 4 * output_.vertex_rows();
    const std::uint32_t* from = emitted.words.data();
    auto strip = emitted.strips.begin();
    for (std::size_t t = 0; t < thread_count; ++t) {
      std::byte* const to = outputs[frontend::kVerticesOutput].row(t);
      const std::uint32_t count = emitted.invocations[t];
      std::memcpy(outputs[frontend::kEmittedOutput].row(t), &count, 4);
      for (std::uint32_t n = 0, number = 0, left = 0; n < count; ++n, --left, from += slots) {
        if (left == 0) {
          left = *strip++;
          ++number;
        }
        std::byte* const vertex = to + std::size_t{n} * row_words * 4;
        std::memcpy(vertex, from, std::size_t{slots} * 4);
        std::memcpy(vertex + std::size_t{slots} * 4, &number, 4);
      }
    }
    return {};
  }

  Interpreter interpreter_;
  AttributeLayout layout_;
  frontend::StripOutput output_;  // of geometry programs
  bool shows_lanes_;
};

}  // namespace

std::optional<frontend::BlockFault> fault_of(const RunReport& run) {
  if (!run.first_fault) return std::nullopt;
  const MemoryFault& fault = *run.first_fault;
  return frontend::BlockFault{{.happened = true,
                               .is_store = fault.is_store,
                               .space = space_of(fault.space),
                               .index = fault.index,
                               .address = fault.address,
                               .guest_address = fault.pc,
                               .thread = fault.thread,
                               .accesses = fault.accesses},
                              fault.block};
}

Result<std::unique_ptr<frontend::GuestInterpreter>> make_guest_interpreter(
    const Program& program, const Modes& modes, std::span<const BranchTarget> targets,
    const frontend::Traits& traits) {
  WARPJIT_TRY(Interpreter interpreter, Interpreter::prepare(program, modes, targets));
  std::unique_ptr<frontend::GuestInterpreter> guest;
  if (program.type == ProgramType::compute)
    guest = std::make_unique<BlockInterpreter>(std::move(interpreter));
  else
    guest = std::make_unique<GraphicsInterpreter>(std::move(interpreter), program.graphics,
                                                  traits.varyings.strips.value_or(frontend::StripOutput()),
                                                  traits.rows_form_quads);
  return guest;
}

}  // namespace warpjit::tesla
