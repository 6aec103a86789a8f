// warpjit regress: renders all captures of a folder, and compares with what they left before.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/result.h"
#include "command.h"
#include "files.h"
#include "output.h"
#include "progress.h"
#include "regress/journal.h"
#include "regress/report.h"
#include "regress/run_capture.h"
#include "stop.h"

namespace warpjit::tool {

namespace fs = std::filesystem;

namespace {

constexpr const char* kJournalFile = "journal.jsonl";

struct RegressOptions {
  std::string folder, against, save, out, shard, engine = "jit", target = "automatic";
  std::vector<std::string> captures, merge;
  unsigned threads = 0;
  std::optional<std::uint64_t> fuel;
  bool draws = false, resume = false, list = false, json = false;
};

struct RegressWork {
  std::vector<CaptureFile> files;
  std::optional<Share> share;
  std::optional<Baseline> baseline;
};

// Those of the folder and of the baseline, by their names, of them what the options ask for.
Result<RegressWork> find_work(const RegressOptions& options) {
  RegressWork work;
  if (!options.against.empty()) {
    WARPJIT_TRY(work.baseline, load_baseline(options.against));
  }
  WARPJIT_TRY(work.files, list_captures(options.folder));
  if (work.baseline) {
    const std::size_t there = work.files.size();
    for (const auto& [name, result] : work.baseline->captures)
      if (!std::binary_search(work.files.begin(), work.files.begin() + static_cast<std::ptrdiff_t>(there),
                              CaptureFile{name, {}, 0, 0},
                              [](const CaptureFile& a, const CaptureFile& b) { return a.name < b.name; }))
        work.files.push_back({name, {}, 0, 0});
    std::ranges::sort(work.files, {}, &CaptureFile::name);
  }
  if (!options.shard.empty()) {
    WARPJIT_TRY(work.share, parse_share(options.shard, "--shard"));
    std::erase_if(work.files, [&](const CaptureFile& file) { return !work.share->has(file.name); });
  }
  if (options.captures.empty()) return work;
  for (const std::string& name : options.captures)
    if (std::ranges::find(work.files, name, &CaptureFile::name) == work.files.end())
      return Error{ErrorCode::bad_input, "neither the folder nor the baseline has it", name};
  std::erase_if(work.files, [&](const CaptureFile& file) {
    return std::ranges::find(options.captures, file.name) == options.captures.end();
  });
  return work;
}

// What runs at the same time.
class Runner {
 public:
  Runner(const RegressOptions& options, const RegressWork& work) : options_(options), work_(work) {
    wants_.options.engine = *parse_engine(options.engine);
    wants_.options.target = *parse_target(options.target);
    wants_.options.fuel = options.fuel;
    wants_.options.cancel = cancel_word();
    wants_.draws = options.draws;
    if (work.baseline) wants_.baseline = &*work.baseline;
    wants_.files = &files_;
  }

  Status prepare() {
    if (!options_.save.empty() && is_baseline_folder(options_.save)) {
      wants_.saved = path_of(options_.save) / kPicturesFolder;
      WARPJIT_CHECK(make_folders(wants_.saved));
    }
    if (options_.out.empty()) return {};
    wants_.report = path_of(options_.out) / kPicturesFolder;
    WARPJIT_CHECK(make_folders(wants_.report));
    WARPJIT_TRY(journal_, Journal::open(path_of(options_.out) / kJournalFile, about(), options_.resume));
    return {};
  }

