// Every function of the C ABI, called as C can: with null handles, structs of other versions, unknown types,
// memory that overlaps. Statuses are those that the documentation allows; accepted calls write what the C++
// call writes on the same target, and refused ones nothing. AddressSanitizer and UndefinedBehaviorSanitizer
// watch the memory.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "c_input.h"
#include "to_c.h"

namespace posenc {
namespace fuzz {
namespace {

const std::vector<std::uint8_t> kCanary = {0xC5, 0x5C, 0x17};

void CheckVersionAndMessages(FuzzedDataProvider& bytes) {
  POSENC_FUZZ_CHECK(posenc_version() == POSENC_VERSION);
  const auto status = bytes.ConsumeIntegral<posenc_status>();
  const char* message = posenc_status_message(status);
  POSENC_FUZZ_CHECK(message != nullptr && message[0] != '\0');
  POSENC_FUZZ_CHECK(std::strcmp(message, StatusMessage(static_cast<Status>(status))) == 0);
}

void CheckTargets(FuzzedDataProvider& bytes) {
  Target want[kMaxTargets];
  const std::size_t count = Targets(want);
  const auto capacity = bytes.ConsumeIntegralInRange<std::size_t>(0, kMaxTargets);
  const Memory memory(capacity * sizeof(posenc_target), 0, kCanary);
  auto* targets = reinterpret_cast<posenc_target*>(memory.data());
  POSENC_FUZZ_CHECK(posenc_targets(targets, capacity) == count);
  POSENC_FUZZ_CHECK(posenc_targets(nullptr, capacity) == count);
  for (std::size_t i = 0; i < std::min(count, capacity); ++i) {
    POSENC_FUZZ_CHECK(std::strcmp(targets[i].name, want[i].name) == 0);
    POSENC_FUZZ_CHECK((targets[i].runnable == 1) == want[i].runnable &&
                      (targets[i].best == 1) == want[i].best);
  }
}

void CheckSpecInit(FuzzedDataProvider& bytes) {
  const auto struct_size = bytes.ConsumeIntegralInRange<std::size_t>(0, 4200);
  const Memory memory(struct_size, 0, kCanary);
  auto* spec = reinterpret_cast<posenc_spec*>(memory.data());
  POSENC_FUZZ_CHECK(posenc_spec_init(nullptr, struct_size) == POSENC_NULL_POINTER);
  if (posenc_spec_init(spec, struct_size) != POSENC_OK) {
    POSENC_FUZZ_CHECK(struct_size < sizeof(posenc_spec) || struct_size > 4096);
    POSENC_FUZZ_CHECK(memory == Memory(struct_size, 0, kCanary));
    return;
  }
  posenc_spec want = ToC(Spec());
  want.struct_size = struct_size;
  const Memory zeros(struct_size, 0, {0});
  std::memcpy(zeros.data(), &want, sizeof(want));
  POSENC_FUZZ_CHECK(memory == zeros);
}

// So many bytes of what an encoder asks for are for the worst alignment: with less, it may or may not be
// made.
constexpr std::size_t kSlack = 256;

// Stands for no encoder, and is never followed.
posenc_encoder* Untouched() {
  static std::uint64_t memory;
  return reinterpret_cast<posenc_encoder*>(&memory);
}

// Memory for an encoder, of any alignment, at the end of a block or among others of the call's arguments.
struct Room {
  Room(const CSpec& c_spec, std::size_t bytes_needed, FuzzedDataProvider& bytes)
      : front(bytes.ConsumeIntegralInRange<std::size_t>(0, 127)),
        size(bytes_needed -
             (bytes.ConsumeBool() ? 0 : bytes.ConsumeIntegralInRange<std::size_t>(0, bytes_needed))),
        spec(c_spec.get()) {
    enum Inside : int { kSpec, kOut, kList, kNothing };
    const auto inside = static_cast<Inside>(bytes.ConsumeIntegralInRange(0, 15));
    std::size_t argument_size = 0, alignment = 8;
    if (inside == kSpec && spec != nullptr) argument_size = c_spec.size();
    if (inside == kOut) argument_size = sizeof(void*);
    if (inside == kList && spec != nullptr) {
      argument_size = c_spec.list_size();
      alignment = 1;
    }
    block = Memory(front + size + argument_size + (argument_size == 0 ? 0 : 64), 0, kCanary);
    if (argument_size == 0) return;
    const std::size_t last = block.size() - argument_size;
    const std::size_t at = bytes.ConsumeIntegralInRange<std::size_t>(
                               0, bytes.ConsumeBool() ? last : std::min<std::size_t>(last, 256)) /
                           alignment * alignment;
    std::uint8_t* argument = block.data() + at;
    if (inside == kSpec) {
      std::memcpy(argument, spec, argument_size);
      spec = reinterpret_cast<const posenc_spec*>(argument);
    } else if (inside == kOut) {
      out = reinterpret_cast<posenc_encoder**>(argument);
      *out = Untouched();
    } else {
      spec_of_list = c_spec.WithListAt(argument);
      spec = reinterpret_cast<const posenc_spec*>(spec_of_list.data());
    }
    overlaps = at < front + size && front < at + argument_size;
  }
  std::uint8_t* memory() const { return block.data() + front; }

