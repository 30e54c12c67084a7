// The list of the core's functions.
#include "calls.h"

#include "angle_calls.h"

namespace posenc {
namespace {

// The structs that a call takes. Their pointers are valid until the end of the full expression.
class Structs {
 public:
  explicit Structs(const Arguments& a)
      : a_(a),
        out_{a.type, a.data, a.stride},
        list_{a.list_type, a.list},
        positions_{a.position_type, a.positions},
        lookup_{{a.list_type, a.list}, a.table_type, a.table, a.vocabulary, a.table_stride},
        batch_{a.batch, a.batch_stride, {a.list_type, a.list}},
        cache_{a.cache.layout, a.cache.type, a.cache.cos, a.cache.sin, a.cache.row_stride, a.cache_rows} {}

  const posenc_rows* out() const { return a_.rows_there == nullptr ? nullptr : &out_; }
  const posenc_list* list() const { return a_.list_there == nullptr ? nullptr : &list_; }
  const posenc_list* positions() const { return a_.positions_there == nullptr ? nullptr : &positions_; }
  const posenc_lookup* lookup() const { return a_.lookup_there == nullptr ? nullptr : &lookup_; }
  const posenc_batch* batch() const { return a_.batch_there == nullptr ? nullptr : &batch_; }
  const posenc_const_cache* cache() const { return a_.passed_cache == nullptr ? nullptr : &cache_; }

