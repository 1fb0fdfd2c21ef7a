#include "metrics/edits_with_shifts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace gloss {
namespace {

// Tercom's limits.
constexpr size_t kLongestShift = 10;
constexpr size_t kFurthestShift = 50;
constexpr double kBeamWidth = 25;

// sacreBLEU's own: a sentence's search ends at so many trials, and the shift under search is dropped.
constexpr int64_t kMostTrials = 1000;

constexpr int32_t kInfinite = 1 << 29;

}  // namespace

bool EditsWithShifts::Shift::better_than(const Shift& other) const {
  return std::tuple(gain, length, other.start, other.target) >
         std::tuple(other.gain, other.length, start, target);
}

/// The beam follows the straight line from corner to corner; the last row is searched to its end. Neighbouring rows
/// always meet, so the last cell is always reached.
void EditsWithShifts::set_beams() {
  const size_t rows = words_.size() + 1;
  const size_t columns = reference_.size() + 1;
  const double ratio =
      words_.empty() ? 1.0 : static_cast<double>(reference_.size()) / static_cast<double>(words_.size());
  // Of very unequal lengths, neighbouring rows would not meet.
  const double width = kBeamWidth < ratio / 2 ? std::ceil(ratio / 2 + kBeamWidth) : kBeamWidth;
  beams_.assign(rows, {0, columns});
  for (size_t i = 1; i < rows; ++i) {
    const double middle = std::floor(static_cast<double>(i) * ratio);
    beams_[i].begin = static_cast<size_t>(std::max(0.0, middle - width));
    if (i + 1 < rows) beams_[i].end = std::min(columns, static_cast<size_t>(middle + width));
  }
  offsets_.assign(rows + 1, 0);
  for (size_t i = 0; i < rows; ++i) offsets_[i + 1] = offsets_[i] + beams_[i].end - beams_[i].begin;
  costs_.resize(offsets_.back());
  steps_.resize(offsets_.back());
  above_.resize(columns);
  row_.resize(columns);
}

/// Row i, which ends in `word`, from the row above. Returns the least cost in it. Where costs are equal, a word kept
/// or exchanged goes before a deleted one, and that before an inserted one.
template <bool kKeepSteps>
int32_t EditsWithShifts::fill_row(size_t i, char32_t word, const int32_t* above, int32_t* row,
                                  Step* steps) const {
  const auto [begin, end] = beams_[i];
  int32_t least = kInfinite;
  int32_t left = kInfinite;
  for (size_t j = begin; j < end; ++j) {
    int32_t cost = kInfinite;
    Step step = Step::kNone;
    if (j > 0) {
      const bool same = word == reference_[j - 1];
      cost = std::min(above[j - 1] + (same ? 0 : 1), kInfinite);
      step = same ? Step::kSame : Step::kSubstitute;
    }
    if (above[j] + 1 < cost) {
      cost = above[j] + 1;
      step = Step::kDelete;
    }
    if (left + 1 < cost) {
      cost = left + 1;
      step = Step::kInsert;
    }
    row[j] = left = cost;
    if constexpr (kKeepSteps) steps[j - begin] = step;
    least = std::min(least, cost);
  }
  close_row(i, row);
  return least;
}

/// What the next row reads beside the beam of row i.
void EditsWithShifts::close_row(size_t i, int32_t* row) const {
  const auto [begin, end] = beams_[i];
  if (begin > 0) row[begin - 1] = kInfinite;
  const size_t next_end = i + 1 < beams_.size() ? beams_[i + 1].end : end;
  std::fill(row + end, row + std::max(end, next_end), kInfinite);
}

void EditsWithShifts::load_row(size_t i, int32_t* row) const {
  std::copy(&costs_[offsets_[i]], &costs_[offsets_[i + 1] - 1] + 1, row + beams_[i].begin);
  close_row(i, row);
}

void EditsWithShifts::store_row(size_t i, const int32_t* row) {
  std::copy(row + beams_[i].begin, row + beams_[i].end, &costs_[offsets_[i]]);
}

/// All rows from `first_row` on, which the words before it do not change.
void EditsWithShifts::fill_matrix(size_t first_row) {
  load_row(first_row - 1, above_.data());
  for (size_t i = first_row; i <= words_.size(); ++i) {
    fill_row<true>(i, words_[i - 1], above_.data(), row_.data(), &steps_[offsets_[i]]);
    store_row(i, row_.data());
    above_.swap(row_);
  }
  distance_ = above_[reference_.size()];
}