  std::size_t front, size;
  const posenc_spec* spec;
  posenc_encoder* outside = Untouched();
  posenc_encoder** out = &outside;
  bool overlaps = false;
  Memory block{0, 0, kCanary}, spec_of_list{0, 0, kCanary};
};

// The same encoder in C and in C++, or none.
class Encoders {
 public:
  Encoders(const CSpec& spec, FuzzedDataProvider& bytes)
      : faults_(spec.Create(&in_cpp_)),
        rounding_(bytes.PickValueInArray({FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO})) {
    const std::size_t size = MemorySize(spec);
    if (bytes.ConsumeBool()) {
      Create(spec, Rarely(bytes));
    } else {
      room_ = std::make_unique<Room>(spec, size, bytes);
      CreateIn(size, Rarely(bytes), Rarely(bytes));
    }
  }
  Encoders(const Encoders&) = delete;
  Encoders& operator=(const Encoders&) = delete;
  ~Encoders() { posenc_encoder_destroy(in_c_); }

  void CheckProperties(FuzzedDataProvider& bytes) const {
    const Frequencies& frequencies = in_cpp_.frequencies();
    const auto i = bytes.ConsumeIntegralInRange<std::size_t>(0, frequencies.count() + 1);
    const double radians = posenc_encoder_radians(in_c_, i), want = frequencies.Radians(i);
    POSENC_FUZZ_CHECK(i < frequencies.count() ? radians == want : std::isnan(radians));
    POSENC_FUZZ_CHECK(posenc_encoder_dim(in_c_) == in_cpp_.dim());
    POSENC_FUZZ_CHECK(posenc_encoder_layout(in_c_) == static_cast<posenc_layout>(in_cpp_.layout()));
    POSENC_FUZZ_CHECK(std::strcmp(posenc_encoder_target(in_c_), in_cpp_.target()) == 0);
    POSENC_FUZZ_CHECK(posenc_encoder_frequency_count(in_c_) == frequencies.count());
  }

  const posenc_encoder* in_c() const { return in_c_; }
  const Encoder& in_cpp() const { return in_cpp_; }

 private:
  // What posenc_encoder_create_in asks for; some size if the spec is refused.
  std::size_t MemorySize(const CSpec& spec) const {
    std::size_t size = 4711;
    const posenc_status status = posenc_encoder_memory_size(spec.get(), &size);
    POSENC_FUZZ_CHECK(faults_.Allow(status) && (status == POSENC_OK) == (size != 4711));
    POSENC_FUZZ_CHECK(posenc_encoder_memory_size(spec.get(), nullptr) != POSENC_OK);
    return size;
  }

  void Create(const CSpec& spec, bool null_out) {
    faults_.AddIf(null_out, POSENC_NULL_POINTER);
    posenc_encoder* encoder = Untouched();
    const posenc_status status = WithRounding(
        rounding_, [&] { return posenc_encoder_create(spec.get(), null_out ? nullptr : &encoder); });
    POSENC_FUZZ_CHECK(faults_.Allow(status) && (status == POSENC_OK) == (encoder != Untouched()));
    if (status == POSENC_OK) in_c_ = encoder;
  }

  void CreateIn(std::size_t needed, bool null_memory, bool null_out) {
    Room& room = *room_;
    faults_.AddIf(null_memory || null_out, POSENC_NULL_POINTER);
    faults_.AddIf(room.overlaps, POSENC_BUFFERS_OVERLAP);
    const std::vector<std::uint8_t> before(room.block.data(), room.block.data() + room.block.size());
    const posenc_status status = WithRounding(rounding_, [&] {
      return posenc_encoder_create_in(room.spec, null_memory ? nullptr : room.memory(), room.size,
                                      null_out ? nullptr : room.out);
    });
    std::size_t written_begin = 0, written_end = 0;
    if (status == POSENC_OK) {
      in_c_ = *room.out;
      *room.out = Untouched();
      written_begin = room.front;
      written_end = room.front + room.size;
      POSENC_FUZZ_CHECK(room.size + kSlack >= needed);
    } else {
      faults_.AddIf(room.size < needed, POSENC_MEMORY_TOO_SMALL);
    }
    POSENC_FUZZ_CHECK(faults_.Allow(status) && *room.out == Untouched());
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (i < written_begin || i >= written_end) POSENC_FUZZ_CHECK(room.block.data()[i] == before[i]);
    }
  }

