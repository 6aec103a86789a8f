#include "render_capture.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "capture/neutral.h"
#include "capture/section_file.h"
#include "capture/valhall/chain_sections.h"
#include "capture_names.h"
#include "device/valhall/capture.h"
#include "files.h"
#include "output.h"
#include "picture.h"
#include "progress.h"

namespace warpjit::tool {

namespace {

using valhall::CaptureDraw;
using valhall::CaptureJob;
using valhall::CapturePicture;

std::string address_of(std::uint64_t address) { return fmt::format("{:#x}", address); }

std::string target_name(unsigned target) {
  return BoundLaunch::picture_name(target == CapturePicture::kDepth ? kDepthPicture : target);
}

Json report_json(const Report& report) {
  Json json{{"engine", name(report.engine)}, {"run_ns", report.run_time.count()}};
  if (!report.cache_hit) json["compile_ns"] = report.compile_time().count();
  if (!report.interpreted_because.empty()) json["interpreted_because"] = report.interpreted_because;
  if (report.fault) json["fault"] = report.fault->where + ": " + report.fault->what;
  return json;
}

// What a run did, in the order in which it is told, and its last pictures.
class Recorder final : public valhall::CaptureVisitor {
 public:
  struct Kept {
    std::string name;
    Image image;
  };

  Recorder(const RenderCapture& options, const NameTable& names, Progress& progress)
      : options_(options), names_(names), progress_(progress) {}

  bool job(const CaptureJob& job) override {
    Json row{{"job", job.kind}, {"address", address_of(job.address)}};
    if (job.report) {
      row["run"] = report_json(*job.report);
      add_fault(*job.report, fmt::format("{} at {:#x}", job.kind, job.address),
                {{"job", job.kind}, {"address", address_of(job.address)}});
    }
    jobs.push_back(std::move(row));
    return true;
  }

  bool draw(const CaptureDraw& draw) override {
    progress_.begin_step(++drawn_);
    Json row{{"draw", draw.number},       {"job", address_of(draw.job)}, {"mode", draw.mode},
             {"vertices", draw.vertices}, {"instances", draw.instances}, {"drawn", draw.drawn},
             {"targets", Json::array()}};
    if (const auto name = names_.find(CaptureName::Of::draw, draw.number); !name.empty()) row["name"] = name;
    if (draw.fragment_job != 0) row["fragment_job"] = address_of(draw.fragment_job);
    for (unsigned n = 0; n < kMaxColorTargets; ++n)
      if ((draw.targets >> n & 1) != 0) row["targets"].push_back(target_name(n));
    if (draw.depth) row["targets"].push_back("depth");
    if (draw.position) row["position"] = report_json(*draw.position);
    if (draw.varying) row["varying"] = report_json(*draw.varying);
    if (draw.fragment) {
      row["fragment"] = report_json(*draw.fragment);
      row["fragment"]["primitives"] = draw.fragment->primitives;
      row["fragment"]["groups"] = draw.fragment->groups;
    }
    for (const auto& [report, program] :
         {std::pair(&draw.position, "position"), std::pair(&draw.varying, "varying"),
          std::pair(&draw.fragment, "fragment")}) {
      if (!*report) continue;
      run_time += (*report)->run_time;
      add_fault(**report, fmt::format("draw {}, {} program", draw.number, program),
                {{"draw", draw.number}, {"program", program}});
    }
    draws.push_back(std::move(row));
    return true;
  }

  bool picture(const CapturePicture& picture) override {
    if (picture.fragment_job != fragment_job_) ++frame_;
    fragment_job_ = picture.fragment_job;
    const std::string target = target_name(picture.target);
    const BoundLaunch::Picture pixels{.format = picture.format,
                                      .bytes = {picture.pixels.begin(), picture.pixels.end()}};
    Json row{{"fragment_job", address_of(picture.fragment_job)},
             {"target", target},
             {"format", name(picture.format)},
             {"width", picture.width},
             {"height", picture.height},
             {"stored", picture.stored},
             {"hash", fmt::format("{:016x}", pixels.hash())}};
    if (picture.compared) {
      mismatch = mismatch || !picture.compared->holds();
      row["compared"] = {{"ok", picture.compared->holds()},
                         {"pixels", picture.compared->units},
                         {"differ", picture.compared->differ},
                         {"beyond", picture.compared->beyond}};
      if (const auto first = picture.compared->first)
        row["compared"]["first"] = {*first % picture.width, *first / picture.width};
    }
    const bool wanted = options_.out.empty() ? false : one_picture() ? target == options_.picture : true;
    if (wanted && picture.format != PixelFormat::none) {
      const std::string file =
          one_picture() ? options_.out
                        : name_of(path_of(options_.out) / fmt::format("frame{}-{}.png", frame_ - 1, target));
      if (const Status written = write(to_image(pixels, picture.width, picture.height), file); !written) {
        error = written.error();
        return false;
      }
      row["file"] = file;
    }
    pictures.push_back(std::move(row));
    return true;
  }

