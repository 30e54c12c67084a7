// Fuzzes every C function of a product (calls.h). The fuzzer's bytes choose specs and arguments: first
// correct ones, then some that are spoilt, or memory that overlaps. Every target that this CPU can run must
// return and write the same as REFERENCE. A call with correct arguments is accepted, a sample of its results
// equals the oracle's, and it writes nothing else. A refused call writes nothing. AddressSanitizer and
// UndefinedBehaviorSanitizer watch the memory.
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cfenv>
#include <memory>
#include <string>
#include <vector>

#include "../calls.h"
#include "fuzzing.h"
#include "judge.h"
#include "spec/rows.h"
#include "spec/rules.h"
#include "specs.h"

namespace posenc {
namespace fuzz {
namespace {

constexpr std::size_t kNoIndex = 4711;  // the value of bad_index before a call

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// The memory of a call: one block for each buffer, so that AddressSanitizer notices every byte outside.
// Buffers that overlap share a block.
struct Memory {
  std::vector<std::unique_ptr<unsigned char, Free>> blocks;
  std::vector<std::size_t> sizes, shifts;

  unsigned char* Add(std::size_t size, std::size_t shift = 0) {
    sizes.push_back(shift + size);
    shifts.push_back(shift);
    blocks.emplace_back(static_cast<unsigned char*>(std::malloc(shift + size)));
    std::memset(blocks.back().get(), 0xA5, shift + size);
    return blocks.back().get() + shift;
  }
  void Put(Buffer* buffer, unsigned char* place) const {
    buffer->PointTo(place);
    buffer->Put(buffer->content, place);
  }
  // Puts buffer k into block k.
  void PutApart(Call* call, Bytes& bytes) {
    for (Buffer& b : call->buffers) {
      const std::size_t shift = b.alignment > 1 ? 0 : MakeSize(bytes.ConsumeBool() ? 0 : 63, bytes);
      Put(&b, Add(b.extent(), shift));
    }
  }
  // Puts both buffers into one block. The second begins inside the first, or behind it.
  void Overlap(Buffer* first, Buffer* second, Bytes& bytes) {
    const std::size_t size = first->extent(), align = std::max(first->alignment, second->alignment);
    const std::size_t at = MakeSize(size, bytes) / align * align;
    unsigned char* place = Add(std::max(size, at + second->extent()));
    Put(first, place);
    Put(second, place + at);
  }
  Bits Content() const {
    Bits content;
    for (std::size_t k = 0; k < blocks.size(); ++k)
      content.emplace_back(blocks[k].get(), blocks[k].get() + sizes[k]);
    return content;
  }
};

// Fills a list with valid numbers. If `is_wild`, some are probably invalid.
void FillList(Call* call, Buffer* buffer, bool is_wild, Bytes& bytes) {
  const bool is_real = buffer->type == POSENC_F32 || buffer->type == POSENC_F64;
  for (std::size_t k = 0; k < buffer->count(); ++k) {
    double real = 0.0;
    std::int64_t integer = 0;
    const bool is_row = buffer->values == Values::kRowIndices;
    const bool is_slot = buffer->values == Values::kSlots;
    const std::size_t end = is_row ? call->a.cache_rows : is_slot ? call->a.slots.count : 3;  // for indices
    if (is_wild && Rarely(bytes, 4)) {
      is_real ? real = MakeWildReal(bytes) : integer = MakeEdge(bytes);
      if (bytes.ConsumeBool()) integer = static_cast<std::int64_t>(end);
    } else if (is_real) {
      real = MakeDoublePosition(bytes);
    } else if (buffer->values == Values::kPositions) {
      integer = MakePosition(bytes);
    } else if (is_slot) {
      integer = static_cast<std::int64_t>(MakeSize(end, bytes)) - 1;
    } else {
      integer = static_cast<std::int64_t>(MakeSize(end - 1, bytes));
    }
    unsigned char* at = &buffer->content[k * buffer->size];
    const auto put = [&](const auto& value) { std::memcpy(at, &value, sizeof(value)); };
    if (buffer->type == POSENC_I32) put(static_cast<std::int32_t>(integer));
    if (buffer->type == POSENC_I64) put(integer);
    if (buffer->type == POSENC_F32) put(static_cast<float>(real));
    if (buffer->type == POSENC_F64) put(real);
  }
}

// The offset is larger than the distance that positions keep from the limits.
bool IsOffsetWild(const Setting& setting) { return std::abs(setting.spec.position_offset) > 4000; }

// Replaces the default arguments by other correct ones. Returns whether they may be wrong after all.
bool Vary(Call* call, std::string* name, Bytes& bytes) {
  bool is_wild = IsOffsetWild(call->setting);
  const std::vector<std::uint8_t> pattern = bytes.ConsumeBytes<std::uint8_t>(MakeSize(24, bytes));
  const std::size_t gap = bytes.ConsumeBool() ? 0 : MakeSize(20, bytes);
  for (Buffer& b : call->buffers) {
    b.Spread(b.are_heads && bytes.ConsumeBool() ? gap / 2 : gap, bytes.ConsumeBool());
    if (b.use == Use::kWritten) continue;
    if (b.values == Values::kEntries || (b.values == Values::kAny && b.alignment == 1)) {
      for (std::size_t k = 0; !pattern.empty() && k < b.content.size(); ++k)
        b.content[k] = pattern[k % pattern.size()];
    } else if (b.values != Values::kAny) {
      const bool is_wild_list = Rarely(bytes, 4);
      is_wild |= is_wild_list;
      FillList(call, &b, is_wild_list, bytes);
    }
  }
  Arguments& a = call->a;
  if (bytes.ConsumeBool()) a.scale = static_cast<float>(MakeWildReal(bytes));
  for (posenc_heads& tensor : a.tensors) {
    if (bytes.ConsumeBool()) tensor.scale = bytes.PickValueInArray({0.0, 1.0, 0.125, 3.0, 0x1.8p-20, 0x1p40});
    tensor.inverse = bytes.ConsumeBool() ? 1 : 0;
  }
  for (posenc_norm& norm : a.norms) {
    norm.epsilon = bytes.PickValueInArray({0.0, 1e-6, 0x1p-126, 1.0, 0x1.123456789abcdp-30});
    norm.plus_one = bytes.ConsumeBool() ? 1 : 0;
  }
  if (call->function.Is("_grid") && bytes.ConsumeBool()) std::swap(a.axes[0].column, a.axes[1].column);
  if (const std::vector<std::string> names = NamesFor(call->function);
      !names.empty() && bytes.ConsumeBool()) {
    *name =
        bytes.ConsumeBool() ? names[MakeSize(names.size() - 1, bytes)] : bytes.ConsumeRandomLengthString(20);
    a.name = name->c_str();
    is_wild = true;  // some presets exist only for some sizes
  }
  return is_wild;
}

// Makes a size smaller, or larger than memory.
void Spoil(std::size_t* size, Bytes& bytes) {
  *size = bytes.ConsumeBool() ? MakeHuge(bytes) : MakeSize(*size, bytes, std::min<std::size_t>(*size, 1));
}

template <class T>
T* Pick(std::vector<T>& items, Bytes& bytes) {
  return items.empty() ? nullptr : &items[MakeSize(items.size() - 1, bytes)];
}

// Changes some argument, usually to a wrong value.
void Mutate(Call* call, Bytes& bytes) {
  Arguments& a = call->a;
  Buffer* buffer = Pick(call->buffers, bytes);
  posenc_heads& tensor = a.tensors[MakeSize(1, bytes)];
  posenc_grid_axis& axis = a.axes[MakeSize(1, bytes)];
  void* const null = nullptr;
  switch (bytes.ConsumeIntegralInRange(0, 9)) {
    case 0:
      if (Size* size = Pick(call->sizes, bytes))
        Rarely(bytes, 4) ? void(*size->argument = 0) : Spoil(size->argument, bytes);
      break;
    case 1: {
      std::size_t* stride = buffer != nullptr ? buffer->strides[MakeSize(1, bytes)] : nullptr;
      if (stride != nullptr) Spoil(stride, bytes);
      break;
    }
    case 2:
      if (const Choice* choice = Pick(call->choices, bytes)) {
        const std::int32_t value = MakeWildEnum(bytes);
        if (std::count(choice->values.begin(), choice->values.end(), value) == 0)
          std::memcpy(choice->argument, &value, sizeof(value));
      }
      break;
    case 3:
      if (buffer != nullptr && buffer->null.kind != kNoArgument) buffer->PointTo(nullptr);
      break;
    case 4:
      if (const auto* pointer = Pick(call->pointers, bytes)) std::memcpy(pointer->first, &null, sizeof(null));
      break;
    case 5:
      if (const RunOfSteps* run = Pick(call->runs, bytes)) {  // at either end of the range, or anywhere
        const std::int64_t last = run->most - run->steps + 1;
        *run->first =
            bytes.ConsumeBool() ? MakeEdge(bytes) : bytes.ConsumeIntegralInRange(last - 1, last + 2);
        break;
      }
      a.first = MakeEdge(bytes);
      break;
    case 6:
      (bytes.ConsumeBool() ? tensor.scale : a.norms[MakeSize(1, bytes)].epsilon) = MakeWildReal(bytes);
      break;
    case 7:
      Spoil(bytes.ConsumeBool() ? &tensor.heads : &a.tensor_count, bytes);
      a.tensor_count = std::min<std::size_t>(a.tensor_count, 2);
      break;
    case 8:
      axis.column = Rarely(bytes, 4) ? MakeHuge(bytes) : MakeSize(call->setting.spec.dim, bytes);
      a.axis_count = bytes.PickValueInArray<std::size_t>({0, 1, 2, 9, SIZE_MAX});
      break;
    default:  // wrong values for memory and structs
      if (call->function.Allocates()) break;
      a.bytes = Rarely(bytes, 4) ? SIZE_MAX : MakeSize(a.bytes, bytes);
      if (call->function.Is("_create_in")) a.bytes = std::min<std::size_t>(a.bytes, 1 << 20);
  }
}

// The rounding mode and the raised exceptions. On x86 fegetround looks at the x87 only, so this reads the SSE
// state.
unsigned FpState() {
#ifdef __SSE2__
  return _mm_getcsr();
#else
  return static_cast<unsigned>(std::fegetround());
#endif
}

// Makes the call in a rounding mode. The call must not change the state.
posenc_status RunRounding(int rounding, Call* call) {
  std::fesetround(rounding);
  const unsigned state = FpState();
  const posenc_status status = (*call)();
  POSENC_FUZZ_CHECK(FpState() == state);
  std::fesetround(FE_TONEAREST);
  return status;
}

// What a call returns and writes on one target.
struct Outcome {
  posenc_status created = POSENC_OK, status = POSENC_OK;
  std::size_t bad_index = kNoIndex, bad_axis = kNoIndex;
  Bits memory;
};

// Creates a handle. The spec and its lists are freed afterwards, so the handle must not need them. If
// creation is refused, creation in the caller's memory is refused for the same reason, and nothing is
// written.
template <class Spec, class Handle, class Create, class CreateIn, class Ask>
posenc_status Make(const OwnedSpec<Spec>& spec, const char* target, Handle** handle, const Create& create,
                   const CreateIn& create_in, const Ask& ask) {
  const posenc_status status =
      spec.WithPassingLists(target, [&](const Spec* passing) { return create(passing, handle); });
  POSENC_FUZZ_CHECK((status == POSENC_OK) == (*handle != nullptr));
  if (status == POSENC_OK) return status;  // the listed calls create more handles
  spec.WithPassingLists(target, [&](const Spec* passing) {
    std::size_t size = kNoIndex;
    const posenc_status asked = ask(passing, &size);
    // If a frequency is next to a limit, the estimate may accept what creation refuses.
    const bool is_estimate = status == internal::rule::frequency_range && asked == POSENC_OK;
    POSENC_FUZZ_CHECK(asked == status || is_estimate);
    POSENC_FUZZ_CHECK(asked == POSENC_OK || size == kNoIndex);
    Memory memory;
    unsigned char* place = memory.Add(is_estimate ? size : 4000);
    const Bits before = memory.Content();
    POSENC_FUZZ_CHECK(create_in(passing, place, memory.sizes[0], handle) != POSENC_OK && *handle == nullptr);
    POSENC_FUZZ_CHECK(is_estimate || memory.Content() == before);
    return POSENC_OK;
  });
  return status;
}

// Specs for an encoder and for a rotary, made from the fuzzer's bytes, and their handles.
class Handles {
 public:
  Handles(const char* target, Bytes& bytes) : setting(target), is_rotary(bytes.ConsumeBool()) {
    if (is_rotary) {
      rotary_ = std::make_unique<OwnedRotarySpec>(bytes);
      rotary_->Point();
      status = Make(*rotary_, target, &setting.rotary, &posenc_rotary_create, &posenc_rotary_create_in,
                    &posenc_rotary_memory_size);
      if (status == POSENC_OK) setting.rotary_spec = rotary_->spec();
      POSENC_FUZZ_CHECK(posenc_encoder_create(&setting.spec, &setting.encoder) == POSENC_OK);
    } else {
      encoder_ = std::make_unique<OwnedEncoderSpec>(bytes);
      encoder_->Point();
      status = Make(*encoder_, target, &setting.encoder, &posenc_encoder_create, &posenc_encoder_create_in,
                    &posenc_encoder_memory_size);
      if (status == POSENC_OK) setting.spec = encoder_->spec();
      POSENC_FUZZ_CHECK(posenc_rotary_create(&setting.rotary_spec, &setting.rotary) == POSENC_OK);
    }
    setting.spec.target = setting.rotary_spec.target = target;
    const std::size_t dim = std::max(setting.spec.dim, setting.rotary_spec.head_dim);
    setting.rows = MakeSize(!Rarely(bytes, 8) || dim > 60 ? 5 : dim > 24 ? 24 : 70, bytes, 1);
    setting.first = MakePosition(bytes);
    setting.from_source = bytes.ConsumeBool();
    setting.has_slots = setting.from_source && bytes.ConsumeBool();
    setting.has_norms = bytes.ConsumeBool();
    setting.over_heads = setting.has_norms && bytes.ConsumeBool();
    setting.cache_layout = static_cast<posenc_cache_layout>(
        bytes.ConsumeIntegralInRange(0, internal::EndOf(internal::Of::cache_layout) - 1));
    setting.position_type = static_cast<posenc_type>(rows_of::kPositions[MakeSize(3, bytes)]);
  }