 private:
  const Arguments& a_;
  posenc_rows out_;
  posenc_list list_, positions_;
  posenc_lookup lookup_;
  posenc_batch batch_;
  posenc_const_cache cache_;
};

}  // namespace

const std::size_t kFirstOfRotaries = 9, kFirstOfNeither = 18;
const char* const kSymbols = "symbols.txt";
std::vector<std::string> NamesFor(const Function& /*function*/) { return {}; }

const std::vector<RefusalRow>& RefusalRows() {
  static const std::vector<RefusalRow> rows = {
#define REFUSAL(calls, good, passing, broken, refused, told) \
  {calls, good, passing, rule::broken, refused, told},
#include "refusals.inc"
  };
  return rows;
}

// calls_allocation_test.cc makes memory fail. unusual_arguments_test.cc names each target, and has later
// structs. rotary_angles_test.cc has angles of two rotaries. No test can break inexact_build, because the
// library and the tests have the same compiler flags.
const std::vector<posenc_status>& RulesTestedElsewhere() {
  static const std::vector<posenc_status> rules = {rule::no_memory,       rule::target_cpu,
                                                   rule::inexact_build,   rule::null_work,
                                                   rule::unknown_members, rule::angles_rotary};
  return rules;
}

const std::vector<Function>& Functions() {
  using namespace rows_of;
  using A = Arguments&;
  constexpr posenc_status kOk = POSENC_OK;
  static const std::vector<Function> functions = {
      {"posenc_write", &Matrix<false, false>, kWritten, kNone,
       [](A a) { return posenc_write(a.encoder, a.first, a.rows, Structs(a).out()); }},
      {"posenc_write_at", &Matrix<false, true>, kWritten, kPositions,
       [](A a) {
         return posenc_write_at(a.encoder, Structs(a).list(), a.rows, Structs(a).out(), a.bad_index);
       }},
      {"posenc_add", &Matrix<true, false>, kSummands, kNone,
       [](A a) { return posenc_add(a.encoder, a.first, a.rows, Structs(a).out(), a.scale); }},
      {"posenc_add_at", &Matrix<true, true>, kSummands, kPositions,
       [](A a) {
         return posenc_add_at(a.encoder, Structs(a).list(), a.rows, Structs(a).out(), a.scale, a.bad_index);
       }},
      {"posenc_embed", &Embed<false>, kSummands, kIntegers,
       [](A a) {
         return posenc_embed(a.encoder, Structs(a).lookup(), a.first, a.rows, Structs(a).out(), a.scale,
                             a.bad_index);
       }},
      {"posenc_embed_at", &Embed<true>, kSummands, kIntegers,
       [](A a) {
         return posenc_embed_at(a.encoder, Structs(a).lookup(), Structs(a).positions(), a.rows,
                                Structs(a).out(), a.scale, a.bad_index);
       }},
      {"posenc_add_batch", &Batch, kSummands, kIntegers,
       [](A a) {
         return posenc_add_batch(a.encoder, Structs(a).batch(), a.first, a.rows, Structs(a).out(), a.scale,
                                 a.bad_index);
       }},
      {"posenc_write_grid", &Grid<false>, kWritten, kPositions,
       [](A a) {
         return posenc_write_grid(a.passed_axes, a.axis_count, a.prefix_rows, Structs(a).out(), a.bad_axis,
                                  a.bad_index);
       }},
      {"posenc_add_grid", &Grid<true>, kSummands, kPositions,
       [](A a) {
         return posenc_add_grid(a.passed_axes, a.axis_count, a.prefix_rows, Structs(a).out(), a.scale,
                                a.bad_axis, a.bad_index);
       }},
      {"posenc_rotate", &OfRotary<false, &Tensors>, kSummands, kNone,
       [](A a) { return posenc_rotate(a.rotary, a.first, a.rows, a.passed_tensors, a.tensor_count); }},
      {"posenc_rotate_at", &OfRotary<true, &Tensors>, kSummands, kPositions,
       [](A a) {
         return posenc_rotate_at(a.rotary, Structs(a).list(), a.rows, a.passed_tensors, a.tensor_count,
                                 a.bad_index);
       }},
      {"posenc_write_cache", &OfRotary<false, &WrittenCache>, kWritten, kNone,
       [](A a) { return posenc_write_cache(a.rotary, a.first, a.rows, a.passed_cache); }},
      {"posenc_write_cache_at", &OfRotary<true, &WrittenCache>, kWritten, kPositions,
       [](A a) {
         return posenc_write_cache_at(a.rotary, Structs(a).list(), a.rows, a.passed_cache, a.bad_index);
       }},
      {"posenc_rotate_cached", &RotateCached<false>, kSummands, kNone,
       [](A a) {
         return posenc_rotate_cached(a.rotary, Structs(a).cache(), a.first, a.rows, a.passed_tensors,
                                     a.tensor_count);
       }},
      {"posenc_rotate_cached_at", &RotateCached<true>, kSummands, kIntegers,
       [](A a) {
         return posenc_rotate_cached_at(a.rotary, Structs(a).cache(), Structs(a).list(), a.rows,
                                        a.passed_tensors, a.tensor_count, a.bad_index);
       }},
      {"posenc_rotate_by_angles", &ByAngles, kSummands, kNone,
       [](A a) {
         return posenc_rotate_by_angles(a.rotary, a.angles, a.first, a.rows, a.passed_tensors,
                                        a.tensor_count);
       }},
      {"posenc_angles_make", &MakeAngles<false>, kNone, kNone,
       [](A a) {
         return RotateByMade(posenc_angles_make(a.rotary, a.first, a.rows, a.data, a.bytes, Any{a.other}), a);
       }},
      {"posenc_angles_make_at", &MakeAngles<true>, kNone, kPositions,
       [](A a) {
         return RotateByMade(posenc_angles_make_at(a.rotary, Structs(a).list(), a.rows, a.data, a.bytes,
                                                   Any{a.other}, a.bad_index),
                             a);
       }},
      {"posenc_angles_memory_size", &AnglesMemorySize, kNone, kNone,
       [](A a) { return posenc_angles_memory_size(a.rotary, a.rows, Any{a.data}); }},
      {"posenc_encoder_create", &Create<false, false>, kNone, kNone,
       &Make<posenc_encoder, &posenc_encoder_create, &posenc_encoder_radians, &posenc_encoder_destroy>},
      {"posenc_encoder_create_in", &Create<false, true>, kNone, kNone,
       &Make<posenc_encoder, &posenc_encoder_create_in, &posenc_encoder_radians, &posenc_encoder_destroy>},
      {"posenc_rotary_create", &Create<true, false>, kNone, kNone,
       &Make<posenc_rotary, &posenc_rotary_create, &posenc_rotary_radians, &posenc_rotary_destroy>},
      {"posenc_rotary_create_in", &Create<true, true>, kNone, kNone,
       &Make<posenc_rotary, &posenc_rotary_create_in, &posenc_rotary_radians, &posenc_rotary_destroy>},
      {"posenc_encoder_memory_size", &MemorySize<false>, kNone, kNone,
       [](A a) { return posenc_encoder_memory_size(Any{a.spec}, Any{a.data}); }},
      {"posenc_rotary_memory_size", &MemorySize<true>, kNone, kNone,
       [](A a) { return posenc_rotary_memory_size(Any{a.spec}, Any{a.data}); }},
      {"posenc_spec_init", &FillSpec<posenc_spec>, kNone, kNone,
       [](A a) { return posenc_spec_init(Any{a.data}, a.bytes); }},
      {"posenc_rotary_spec_init", &FillSpec<posenc_rotary_spec>, kNone, kNone,
       [](A a) { return posenc_rotary_spec_init(Any{a.data}, a.bytes); }},
      {"posenc_with_fp_state", &CallsBack, kNone, kNone,
       [](A a) { return posenc_with_fp_state(&WriteThird, Any{a.data}); }},
      {"posenc_targets", &Items<posenc_target>, kNone, kNone,
       [](A a) { return posenc_targets(Any{a.data}, a.rows), kOk; }},
      POSENC_GETTER(posenc_encoder_dim),
      POSENC_GETTER(posenc_encoder_layout),
      POSENC_GETTER(posenc_encoder_target),
      POSENC_GETTER(posenc_encoder_frequency_count),
      POSENC_GETTER(posenc_encoder_radians),
      POSENC_GETTER(posenc_rotary_head_dim),
      POSENC_GETTER(posenc_rotary_target),
      POSENC_GETTER(posenc_rotary_frequency_count),
      POSENC_GETTER(posenc_rotary_amplitude),
      POSENC_GETTER(posenc_rotary_radians),
      POSENC_GETTER(posenc_status_message),
      POSENC_GETTER(posenc_status_kind),
      POSENC_GETTER(posenc_version),
      {"posenc_encoder_destroy", [](Call&) {}, kNone, kNone,
       [](A) { return posenc_encoder_destroy(nullptr), kOk; }},
      {"posenc_rotary_destroy", [](Call&) {}, kNone, kNone,
       [](A) { return posenc_rotary_destroy(nullptr), kOk; }},
  };
  return functions;
}

}  // namespace posenc
