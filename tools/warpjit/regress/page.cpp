// The report as one page: no script, nothing from a network, names and messages escaped.
#include <algorithm>

#include "base/text.h"
#include "files.h"
#include "regress/report.h"

namespace warpjit::tool {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostPictures = std::size_t{128} << 20;  // bytes of pictures that a page holds

constexpr const char* kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>warpjit regress</title>
<style>
:root { --text: #1b1f24; --page: #fff; --card: #f4f5f7; --line: #d5d9de; --bad: #b3261e; --good: #1a7f37; --new: #0a5fb4; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e7eb; --page: #14171a; --card: #1e2226; --line: #383e45; --bad: #ff8a80; --good: #6fd58a; --new: #7fb8f5; }
}
body { color: var(--text); background: var(--page); font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 80rem; padding: 0 1rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 6px; margin: 1rem 0; padding: .6rem 1rem; overflow-x: auto; }
h2 { font: 600 1rem ui-monospace, monospace; margin: .2rem 0; overflow-wrap: anywhere; }
.differs, .missing, .error { color: var(--bad); } .same { color: var(--good); } .new { color: var(--new); }
.row { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: .4rem 0; } figcaption { font-size: .85rem; }
img { background: repeating-conic-gradient(#8884 0 25%, transparent 0 50%) 0 0 / 16px 16px; border: 1px solid var(--line); image-rendering: pixelated; max-width: 100%; }
p { margin: .3rem 0; overflow-wrap: anywhere; } code { font: .85rem ui-monospace, monospace; }
li { overflow-wrap: anywhere; }
</style>
</head>
<body>
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text::visible(text)) switch (character) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += character;
    }
  return result;
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t word = 0;
    for (std::size_t n = 0; n < 3; ++n)
      word = word << 8 | (n < count ? std::to_integer<std::uint32_t>(bytes[at + n]) : 0);
    for (std::size_t n = 0; n < 4; ++n) text += n > count ? '=' : kDigits[word >> (18 - 6 * n) & 63];
  }
  return text;
}

class Page {
 public:
  Page(const RegressReport& report, const fs::path& pictures) : report_(report), pictures_(pictures) {}

  std::string make() {
    add_summary();
    for (const CaptureRow& row : report_.rows)
      if (row.verdict != Verdict::same) add_capture(row);
    add_same();
    return std::move(html_) + "</body>\n</html>\n";
  }

 private:
  void add_summary() {
    html_ = kHead;
    html_ += "<h1>warpjit regress</h1>\n<p>" + std::to_string(report_.rows.size()) + " captures";
    for (const Verdict verdict :
         {Verdict::differs, Verdict::missing, Verdict::error, Verdict::added, Verdict::same})
      html_ += std::string(", <span class=\"") + name(verdict) + "\">" +
               std::to_string(report_.count(verdict)) + " " + name(verdict) + "</span>";
    html_ += "; engine " + escaped(report_.about.engine) + ", target " + escaped(report_.about.target);
    if (!report_.about.baseline.empty())
      html_ += ", baseline <code>" + report_.about.baseline.substr(0, 16) + "</code>";
    html_ += "</p>\n";
  }

  void add_capture(const CaptureRow& row) {
    html_ += "<section>\n<h2>" + escaped(row.file) + " <span class=\"" + name(row.verdict) + "\">" +
             name(row.verdict) + "</span></h2>\n";
    if (row.verdict == Verdict::missing) html_ += "<p>The baseline has it, the folder has not.</p>\n";
    if (row.error) html_ += "<p class=\"error\">" + escaped(text_of(*row.error)) + "</p>\n";
    if (row.before_error) html_ += "<p>Before: " + escaped(text_of(*row.before_error)) + "</p>\n";
    if (row.draw) add_draw(*row.draw);
    for (const PictureRow& picture : row.pictures) add_picture(picture);
    html_ += "</section>\n";
  }

  void add_draw(const DrawRow& draw) {
    html_ += "<p>" + escaped(text_of(draw)) + "</p>\n<div class=\"row\">\n";
    if (!draw.after.empty()) add_figure("after draw " + std::to_string(draw.draw), picture_file(draw.after));
    html_ += "</div>\n";
  }

  void add_picture(const PictureRow& row) {
    if (row.verdict == Verdict::same) return;
    html_ += "<p>" + escaped(text_of(row)) + "</p>\n<div class=\"row\">\n";
    if (!row.before.empty()) add_figure("before", picture_file(row.before));
    if (row.verdict != Verdict::missing) add_figure("after", picture_file(row.picture.hash));
    if (row.verdict == Verdict::differs)
      add_figure("difference", difference_file(row.before, row.picture.hash));
    html_ += "</div>\n";
  }

  // Nothing for a picture that is not there: a baseline of hashes has none.
  void add_figure(const std::string& caption, const std::string& file) {
    const auto bytes = read_file(pictures_ / file, kMaxFileBytes);
    if (!bytes) return;
    if (bytes->size() > left_) {
      html_ += "<p>" + caption + ": <code>" + kPicturesFolder + "/" + file +
               "</code>, which has no room here</p>\n";
      return;
    }
    left_ -= bytes->size();
    html_ += "<figure><img alt=\"" + caption + "\" src=\"data:image/png;base64," + base64(*bytes) +
             "\"><figcaption>" + caption + "</figcaption></figure>\n";
  }

  void add_same() {
    if (report_.count(Verdict::same) == 0) return;
    html_ += "<details><summary class=\"same\">the same</summary>\n<ul>\n";
    for (const CaptureRow& row : report_.rows)
      if (row.verdict == Verdict::same)
        html_ += "<li><code>" + escaped(row.file) + "</code>" +
                 (row.error ? " " + escaped(text_of(*row.error)) : "") + "</li>\n";
    html_ += "</ul></details>\n";
  }

  const RegressReport& report_;
  const fs::path& pictures_;
  std::size_t left_ = kMostPictures;
  std::string html_;
};

}  // namespace

std::string make_page(const RegressReport& report, const fs::path& pictures) {
  return Page(report, pictures).make();
}

}  // namespace warpjit::tool