  Setting setting;
  bool is_rotary;
  posenc_status status;

 private:
  std::unique_ptr<OwnedEncoderSpec> encoder_;
  std::unique_ptr<OwnedRotarySpec> rotary_;
};

// Chooses a function, usually one that writes rows or rotates, and types that it takes.
std::unique_ptr<Call> MakeCall(const Handles& handles, Bytes& bytes) {
  const auto& functions = Functions();
  const Function& function =
      functions[Rarely(bytes, 6) || kFirstOfNeither == 0 ? MakeSize(functions.size() - 1, bytes)
                : handles.is_rotary ? MakeSize(kFirstOfNeither - 1, bytes, kFirstOfRotaries)
                                    : MakeSize(kFirstOfRotaries - 1, bytes)];
  const auto pick = [&](const Types& types) { return types[MakeSize(types.size() - 1, bytes)]; };
  const std::int32_t type = pick(function.types), list_type = pick(function.list_types);
  std::int32_t table_type = 0;  // for caches too
  if (function.Is("write_cache")) table_type = pick(rows_of::kWritten);
  if (function.Is("_cached") || function.HasTable()) table_type = pick(rows_of::kSummands);
  if (function.HasTable() && type != POSENC_F32) table_type = type;
  return std::make_unique<Call>(function, handles.setting, type, list_type, table_type);
}

// Makes the call in memory that does not overlap.
posenc_status RunApart(int rounding, Call* call, Bits* results) {
  Memory apart;
  std::vector<unsigned char*> places;
  for (const Buffer& b : call->buffers) {
    places.push_back(b.place());
    unsigned char* place = apart.Add(b.extent());
    std::memcpy(place, b.place(), b.extent());
    b.PointTo(place);
  }
  const posenc_status status = RunRounding(rounding, call);
  *results = call->Results();
  for (std::size_t k = 0; k < places.size(); ++k) call->buffers[k].PointTo(places[k]);
  return status;
}

// Checks that only results were written.
void CheckWritten(const Call& call, const Memory& memory, Bits before) {
  const Bits after = memory.Content();
  for (std::size_t k = 0; k < call.buffers.size(); ++k) {
    const Buffer& b = call.buffers[k];
    if (b.use == Use::kScratch) before[k] = after[k];
    if (!b.IsWritten()) continue;
    b.ForEachPiece([&](std::size_t at, std::size_t, std::size_t n) {
      std::copy_n(&after[k][memory.shifts[k] + at], n, &before[k][memory.shifts[k] + at]);
    });
  }
  POSENC_FUZZ_CHECK(after == before);
}

// Checks that rows and heads that are written share no byte, whatever the strides are.
void CheckDisjoint(const Call& call) {
  for (const Buffer& b : call.buffers) {
    std::vector<std::size_t> offsets;
    if (b.IsWritten())
      b.ForEachPiece([&](std::size_t at, std::size_t, std::size_t) { offsets.push_back(at); });
    std::sort(offsets.begin(), offsets.end());
    for (std::size_t k = 1; k < offsets.size(); ++k)
      POSENC_FUZZ_CHECK(offsets[k] - offsets[k - 1] >= b.counts[2] * b.size);
  }
}

// The results that all targets must share: not names and sizes of targets, not memory with addresses, and not
// the bits of NaNs with POSENC_FAST.
Bits Comparable(const Call& call, const Memory& memory) {
  for (const char* part : {"_create", "_size", "_target", "_angles_make"}) {
    if (call.function.Is(part)) return {};
  }
  Bits content = memory.Content();
  for (std::size_t k = 0; k < call.buffers.size() && HasFastNans(call); ++k) {
    if (!call.buffers[k].IsWritten()) continue;
    const std::size_t shift = memory.shifts[k];
    ForgetNans(call.a.type, content[k].data() + shift, (content[k].size() - shift) / call.buffers[k].size);
  }
  return content;
}

// Makes the same call for any target.
Outcome Run(const std::uint8_t* data, std::size_t size, const char* target, bool is_reference) {
  Bytes bytes(data, size);
  Outcome outcome;
  const Handles handles(target, bytes);
  outcome.created = handles.status;
  if (handles.status != POSENC_OK) return outcome;
  const std::unique_ptr<Call> call = MakeCall(handles, bytes);
  std::string name;
  const bool is_wild = Vary(call.get(), &name, bytes);
  const int rounding = bytes.PickValueInArray({FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO});

  Memory memory;
  memory.PutApart(call.get(), bytes);
  Buffer *first = Pick(call->buffers, bytes), *second = Pick(call->buffers, bytes);
  const bool are_arguments =
      first != second && first->null.kind != kNoArgument && second->null.kind != kNoArgument;
  const bool overlaps = are_arguments && Rarely(bytes, 8), spoils = !overlaps && Rarely(bytes, 3);
  Bits apart;
  posenc_status status_apart = POSENC_OK;
  if (overlaps) {
    memory.Overlap(first, second, bytes);
    status_apart = RunApart(rounding, call.get(), &apart);
  }
  if (spoils) Mutate(call.get(), bytes);
  if (!Rarely(bytes, 4)) call->a.bad_index = &outcome.bad_index, call->a.bad_axis = &outcome.bad_axis;

  const Bits before = memory.Content();
  outcome.status = RunRounding(rounding, call.get());
  if (outcome.status != POSENC_OK) {
    if (!is_wild && !spoils && !overlaps)
      Fail("right arguments are accepted", call->function.name, outcome.status);
    POSENC_FUZZ_CHECK(memory.Content() == before);
    const bool is_of_list = posenc_status_kind(outcome.status) == POSENC_OUT_OF_RANGE;
    const bool may_be_of_run = spoils || IsOffsetWild(call->setting);
    const bool is_untold = outcome.status == rule::slot_range && !call->function.Is("_at");
    POSENC_FUZZ_CHECK(outcome.bad_index != kNoIndex || !is_of_list || may_be_of_run || is_untold ||
                      call->a.bad_index == nullptr);
    return outcome;
  }
  POSENC_FUZZ_CHECK(outcome.bad_index == kNoIndex && outcome.bad_axis == kNoIndex);
  if (overlaps) {  // if overlap is accepted, the results must be the same as without it
    POSENC_FUZZ_CHECK(status_apart == POSENC_OK);
    const Bits& results = call->Results();
    for (std::size_t k = 0; k < results.size(); ++k)
      POSENC_FUZZ_CHECK(!call->buffers[k].IsWritten() || results[k] == apart[k]);
    return outcome;
  }
  CheckDisjoint(*call);
  if (!spoils) CheckWritten(*call, memory, before);
  if (!spoils && is_reference) CheckByOracle(call.get(), bytes.ConsumeIntegral<std::uint16_t>());
  outcome.memory = Comparable(*call, memory);
  return outcome;
}

}  // namespace
}  // namespace fuzz
}  // namespace posenc

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc::fuzz;
  posenc_target targets[POSENC_MAX_TARGETS];
  const std::size_t count = posenc_targets(targets, POSENC_MAX_TARGETS);
  const Outcome want = Run(data, size, targets[count - 1].name, true);
  for (std::size_t k = 0; k + 1 < count; ++k) {
    if (targets[k].runnable == 0) continue;
    const Outcome got = Run(data, size, targets[k].name, false);
    POSENC_FUZZ_CHECK(got.created == want.created && got.status == want.status);
    POSENC_FUZZ_CHECK(got.bad_index == want.bad_index && got.bad_axis == want.bad_axis);
    POSENC_FUZZ_CHECK(got.memory == want.memory);
  }
  return 0;
}
