#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// A line to score and its references, one or more. The texts belong to someone else.
struct Segment {
  std::string_view hypothesis;
  std::vector<std::string_view> references;
};

/// Lines of a text whose r-th reference of line i is `references[r][i]`. DataError unless there are lines, references,
/// and each reference has as many lines as the hypotheses.
std::vector<Segment> make_segments(const std::vector<std::string>& hypotheses,
                                   const std::vector<std::vector<std::string>>& references);

/// What a signature says beside the metric's own options.
struct SignatureFacts {
  int64_t references = 1;         ///< of every line; kVaryingReferences: not of all lines the same
  int64_t bootstrap_samples = 0;  ///< 0: none drawn
  int64_t randomisation_trials = 0;
  int64_t seed = 0;  ///< shown when something was drawn
};
inline constexpr int64_t kVaryingReferences = -1;
int64_t count_references(const std::vector<Segment>& segments);

/// sacreBLEU's form: `nrefs:1|bs:1000|seed:1|` + settings + `|version:2.6.0`.
std::string signature(const SignatureFacts& facts, const std::string& settings);

/// A metric of translations that is a function of sums over lines. Everything follows from these sums: the score of
/// the corpus, of one line (a sum of one), and of any selection of lines, which is what tests of significance draw.
class Metric {
 public:
  virtual ~Metric() = default;

  virtual std::string name() const = 0;
  virtual std::string signature(const SignatureFacts& facts) const = 0;

  /// How many numbers describe a line.
  virtual size_t width() const = 0;

  /// Writes the `width()` numbers of a line. May be called by several threads at once.
  virtual void count(const Segment& segment, std::span<double> numbers) const = 0;

  /// The score, 0 to 100 (TER: 0 and up), of numbers summed over lines.
  virtual double score(std::span<const double> sums) const = 0;
};

/// The numbers of all lines.
class LineCounts {
 public:
  LineCounts(size_t lines, size_t width) : width_(width), numbers_(lines * width) {}

  size_t lines() const { return width_ == 0 ? 0 : numbers_.size() / width_; }
  size_t width() const { return width_; }
  std::span<double> line(size_t i) { return {numbers_.data() + i * width_, width_}; }
  std::span<const double> line(size_t i) const { return {numbers_.data() + i * width_, width_}; }

  /// Over all lines from the first to the last, so that fractions are rounded as in sacreBLEU's sums.
  std::vector<double> sum() const;

 private:
  size_t width_;
  std::vector<double> numbers_;
};

/// The same whatever the number of threads.
LineCounts count_lines(const Metric& metric, const std::vector<Segment>& segments, int64_t threads = 1);

}  // namespace gloss
