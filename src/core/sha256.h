#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace gloss {

/// SHA-256 of bytes that come in parts.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  void add(std::string_view bytes);

  /// Of all that was added, as 64 lower-case hexadecimal digits. To be called once.
  std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace gloss
