#pragma once

#include <stdexcept>
#include <string>

namespace gloss {

/// A fault that the user can mend. The message says where, what and how to mend, in lower case and without a
/// full stop: "corpus.en:1041: 1041 lines, but corpus.de has 1042; give files of equal length".
/// Thrown where the fault is known and caught once, in app/main.cpp, which turns the kind into the exit code.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Wrong flags or configuration: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Input text that cannot be used: exit code 3.
class DataError : public Error {
 public:
  using Error::Error;
};

/// A model directory or checkpoint that cannot be used: exit code 4.
class CheckpointError : public Error {
 public:
  using Error::Error;
};

/// Output that cannot be written (disk full, no permission): exit code 5.
class OutputError : public Error {
 public:
  using Error::Error;
};

}  // namespace gloss