  Encoder in_cpp_;
  Faults faults_;
  int rounding_;
  posenc_encoder* in_c_ = nullptr;
  std::unique_ptr<Room> room_;
};

void CheckNullEncoder(FuzzedDataProvider& bytes) {
  posenc_encoder_destroy(nullptr);
  POSENC_FUZZ_CHECK(posenc_encoder_dim(nullptr) == 0);
  POSENC_FUZZ_CHECK(posenc_encoder_layout(nullptr) == -1);
  POSENC_FUZZ_CHECK(posenc_encoder_target(nullptr)[0] == '\0');
  POSENC_FUZZ_CHECK(posenc_encoder_frequency_count(nullptr) == 0);
  POSENC_FUZZ_CHECK(std::isnan(posenc_encoder_radians(nullptr, bytes.ConsumeIntegral<std::size_t>())));
}

posenc_status Call(const posenc_encoder* e, const CallInput& c, posenc_type list_type, posenc_type type,
                   const Buffers& b) {
  switch (c.kind) {
    case Kind::kWrite:
      return posenc_write(e, c.first, c.rows, type, b.data, c.stride);
    case Kind::kWriteAt:
      return posenc_write_at(e, list_type, b.list, c.rows, type, b.data, c.stride, b.bad_index);
    case Kind::kAdd:
      return posenc_add(e, c.first, c.rows, type, b.data, c.stride, c.scale);
    case Kind::kAddAt:
      return posenc_add_at(e, list_type, b.list, c.rows, type, b.data, c.stride, c.scale, b.bad_index);
    case Kind::kEmbed:
      return posenc_embed(e, list_type, b.list, c.rows, type, b.table, c.vocabulary, c.table_stride, c.first,
                          b.data, c.stride, c.scale, b.bad_index);
    case Kind::kAddBatch:
      return posenc_add_batch(e, list_type, b.list, c.batch, c.rows, type, b.data, c.batch_stride, c.stride,
                              c.scale, b.bad_index);
  }
  std::abort();
}

void CheckCall(const Encoders& encoders, const CCall& c, const CallInput& call) {
  const std::size_t dim = encoders.in_cpp().dim();
  const auto parts = [&] { return Parts(call, dim, c.one_block, c.places); };
  const Parts before = parts(), in_c = parts(), in_cpp = parts();
  const bool valid = call.IsValid(dim), overlap = valid && before.Overlap(call, dim);
  if (valid && !overlap && call.IsLarge(dim)) return;
  const auto run = [&](const Parts& memory, std::size_t* index, const auto& function) {
    const Buffers buffers = memory.At(call, c.null_bad_index ? nullptr : index);
    return WithRounding(call.rounding, [&] { return function(buffers); });
  };
  std::size_t index_in_c = 4711, index_in_cpp = 4711;
  Faults faults;
  faults.Add(run(in_cpp, &index_in_cpp, [&](const Buffers& b) { return Run(encoders.in_cpp(), call, b); }));
  POSENC_FUZZ_CHECK(faults.None() == (valid && !overlap));
  POSENC_FUZZ_CHECK(!overlap || faults.Allow(POSENC_BUFFERS_OVERLAP));

  faults.AddIf(c.null_encoder, POSENC_NOT_CREATED);
  faults.AddIf(c.HasBadType(call), POSENC_BAD_TYPE);
  const posenc_status status = run(in_c, &index_in_c, [&](const Buffers& b) {
    return Call(c.null_encoder ? nullptr : encoders.in_c(), call, c.ListType(call), c.EntryType(call), b);
  });
  POSENC_FUZZ_CHECK(faults.Allow(status));
  POSENC_FUZZ_CHECK(in_c == (status == POSENC_OK ? in_cpp : before));
  POSENC_FUZZ_CHECK(index_in_c == (c.null_encoder || c.HasBadType(call) ? 4711 : index_in_cpp));
}

void CheckEncoder(FuzzedDataProvider& bytes) {
  const Encoders encoders(CSpec(bytes), bytes);  // the list of frequencies is gone when they are called
  const CCall c(bytes);
  if (encoders.in_c() == nullptr) return;
  encoders.CheckProperties(bytes);
  CheckCall(encoders, c, MakeCall(encoders.in_cpp().dim(), bytes));
}

}  // namespace
}  // namespace fuzz
}  // namespace posenc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc::fuzz;
  FuzzedDataProvider bytes(data, size);
  switch (bytes.ConsumeIntegralInRange(0, 31)) {
    case 0:
      CheckVersionAndMessages(bytes);
      break;
    case 1:
      CheckTargets(bytes);
      break;
    case 2:
      CheckSpecInit(bytes);
      break;
    case 3:
      CheckNullEncoder(bytes);
      break;
    default:
      CheckEncoder(bytes);
  }
  return 0;
}