  Status run() {
    const unsigned concurrency = std::max(1U, engine_.info().concurrency);
    const std::size_t threads = std::min<std::size_t>(options_.threads != 0 ? options_.threads : concurrency,
                                                      std::max<std::size_t>(1, work_.files.size()));
    // Several captures at once share the machine better than the work of one does.
    wants_.options.threads = threads > 1 || options_.threads == 1 ? 1 : 0;
    runs_.resize(work_.files.size());
    {
      Progress progress(static_cast<unsigned>(std::max<std::size_t>(1, work_.files.size())));
      progress_ = &progress;
      std::vector<std::thread> others;
      others.reserve(threads);
      try {
        for (std::size_t n = 1; n < threads; ++n) others.emplace_back([this] { work_safely(); });
      } catch (const std::system_error&) {
        // Those that began do all of it.
      }
      work_safely();
      for (std::thread& other : others) other.join();
    }
    return status_;
  }

  std::vector<CaptureRun>& runs() { return runs_; }
  std::size_t resumed() const { return resumed_; }
  std::size_t done() const { return done_; }
  void finish() {
    if (journal_) journal_->remove();
  }

 private:
  // A journal of another run must not be gone on with.
  Json about() const {
    const Version version = warpjit::version();
    return {{"format", "warpjit-regress-journal 1"},
            {"version", fmt::format("{}.{}.{}", version.major, version.minor, version.patch)},
            {"engine", options_.engine},
            {"target", options_.target},
            {"baseline", work_.baseline ? work_.baseline->hash : ""},
            {"shard", options_.shard},
            {"captures", work_.files.size()},
            {"save", options_.save},
            {"draws", options_.draws}};
  }

  // Nothing may leave a thread.
  void work_safely() {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (status_) status_ = caught();
    }
  }

  void work() {
    for (;;) {
      std::size_t n = 0;
      {
        const std::lock_guard lock(mutex_);
        if (next_ == work_.files.size() || !status_) return;
        n = next_++;
        if (const CaptureRun* const before = journal_ ? journal_->find(work_.files[n]) : nullptr) {
          runs_[n] = *before;
          ++resumed_;
          progress_->begin_step(static_cast<unsigned>(++done_));
          continue;
        }
      }
      const auto start = std::chrono::steady_clock::now();
      auto run = stopping() ? Result<CaptureRun>(stop_error()) : run_capture(engine_, work_.files[n], wants_);
      const double time =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      const std::lock_guard lock(mutex_);
      Status written = run ? Status() : Status(run.error());
      if (run && journal_) written = journal_->add(work_.files[n], *run, time);
      if (!written) {
        if (status_) status_ = written;
        return;
      }
      runs_[n] = std::move(*run);
      progress_->begin_step(static_cast<unsigned>(++done_));
    }
  }

