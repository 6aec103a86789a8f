#include "capture/memory_writer.h"
#include "capture/pica200/scene_sections.h"

namespace warpjit::pica200 {

using capture::Numbers;
using capture::SectionKind;
using capture::SectionWriter;

void write_job(SectionWriter& file, const CommandList& job) {
  Numbers numbers;
  file.write(SectionKind::commands, 0, numbers.word(job.address).word(job.bytes).bytes());
}

void write_job(SectionWriter& file, const CallList& job) { file.write(SectionKind::calls, 0, job.bytes); }

void write_job(SectionWriter& file, const MemoryFill& job) {
  Numbers numbers;
  numbers.word(job.start).word(job.end).word(job.value).word(job.control);
  file.write(SectionKind::fill, 0, numbers.bytes());
}

void write_job(SectionWriter& file, const DisplayTransfer& job) {
  Numbers numbers;
  numbers.word(job.input).word(job.output).word(job.input_size).word(job.output_size).word(job.flags);
  file.write(SectionKind::transfer, 0, numbers.bytes());
}

void write_job(SectionWriter& file, const TextureCopy& job) {
  Numbers numbers;
  numbers.word(job.input).word(job.output).word(job.size).word(job.input_line).word(job.output_line);
  file.write(SectionKind::copy, 0, numbers.bytes());
}

void write_output(SectionWriter& file, const SceneOutput& output) {
  Numbers numbers;
  numbers.word(output.address).word(output.size).word(output.tolerance);
  numbers.word(static_cast<std::uint32_t>(output.layout)).word(output.width).word(output.height);
  numbers.word(output.format).word(static_cast<std::uint32_t>(output.name.size())).text(output.name);
  std::span<const std::byte> expected;
  if (output.expected) expected = *output.expected;
  file.write(SectionKind::output, output.expected ? capture::kExpectedFlag : 0, numbers.bytes(), expected);
}

void write_scene(SectionWriter& file, const Scene& scene) {
  capture::MemoryWriter memory(file);
  for (const SceneMemory& piece : scene.memory) memory.write(piece.address, piece.bytes, true);
  if (!scene.registers.empty()) {
    Numbers numbers;
    for (const RegisterWrite& write : scene.registers) numbers.word(write.id).word(write.value);
    file.write(SectionKind::registers, 0, numbers.bytes());
  }
  for (std::size_t n = 0; n < scene.jobs.size(); ++n) {
    file.write_ends(scene.frame_ends, n);
    const SceneJob& job = scene.jobs[n];
    if (const auto* load = std::get_if<MemoryLoad>(&job)) {
      memory.write_change(load->address, load->size, load->bytes);
    } else if (const auto* state = std::get_if<StateLoad>(&job)) {
      file.write(SectionKind::state, state->of_pipeline ? capture::kPipelineFlag : 0, *state->bytes);
    } else if (const auto* list = std::get_if<CommandList>(&job)) {
      write_job(file, *list);
    } else if (const auto* calls = std::get_if<CallList>(&job)) {
      write_job(file, *calls);
    } else if (const auto* fill = std::get_if<MemoryFill>(&job)) {
      write_job(file, *fill);
    } else if (const auto* transfer = std::get_if<DisplayTransfer>(&job)) {
      write_job(file, *transfer);
    } else {
      write_job(file, std::get<TextureCopy>(job));
    }
  }
  file.write_ends(scene.frame_ends, scene.jobs.size());
  for (const SceneOutput& output : scene.outputs) write_output(file, output);
}

Status write_capture(const Scene& scene, CaptureSink sink, void* context) {
  if (scene.refused)
    return Error{ErrorCode::bad_input, "a scene that must be refused has no capture", "scene"};
  SectionWriter file(sink, context, capture::FileGuest::pica200);
  write_scene(file, scene);
  capture::write_texts(file, scene.texts);
  return file.finish();
}

}  // namespace warpjit::pica200
