// The DLL exports exactly the functions of the C headers, and they give the same results as the functions in
// this program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "per_target.h"
#include "verify/windows_api.h"

namespace posenc {
namespace {

HMODULE Dll() {
  static const HMODULE dll = LoadLibraryA(POSENC_DLL);
  return dll;
}

// The names in the export table of the loaded file. The table is sorted.
std::vector<std::string> ExportedNames() {
  const auto* const base = reinterpret_cast<const unsigned char*>(Dll());
  const auto at = [base](std::uint32_t offset) { return reinterpret_cast<const void*>(base + offset); };
  const auto* const dos = static_cast<const IMAGE_DOS_HEADER*>(at(0));
  const auto* const nt = static_cast<const IMAGE_NT_HEADERS*>(at(static_cast<std::uint32_t>(dos->e_lfanew)));
  const auto* const table = static_cast<const IMAGE_EXPORT_DIRECTORY*>(
      at(nt->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT].VirtualAddress));
  const auto* const names = static_cast<const DWORD*>(at(table->AddressOfNames));
  EXPECT_EQ(table->NumberOfFunctions, table->NumberOfNames);  // all functions have a name, not only a number
  std::vector<std::string> exported;
  for (std::uint32_t i = 0; i < table->NumberOfNames; ++i) {
    exported.emplace_back(static_cast<const char*>(at(names[i])));
  }
  return exported;
}

template <class Function>
void Find(const char* name, Function** function) {
  const FARPROC found = GetProcAddress(Dll(), name);
  ASSERT_NE(found, nullptr) << name;
  std::memcpy(function, &found, sizeof(found));
}

TEST(Dll, ExportsTheFunctionsOfTheHeadersOnly) {
  ASSERT_NE(Dll(), nullptr) << "error " << GetLastError();
  std::vector<std::string> symbols;
  for (const char* name : {POSENC_SYMBOLS}) {
    std::ifstream file(POSENC_SOURCE_DIR "/tests/install/" + std::string(name));
    ASSERT_TRUE(file.is_open()) << name;
    for (std::string line; std::getline(file, line);) symbols.push_back(line);
  }
  std::sort(symbols.begin(), symbols.end());
  EXPECT_EQ(ExportedNames(), symbols);
}

class DllOnTarget : public PerTarget {};

TEST_P(DllOnTarget, WritesTheSameBits) {
  ASSERT_NE(Dll(), nullptr);
  decltype(&posenc_encoder_create) create = nullptr;
  decltype(&posenc_encoder_destroy) destroy = nullptr;
  decltype(&posenc_write) write = nullptr;
  Find("posenc_encoder_create", &create);
  Find("posenc_encoder_destroy", &destroy);
  Find("posenc_write", &write);
  constexpr std::size_t kDim = 130, kRows = 100;
  const Spec spec = MakeSpec(kDim, target());
  const posenc_spec c_spec = spec;
  posenc_encoder* encoder = nullptr;
  ASSERT_EQ(create(&c_spec, &encoder), POSENC_OK);
  std::vector<float> out(kRows * kDim);
  EXPECT_EQ(write(encoder, -7, kRows, POSENC_F32, out.data(), kDim), POSENC_OK);
  destroy(encoder);
  EXPECT_TRUE(SameBits(out, Write(Create(spec), -7, kRows)));
}

POSENC_INSTANTIATE_PER_TARGET(DllOnTarget);

}  // namespace
}  // namespace posenc