void EditsWithShifts::align() {
  aligned_.assign(reference_.size(), -1);
  word_errors_.assign(words_.size() + 1, 0);
  reference_errors_.assign(reference_.size() + 1, 0);
  size_t i = words_.size();
  size_t j = reference_.size();
  while (i > 0 || j > 0) {
    const Step step = step_to(i, j);
    const bool is_error = step != Step::kSame;
    if (step != Step::kDelete) {
      aligned_[j - 1] = static_cast<int64_t>(i) - 1;
      reference_errors_[j--] = is_error;
    }
    if (step != Step::kInsert) word_errors_[i--] = is_error;
  }
  for (size_t k = 1; k < word_errors_.size(); ++k) word_errors_[k] += word_errors_[k - 1];
  for (size_t k = 1; k < reference_errors_.size(); ++k) reference_errors_[k] += reference_errors_[k - 1];
}

/// Only a block that is wrong where it stands, and would stand where the reference isn't met yet, is worth a try; nor
/// may it move inside itself.
bool EditsWithShifts::is_useful(size_t start, size_t reference_start, size_t length) const {
  const int64_t there = aligned_[reference_start];
  const auto begin = static_cast<int64_t>(start);
  return word_errors_[start + length] > word_errors_[start] &&
         reference_errors_[reference_start + length] > reference_errors_[reference_start] &&
         !(begin <= there && there < begin + static_cast<int64_t>(length));
}

/// Edit distance of the shifted words, whose rows before `first_row` are those of the matrix; kInfinite as soon as it
/// must exceed the limit.
int32_t EditsWithShifts::distance_from(size_t first_row, int32_t limit) {
  load_row(first_row - 1, above_.data());
  for (size_t i = first_row; i <= shifted_.size(); ++i) {
    if (fill_row<false>(i, shifted_[i - 1], above_.data(), row_.data(), nullptr) > limit) return kInfinite;
    above_.swap(row_);
  }
  return above_[reference_.size()];
}

void EditsWithShifts::move_block(const Shift& shift) {
  shifted_ = words_;
  const auto at = [&](size_t i) { return shifted_.begin() + static_cast<int64_t>(i); };
  const auto [gain, length, start, target] = shift;
  const size_t end = start + length;
  if (target < start) {
    std::rotate(at(target), at(start), at(end));
  } else {
    // A target inside the block counts from the block's end.
    std::rotate(at(start), at(end), at(target > end ? target : std::min(target + length, words_.size())));
  }
}

void EditsWithShifts::try_shift(Shift shift, Shift& best) {
  ++tried_;
  move_block(shift);
  // What saves nothing, or less than the best, is out of the question.
  const int32_t limit = distance_ - std::max(best.gain, 1);
  const int32_t distance = distance_from(std::min(shift.start, shift.target) + 1, limit);
  if (distance > limit) return;
  shift.gain = distance_ - distance;
  if (shift.better_than(best)) best = shift;
}

/// The shift that saves most; its gain is 0 if none saves anything.
EditsWithShifts::Shift EditsWithShifts::best_shift() {
  Shift best;
  const auto try_block = [&](size_t start, size_t reference_start, size_t length) {
    if (!is_useful(start, reference_start, length)) return;
    int64_t last = -1;
    for (size_t offset = 0; offset <= length;
         ++offset) {  // behind the word before, or behind one of the block
      const size_t place = reference_start + offset;
      const int64_t target = place == 0 ? 0 : aligned_[place - 1] + 1;
      if (target == last) continue;
      last = target;
      try_shift({.gain = 0, .length = length, .start = start, .target = static_cast<size_t>(target)}, best);
    }
  };
  for (size_t start = 0; start < words_.size(); ++start) {
    const size_t begin = start > kFurthestShift ? start - kFurthestShift : 0;
    const size_t end = std::min(reference_.size(), start + kFurthestShift + 1);
    for (size_t reference_start = begin; reference_start < end; ++reference_start) {
      const size_t most =
          std::min({kLongestShift, words_.size() - start, reference_.size() - reference_start});
      for (size_t length = 1;
           length <= most && words_[start + length - 1] == reference_[reference_start + length - 1];
           ++length) {
        try_block(start, reference_start, length);
        if (tried_ >= kMostTrials) return best;
      }
    }
  }
  return best;
}

int64_t EditsWithShifts::count(std::u32string_view hypothesis, std::u32string_view reference) {
  if (reference.empty()) return static_cast<int64_t>(hypothesis.size());
  words_ = hypothesis;
  reference_ = reference;
  tried_ = 0;
  set_beams();
  for (size_t j = 0; j <= reference_.size(); ++j) {
    costs_[j] = static_cast<int32_t>(j);
    steps_[j] = Step::kInsert;
  }
  fill_matrix(1);
  int64_t shifts = 0;
  while (distance_ > 0) {
    align();
    const auto shift = best_shift();
    if (tried_ >= kMostTrials || shift.gain <= 0) break;
    ++shifts;
    move_block(shift);
    words_.swap(shifted_);
    fill_matrix(std::min(shift.start, shift.target) + 1);
  }
  return shifts + distance_;
}

}  // namespace gloss
