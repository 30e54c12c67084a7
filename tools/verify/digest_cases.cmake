# The sources of the digest's cases, which the command and other programs take it of.
set(posenc_digest_cases calls.cc case.cc cases.cc inputs.cc rows.cc)
list(TRANSFORM posenc_digest_cases PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
