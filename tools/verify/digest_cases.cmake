# The sources that make the digest's cases, for the command and for other programs that compute the digest.
set(posenc_digest_cases calls.cc case.cc cases.cc encoding_rows.cc inputs.cc lists.cc norm_calls.cc norm_inputs.cc norm_rows.cc rotary_rows.cc rows.cc worst_cases.cc)
list(TRANSFORM posenc_digest_cases PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