  Json jobs = Json::array(), draws = Json::array(), pictures = Json::array(), faults = Json::array();
  std::vector<std::string> fault_texts;
  std::chrono::nanoseconds run_time{};
  std::optional<Error> error;
  bool mismatch = false;  // with what is expected

 private:
  // `place`: what ran, as text and in JSON.
  void add_fault(const Report& report, const std::string& text, Json place) {
    if (!report.fault) return;
    fault_texts.push_back(text + ": " + fault_text(*report.fault));
    place.update(fault_json(*report.fault));
    faults.push_back(std::move(place));
  }
  bool one_picture() const { return options_.out.ends_with(".png"); }
  Status write(const Image& image, const std::string& file) const {
    if (!one_picture()) {
      std::error_code ignored;
      std::filesystem::create_directories(path_of(options_.out), ignored);
    }
    return write_picture(file, write_png(image));
  }

  const RenderCapture& options_;
  const NameTable& names_;
  Progress& progress_;
  unsigned drawn_ = 0, frame_ = 0;
  std::uint64_t fragment_job_ = 0;
};

void print_draw(const Json& draw) {
  std::string targets;
  for (const Json& target : draw["targets"]) targets += (targets.empty() ? "" : " ") + target.string();
  print_out("draw {:4}  {:14} {:7} vertices x {:<4}", draw["draw"].natural(), draw["mode"].string(),
            draw["vertices"].natural(), draw["instances"].natural());
  if (draw.contains("fragment")) {
    const Json& run = draw["fragment"];
    print_out(" {:7} primitives, {:8.3f} ms, {:5} -> {}", run["primitives"].natural(),
              static_cast<double>(run["run_ns"].natural()) / 1e6, run["engine"].string(),
              targets.empty() ? "nothing" : targets);
  } else {
    write_out(" not drawn");
  }
  if (draw.contains("name")) print_out(" ({})", draw["name"].string());
  write_out("\n");
}

std::string compared_text(const Json& picture) {
  if (!picture.contains("compared")) return {};
  const Json& compared = picture["compared"];
  if (compared["beyond"].natural() == 0)
    return fmt::format(", as expected ({} pixels differ)", compared["differ"].natural());
  return fmt::format(
      ", NOT AS EXPECTED: {} of {} pixels differ by more than is allowed, the first one at ({}, {})",
      compared["beyond"].natural(), compared["pixels"].natural(), compared["first"][0].natural(),
      compared["first"][1].natural());
}

// Products of architecture 9 with jobs, as Arm's kernel driver numbers them: the major number of the
// architecture, then that of the product (GPU_ID2_PRODUCT_TTRX is (9, 0), TBEX (9, 2) in its
// mali_kbase_gpu_id.h). A register has the minor number and the revision of the architecture between them;
// 0x9093 is a G57 that panfrost names.
struct GpuName {
  std::string_view name;
  std::uint32_t product;
};
constexpr GpuName kGpus[] = {{"G57", 0x9093}, {"G77", 0x9000}, {"G78", 0x9002}};

Result<std::uint32_t> parse_gpu(std::string_view text) {
  std::string_view word = text;
  if (word.starts_with("Mali-")) word.remove_prefix(5);
  for (const GpuName& gpu : kGpus)
    if (word == gpu.name) return gpu.product;
  const auto number = text::parse_unsigned(text, 0xffff);
  if (!number || *number >> 12 != 9)
    return Error{ErrorCode::bad_input,
                 text::quoted(text) +
                     " is no Valhall GPU: expected G57, G77, G78 or a product number from 0x9000 "
                     "to 0x9fff",
                 "--gpu"};
  return static_cast<std::uint32_t>(*number);
}

// "frame.0010" comes after "frame.0002" and "frame.9999" before "frame.10000"; other names keep their places.
void sort_by_number(std::vector<std::string>& names) {
  const auto parts = [](const std::string& name) {
    const std::size_t dot = name.rfind('.');
    const auto number = dot == std::string::npos
                            ? std::nullopt
                            : text::parse_unsigned(std::string_view(name).substr(dot + 1), UINT64_MAX);
    return std::pair(number ? name.substr(0, dot) : name, number.value_or(0));
  };
  const std::string base = parts(names.front()).first;
  if (std::ranges::all_of(names, [&](const std::string& name) { return parts(name).first == base; }))
    std::ranges::stable_sort(names, {}, [&](const std::string& name) { return parts(name).second; });
}

}  // namespace

void add_expected(Command& command, CaptureInput& input) {
  command.flag(
      "--expected", input.expected,
      "the texts come from hardware: colour targets in them are what is expected; channels may differ "
      "by 2 of 255");
}

bool is_capture(const CaptureInput& input) {
  if (!input.jobs.empty()) return true;
  if (is_neutral_capture(input.file)) return false;
  const auto bytes = read_file(input.file);
  if (!bytes || bytes->size() < 4) return false;
  // Versions that are not known are refused by the reader.
  const std::uint32_t version = capture::version_of(*bytes);
  return valhall::is_chain_file(*bytes) ||
         (as_text(std::span(*bytes).first(4)) == "WJC1" && version != capture::kVersion);
}

void add_capture_options(Command& command, CaptureInput& input) {
  command.option("more", input.more, "further texts of PAN_MESA_DEBUG=trace,dump, of the same run");
  command.option(
      "--gpu", input.gpu,
      "the Valhall GPU of a capture, which texts do not say: G57, G77, G78 or a product number, such "
      "as 0x9093");
}

std::vector<valhall::CaptureBytes> CaptureFiles::list() const {
  std::vector<valhall::CaptureBytes> list;
  for (std::size_t k = 0; k < names.size(); ++k) list.push_back({bytes[k], names[k]});
  return list;
}

std::vector<std::string> sorted_files(const CaptureInput& input) {
  std::vector<std::string> names{input.file};
  names.insert(names.end(), input.more.begin(), input.more.end());
  sort_by_number(names);
  return names;
}

Result<CaptureFiles> read_capture_files(const CaptureInput& input) {
  CaptureFiles files{sorted_files(input), {}};
  std::uint64_t left = kMaxFileBytes;
  for (const std::string& name : files.names) {
    WARPJIT_TRY(std::vector<std::byte> bytes, read_file(name, left));
    left -= bytes.size();
    files.bytes.push_back(std::move(bytes));
  }
  return files;
}

void print_notes(const valhall::CaptureFile& capture) {
  for (const std::string& note : capture.notes) print_err("warpjit: note: {}\n", note);
}

Result<valhall::CaptureFile> load_capture(const CaptureInput& input) {
  WARPJIT_TRY(const CaptureFiles files, read_capture_files(input));
  WARPJIT_TRY(valhall::CaptureFile capture, valhall::load_captures(files.list(), {}, input.expected));
  if (!input.gpu.empty()) {
    WARPJIT_TRY(const std::uint32_t gpu, parse_gpu(input.gpu));
    capture.set_gpu(gpu);
  }
  if (!input.jobs.empty() && !capture.changes.empty())
    return Error{ErrorCode::bad_input,
                 "the file names its jobs, each with its memory: --job is for files that do not", input.file};
  if (!input.jobs.empty()) capture.clear_chains();
  for (const std::string& job : input.jobs) {
    const auto address = text::parse_unsigned(job, UINT64_MAX);
    if (!address) return Error{ErrorCode::bad_input, "an address is a number, as 0xf7fda180", "--job"};
    WARPJIT_CHECK(capture.add_chain({*address, false}));
  }
  if (capture.chains.empty())
    return Error{ErrorCode::bad_input, "the file names no jobs: --job ADDRESS does", input.file};
  return capture;
}

int render_capture(const RenderCapture& options) {
  auto loaded = load_capture(options.input);
  if (!loaded) return fail(loaded.error());
  valhall::CaptureState capture{std::move(*loaded)};
  print_notes(capture.file);
  const auto draws = valhall::count_draws(capture.file);
  if (!draws) return fail(draws.error());
  const Engine engine;
  const auto start = std::chrono::steady_clock::now();
  std::optional<Error> error;
  Progress progress(static_cast<unsigned>(std::max<std::size_t>(*draws, 1)));
  const NameTable names(capture.file.names);
  Recorder recorder(options, names, progress);
  if (const Status status = capture.run(engine, recorder, options.run); !status) error = status.error();
  if (recorder.error) error = recorder.error;
  if (error) error = names.in(*error);
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start);
  if (options.json) {
    Json json{{"file", options.input.file}, {"isa", name(Isa::valhall)}};
    if (capture.file.gpu != 0) json["gpu"] = address_of(capture.file.gpu);
    if (!capture.file.notes.empty()) json["notes"] = capture.file.notes;
    json["total_ns"] = elapsed.count();
    json["run_ns"] = recorder.run_time.count();
    json["jobs"] = std::move(recorder.jobs);
    json["draws"] = std::move(recorder.draws);
    json["pictures"] = std::move(recorder.pictures);
    json["faults"] = std::move(recorder.faults);
    if (error) json["error"] = text::shortened(to_string(*error), kMostOfMessage);
    print_json(json);
  } else {
    for (const Json& draw : recorder.draws) print_draw(draw);
    for (const Json& picture : recorder.pictures)
      print_out("{} of fragment job {}: {} x {} pixels, {}{}\n", picture["target"].string(),
                names.with_addresses(std::string_view(picture["fragment_job"].string())),
                picture["width"].natural(), picture["height"].natural(), picture["format"].string(),
                (picture.contains("file") ? " -> " + picture["file"].string() : "") + compared_text(picture));
    print_out("{}: {} draws, {:.2f} ms\n", options.input.file, recorder.draws.size(),
              static_cast<double>(elapsed.count()) / 1e6);
  }
  for (const std::string& fault : recorder.fault_texts)
    print_err("warpjit: fault: {}\n", names.in(std::string_view(fault)));
  if (error) return fail(*error);
  return run_exit_code(recorder.mismatch, !recorder.fault_texts.empty(), options.ignore_faults);
}

}  // namespace warpjit::tool