  const RegressOptions& options_;
  const RegressWork& work_;
  const Engine engine_;
  RunWants wants_;
  std::mutex files_, mutex_;
  std::optional<Journal> journal_;
  std::vector<CaptureRun> runs_;
  Progress* progress_ = nullptr;
  std::size_t next_ = 0, done_ = 0, resumed_ = 0;
  Status status_;
};

void print_report(const RegressReport& report) {
  for (const CaptureRow& row : report.rows) {
    if (row.verdict == Verdict::same) continue;
    print_out("{:8} {}\n", name(row.verdict), row.file);
    if (row.error) print_out("         {}\n", text_of(*row.error));
    if (row.before_error) print_out("         before: {}\n", text_of(*row.before_error));
    for (const PictureRow& picture : row.pictures)
      if (picture.verdict != Verdict::same && picture.verdict != Verdict::added)
        print_out("         {}\n", text_of(picture));
    if (row.draw) print_out("         {}\n", text_of(*row.draw));
  }
  print_out("{} captures: {} the same, {} differ, {} new, {} missing, {} with errors\n", report.rows.size(),
            report.count(Verdict::same), report.count(Verdict::differs), report.count(Verdict::added),
            report.count(Verdict::missing), report.count(Verdict::error));
}

int end_with(const RegressOptions& options, const RegressReport& report) {
  if (!options.out.empty())
    if (const Status written = write_report(report, path_of(options.out)); !written)
      return fail(written.error());
  if (options.json)
    print_json(to_json(report));
  else
    print_report(report);
  // Who makes a baseline accepts what is there.
  return report.holds() || (options.against.empty() && options.merge.empty()) ? kOk : kMismatch;
}

int run_folder(const RegressOptions& options) {
  const auto work = find_work(options);
  if (!work) return fail(work.error());
  if (options.list) {
    for (const CaptureFile& file : work->files) print_out("{}\n", file.name);
    return kOk;
  }
  Runner runner(options, *work);
  if (const Status made = runner.prepare(); !made) return fail(made.error());
  if (const Status done = runner.run(); !done) {
    if (!options.out.empty())
      print_err("warpjit: {} of {} captures are done; --resume goes on\n", runner.done(), work->files.size());
    return fail(done.error());
  }
  if (runner.resumed() != 0)
    print_err("warpjit: {} of {} captures were done before\n", runner.resumed(), work->files.size());
  RegressReport report;
  report.about = {options.engine, options.target, work->baseline ? work->baseline->hash : ""};
  report.share = work->share;
  report.picked = !options.captures.empty();
  std::map<std::string, RunResult> saved;
  for (CaptureRun& run : runner.runs()) {
    if (run.row.verdict != Verdict::missing) saved.emplace(run.row.file, std::move(run.result));
    report.rows.push_back(std::move(run.row));
  }
  if (!options.save.empty())
    if (const Status written = save_baseline(options.save, saved); !written) return fail(written.error());
  const int code = end_with(options, report);
  if (code == kOk || code == kMismatch) runner.finish();
  return code;
}

// The pictures of parts lie beside them.
Status take_pictures(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  for (fs::directory_iterator entry(from, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    const fs::path target = to / entry->path().filename();
    if (entry->path().extension() != ".png" || fs::exists(target)) continue;
    WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(entry->path()));
    WARPJIT_CHECK(write_file(target, bytes));
  }
  return {};
}

// As `--save` of one run gives it, but for draws.
std::map<std::string, RunResult> results_of(const RegressReport& report) {
  std::map<std::string, RunResult> results;
  for (const CaptureRow& row : report.rows) {
    if (row.verdict == Verdict::missing) continue;
    RunResult result{row.isa, row.frames, row.jobs, {}, {}, row.error};
    for (const PictureRow& picture : row.pictures)
      if (picture.verdict != Verdict::missing) result.pictures.push_back(picture.picture);
    results.emplace(row.file, std::move(result));
  }
  return results;
}

// Reports, or folders that have them, themselves or in folders right below.
Result<std::vector<std::string>> find_parts(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    const fs::path path = path_of(name);
    std::error_code failure;
    if (!fs::is_directory(path, failure)) {
      files.push_back(name);
      continue;
    }
    const std::size_t before = files.size();
    if (fs::exists(path / kReportFile, failure)) files.push_back(name_of(path / kReportFile));
    for (fs::directory_iterator entry(path, failure); !failure && entry != fs::directory_iterator();
         entry.increment(failure))
      if (fs::exists(entry->path() / kReportFile, failure))
        files.push_back(name_of(entry->path() / kReportFile));
    if (files.size() == before) return Error{ErrorCode::bad_input, "the folder has no reports", name};
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

int merge(const RegressOptions& options) {
  const auto files = find_parts(options.merge);
  if (!files) return fail(files.error());
  std::vector<ReportPart> parts;
  std::vector<fs::path> folders;
  for (const std::string& name : *files) {
    auto report = load_report(path_of(name));
    if (!report) return fail(report.error());
    parts.push_back({name, std::move(*report)});
    folders.push_back(path_of(name).parent_path() / kPicturesFolder);
  }
  const auto whole = merge_reports(std::move(parts));
  if (!whole) return fail(whole.error());
  std::vector<fs::path> to;
  if (!options.out.empty()) to.push_back(path_of(options.out) / kPicturesFolder);
  if (!options.save.empty() && is_baseline_folder(options.save))
    to.push_back(path_of(options.save) / kPicturesFolder);
  for (const fs::path& folder : to) {
    if (const Status made = make_folders(folder); !made) return fail(made.error());
    for (const fs::path& from : folders)
      if (const Status taken = take_pictures(from, folder); !taken) return fail(taken.error());
  }
  if (!options.save.empty())
    if (const Status written = save_baseline(options.save, results_of(*whole)); !written)
      return fail(written.error());
  return end_with(options, *whole);
}

int run_regress(const RegressOptions& options) {
  const auto refuse = [](const char* option, const char* why) {
    return fail({ErrorCode::bad_input, why, option});
  };
  if (!options.merge.empty()) {
    if (!options.folder.empty() || !options.against.empty() || !options.shard.empty() ||
        !options.captures.empty() || options.list || options.resume || options.draws)
      return refuse("--merge", "the reports of parts are merged without a folder and what is for runs");
    if (options.out.empty() && options.save.empty() && !options.json)
      return refuse("--merge", "needs --out, --save or --json");
    return merge(options);
  }
  if (options.folder.empty()) return refuse("folder", "is missing");
  if (options.resume && options.out.empty()) return refuse("--resume", "needs --out, where the journal lies");
  if (options.draws && options.save.empty()) return refuse("--draws", "needs --save");
  if (!options.save.empty() && !options.captures.empty())
    return refuse("--save", "a baseline of some captures would be no baseline of the folder");
  return run_folder(options);
}

}  // namespace

void add_regress(Command& app) {
  const auto options = std::make_shared<RegressOptions>();
  Command command =
      app.add_command("regress", "Render all captures of a folder, and compare with what they left before");
  command.option("folder", options->folder, "captures: *.wjcap and scene.json, also in folders below");
  command.option("--against", options->against, "the baseline: a folder, or a file with hashes");
  command.option("--save", options->save,
                 "write a baseline: a folder with hashes and pictures, or *.json with hashes alone");
  command.flag(
      "--draws", options->draws,
      "with --save: also hashes of the targets after each draw, which name the first draw that differs");
  command.option(
      "-o,--out", options->out,
      "a folder for report.json, report.html, pictures of what differs, and the journal of the run");
  command.flag("--resume", options->resume, "go on with a run that was ended, if the folder has its journal");
  command.option("--shard", options->shard, "render one of several shares: 2/3 is the second one of three")
      .excludes(command.option("--capture", options->captures, "render this one alone; several as a list")
                    .separated_by_commas());
  command.option("--merge", options->merge,
                 "make one report of the report.json of all shards or captures, or of folders with them");
  command.flag("--list", options->list, "print the names of the captures, those of the baseline included");
  command.option("--engine", options->engine, "guest, ir or jit").one_of(engine_names()).show_default();
  command.option("--target", options->target, "host instructions for jit: v3, v4, v4-fp16, a64, a64-fp16")
      .one_of(target_names())
      .show_default();
  command
      .option("--threads", options->threads,
              "captures that are rendered at the same time; 0: one for each CPU")
      .range(0, 1024);
  command.option("--fuel", options->fuel, "backward transfers that a guest thread may make");
  add_timeout(command);
  command.flag("--json", options->json, "print the report as JSON");
  command.footer(
      "Exit code 1 if a capture differs, is missing, or fails as it did not before; new ones are told.\n"
      "Examples:\n"
      "  warpjit regress frames --save right --draws          # what they leave now is right\n"
      "  warpjit regress frames --against right -o changes    # later: changes/report.html\n"
      "  warpjit regress frames --against right -o changes --resume\n"
      "  warpjit regress frames --against right --shard 2/3 -o part2\n"
      "  warpjit regress --merge part1/report.json part2/report.json part3/report.json -o changes\n"
      "docs/captures.md has the formats.");
  command.action([options] { return run_regress(*options); });
}

}  // namespace warpjit::tool
