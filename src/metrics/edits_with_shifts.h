#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// The edits of TER: the fewest insertions, deletions and substitutions of words after shifts of blocks of words, each
/// of which counts as one edit. Shifts are searched greedily (Snover et al. 2006, algorithm 1) under the limits and
/// the order of preference of Tercom as sacreBLEU 2.6 reads them; the edit distance is searched in a beam around the
/// diagonal, as there. Keeps its tables from call to call; not to be shared by threads.
class EditsWithShifts {
 public:
  /// Edits that turn the hypothesis into the reference; words are symbols.
  int64_t count(std::u32string_view hypothesis, std::u32string_view reference);

 private:
  enum class Step : uint8_t { kNone, kSame, kSubstitute, kInsert, kDelete };
  /// The columns of a row inside the beam, [begin, end).
  struct Beam {
    size_t begin;
    size_t end;
  };
  struct Shift {
    int32_t gain = 0;  ///< edits it saves, itself not counted
    size_t length = 0;
    size_t start = 0;
    size_t target = 0;
    /// The one to prefer: more saved, then longer, then from further left, then to further left.
    bool better_than(const Shift& other) const;
  };

  void set_beams();
  template <bool kKeepSteps>
  int32_t fill_row(size_t i, char32_t word, const int32_t* above, int32_t* row, Step* steps) const;
  void close_row(size_t i, int32_t* row) const;
  void load_row(size_t i, int32_t* row) const;
  void store_row(size_t i, const int32_t* row);
  void fill_matrix(size_t first_row);
  Step step_to(size_t i, size_t j) const { return steps_[offsets_[i] + j - beams_[i].begin]; }
  void align();
  bool is_useful(size_t start, size_t reference_start, size_t length) const;
  void move_block(const Shift& shift);
  void try_shift(Shift shift, Shift& best);
  int32_t distance_from(size_t first_row, int32_t limit);
  Shift best_shift();

  std::u32string words_;    // the hypothesis, shifted so far
  std::u32string shifted_;  // the same with one more shift, on trial
  std::u32string_view reference_;
  int64_t tried_ = 0;

  // Edits between the first i words and the first j of the reference, [i, j], and the last step to that place. Only
  // what lies in the beam is stored, row after row.
  std::vector<Beam> beams_;      // [words + 1]
  std::vector<size_t> offsets_;  // [words + 2]: where the rows begin
  std::vector<int32_t> costs_;
  std::vector<Step> steps_;
  std::vector<int32_t> above_;  // [reference + 1]: a row at full width, infinite beside the beam
  std::vector<int32_t> row_;    // and the one below it
  int32_t distance_ = 0;        // of all words from the whole reference

  // Where the best path leads through.
  std::vector<int64_t> aligned_;           // [reference]: the last word at or before it, -1 before the first
  std::vector<int32_t> word_errors_;       // [words + 1]: wrong words among the first i
  std::vector<int32_t> reference_errors_;  // [reference + 1]
};

}  // namespace gloss
