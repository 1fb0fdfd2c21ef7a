#include "metrics/metric.h"

#include "core/error.h"
#include "core/parallel.h"

namespace gloss {
namespace {

// Lines that a thread takes at a time.
constexpr size_t kPiece = 256;

}  // namespace

std::vector<Segment> make_segments(const std::vector<std::string>& hypotheses,
                                   const std::vector<std::vector<std::string>>& references) {
  if (references.empty()) throw DataError("no reference; give at least one");
  if (hypotheses.empty()) throw DataError("no line to score; give a hypothesis that isn't empty");
  for (size_t r = 0; r < references.size(); ++r)
    if (references[r].size() != hypotheses.size())
      throw DataError(std::to_string(hypotheses.size()) + " hypotheses, but reference " +
                      std::to_string(r + 1) + " has " + std::to_string(references[r].size()) +
                      " lines; give equal numbers");
  std::vector<Segment> segments(hypotheses.size());
  for (size_t i = 0; i < segments.size(); ++i) {
    segments[i].hypothesis = hypotheses[i];
    for (const auto& reference : references) segments[i].references.emplace_back(reference[i]);
  }
  return segments;
}

int64_t count_references(const std::vector<Segment>& segments) {
  const size_t first = segments.empty() ? 0 : segments.front().references.size();
  for (const auto& segment : segments)
    if (segment.references.size() != first) return kVaryingReferences;
  return static_cast<int64_t>(first);
}

std::string signature(const SignatureFacts& facts, const std::string& settings) {
  const bool drawn = facts.bootstrap_samples > 0 || facts.randomisation_trials > 0;
  std::string text =
      "nrefs:" + (facts.references == kVaryingReferences ? "var" : std::to_string(facts.references));
  if (facts.bootstrap_samples > 0) text += "|bs:" + std::to_string(facts.bootstrap_samples);
  if (facts.randomisation_trials > 0) text += "|ar:" + std::to_string(facts.randomisation_trials);
  if (drawn) text += "|seed:" + std::to_string(facts.seed);
  return text + "|" + settings + "|version:2.6.0";
}

std::vector<double> LineCounts::sum() const {
  std::vector<double> sums(width_);
  for (size_t i = 0; i < lines(); ++i) {
    const auto numbers = line(i);
    for (size_t k = 0; k < width_; ++k) sums[k] += numbers[k];
  }
  return sums;
}

LineCounts count_lines(const Metric& metric, const std::vector<Segment>& segments, int64_t threads) {
  LineCounts counts(segments.size(), metric.width());
  in_parallel(segments.size(), kPiece, threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) metric.count(segments[i], counts.line(i));
  });
  return counts;
}

}  // namespace gloss
