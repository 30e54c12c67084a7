# The sources of the digest's cases, which the command and other programs take it of.
set(posenc_digest_cases
  encoding_case.cc
  encoding_cases.cc
  encoding_special_cases.cc
  rotary_calls.cc
  rotary_case.cc
  rotary_cases.cc
  rotary_inputs.cc
  rotary_schedules.cc)
list(TRANSFORM posenc_digest_cases PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
