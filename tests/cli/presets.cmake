# Tests of the command with presets: a preset's name with members of the spec set after it, the list of presets, how two
# presets differ, and which preset made a table.
posenc_add_cli_test(presets STATUS 0
  STDOUT "^# enc[^\n]*\nattention_is_all_you_need\t[^\t\n]*\t[^\t\n]*\tnone\n.*\nfairseq\t[^\t\n]*\t[^\t\n]*\tf32_exp\n.*\n# rot[^\n]*\n.*\nllama3\t[^\t\n]*\t[^\t\n]*\n"
  RUN presets)
posenc_add_cli_test(presets.refuses.more STATUS 2 RUN presets more)

posenc_add_cli_test(table.preset STATUS 0
  STDOUT "^\\[\\[ 0\\.84   2e-04  0\\.54   1\\.     0\\.   \\]\\]\n$"
  RUN table --preset ctranslate2 --dim 5 --rows 1 --first 0 --dtype bfloat16 --base 5000)
posenc_add_cli_test(table.preset.padding STATUS 0
  STDOUT "^\\[\\[ 0\\.          1\\.        \\]\n \\[ 0\\.          0\\.        \\]\n \\[ 0\\.9092974  -0\\.41614684\\]\\]\n$"
  RUN table --preset fairseq --dim 2 --rows 3)
posenc_add_cli_test(table.preset.no_padding STATUS 0 STDOUT "^\\[\\[ 0\\.84147096  0\\.5403023 \\]\\]\n$"
  RUN table --preset fairseq --dim 2 --rows 1 --first 1 --padding-position none)
posenc_add_cli_test(table.preset.input_first STATUS 0 STDOUT "^\\[\\[ 3\\.         0\\.14112   -0\\.9899925\\]\\]\n$"
  RUN table --preset nerf --dim 3 --positions 3)
posenc_add_cli_test(table.preset.no_input_first STATUS 0 STDOUT "^\\[\\[ 0\\.14112   -0\\.9899925\\]\\]\n$"
  RUN table --preset nerf --dim 2 --positions 3 --no-input-first)
posenc_add_cli_test(table.preset.frequencies STATUS 0 STDOUT "^\\[\\[ 1\\. -1\\.  0\\.  0\\.\\]\\]\n$"
  RUN table --preset gaussian_fourier --dim 4 --positions 1 --frequencies 0.25:-0.25)
posenc_add_cli_test(table.preset.source STATUS 0 STDOUT " 0\\.009999833110660423 "
  RUN table --preset pytorch_tutorial --dim 4 --positions 1 --dtype float64 --phase-rounding source)
posenc_add_cli_test(table.odd_column STATUS 0
  STDOUT "^\\[\\[ 0\\.84147096  0\\.          0\\.5403023 \\]\\]\n$"
  RUN table --dim 3 --rows 1 --first 1 --layout sin_cos --odd-column zero_middle)
posenc_add_cli_test(table.cosine_last STATUS 0
  STDOUT "^\\[\\[ 0\\.5403023   0\\.84147096  0\\.5403023 \\]\\]\n$"
  RUN table --dim 3 --rows 1 --first 1 --layout interleaved_cos_sin --odd-column cosine_last)
posenc_add_cli_test(table.position_offset STATUS 0 STDOUT "^\\[\\[ 0\\.          1\\.        \\]\n \\[ 0\\.84147096  0\\.5403023 \\]\\]\n$"
  RUN table --dim 2 --rows 2 --first 4 --position-offset -4)
posenc_add_cli_test(table.offset_to_the_end STATUS 0 RUN table --dim 2 --rows 1 --first 2147483649 --position-offset -1)
posenc_add_cli_test(table.padding_position STATUS 0 STDOUT "^\\[\\[ 0\\.        \\]\n \\[ 0\\.84147096\\]\\]\n$"
  RUN table --dim 1 --positions -7:1 --padding-position -7)
posenc_add_cli_test(table.min_timescale STATUS 0 STDOUT "^\\[\\[ 0\\.14112   -0\\.9899925\\]\\]\n$"
  RUN table --dim 2 --positions 1.5 --min-timescale 2)
# What --help says: tensor2tensor's frequencies from 2 to 0.0004, and frequencies for timescales from 2 to 10000.
posenc_add_cli_test(table.min_timescale.tensor2tensor STATUS 0
  STDOUT "^\\[\\[ 0\\.9092974268256817 +0\\.0003999999893333334 "
  RUN table --preset tensor2tensor --dim 4 --positions 1 --min-timescale 2 --dtype float64)
posenc_add_cli_test(table.min_timescale.of_timescales STATUS 0
  STDOUT "^\\[\\[ 0\\.479425538604203 +9\\.999999983333333e-05 "
  RUN table --preset tensor2tensor --dim 4 --positions 1 --base 5000 --position-scale 0.5 --dtype float64)
posenc_add_cli_test(table.unit_without_frequencies STATUS 0 STDOUT "^\\[\\[ 1\\.  0\\.  0\\. -1\\.\\]\\]\n$"
  RUN table --dim 4 --positions 0.25 --base 2 --exponent-dim -2 --unit turns)
foreach(rounding f32_pow_div f32_exp f32_log_div f32_inv_freq f32_iterated f64_inv_freq f64_pow_div f64_pow_mul f32_log_increment)
  posenc_add_cli_test(table.phase_rounding.${rounding} STATUS 0
    RUN table --dim 6 --rows 2 --phase-rounding ${rounding})
endforeach()
posenc_add_cli_test(table.phase_rounding.f32_list STATUS 0
  STDOUT "^\\[\\[ 0\\.0998334181294999\\]\\]\n$"
  RUN table --dim 1 --positions 1 --frequencies 0.1 --phase-rounding f32_list --dtype float64)
if(GD_INCLUDE_DIR AND GD_LIBRARY)
  posenc_add_cli_test(plot.preset STATUS 0 FILE p.png BYTES ${png}
    RUN plot --preset fairseq --dim 65 --rows 100 --out p.png)
  posenc_add_cli_test(plot.input_first STATUS 0 FILE p.png BYTES ${png}
    RUN plot --preset nerf --dim 21 --rows 100 --first -50 --position-scale 0.001 --out p.png)
  posenc_add_cli_test(plot.rotary.refuses.preset_of_encodings STATUS 2
    RUN plot --rotary llama --dim 8 --preset whisper --out p.png)
endif()

# Comparing two presets.
posenc_add_cli_test(diff.same STATUS 0 STDOUT "^the same\n$"
  RUN diff --preset attention_is_all_you_need --preset keras_hub --dim 7)
posenc_add_cli_test(diff.permuted STATUS 1
  STDOUT "^entries that differ\t382 of 512, in 6 of 8 columns\nfirst difference\tposition 0, column 1: 1, 0\nlargest difference\t1\\.95723 at position 16, column 1\nthe same up to\ta permutation of columns\nkeras_hub 0 \\.\\. 6 by 2\thf_marian 0 \\.\\. 3\nkeras_hub 1 \\.\\. 7 by 2\thf_marian 4 \\.\\. 7\n$"
  RUN diff --preset keras_hub --preset hf_marian --dim 8)
posenc_add_cli_test(diff.shifted STATUS 1
  STDOUT "\nthe same up to\ta shift of positions: keras_hub at p is detr at p - 1\n$"
  RUN diff --preset keras_hub --preset detr --dim 8 --rows 5 --first 1000)
posenc_add_cli_test(diff.padded STATUS 1
  STDOUT "^entries that differ\t4 of 32, in 4 of 4 columns\n.*\nthe same up to\trows of padding\n$"
  RUN diff --preset whisper --preset fairseq --dim 4 --rows 8)
posenc_add_cli_test(diff.all_of_these STATUS 1
  STDOUT "\nthe same up to\ta shift of positions: opennmt_tf at p is fairseq at p \\+ 1 and rows of padding\n$"
  RUN diff --preset opennmt_tf --preset fairseq --dim 6)
posenc_add_cli_test(diff.columns STATUS 1
  STDOUT "\nwhisper 0\tmarian 0\nwhisper 1 \\.\\. 2\tnone of marian\nwhisper 3\tmarian 3\nwhisper 4 \\.\\. 6\tnone of marian\n$"
  RUN diff --preset whisper --preset marian --dim 7)
posenc_add_cli_test(diff.each_column_once STATUS 1
  STDOUT "\nmarian 0 \\.\\. 1\ttensor2tensor 0 \\.\\. 1\nmarian 2\tnone of tensor2tensor\n$"
  RUN diff --preset marian --preset tensor2tensor --dim 3)
posenc_add_cli_test(diff.listed STATUS 1 STDOUT "\nedm_fourier 0 \\.\\. 1\tgaussian_fourier 2 \\.\\. 3\n"
  RUN diff --preset edm_fourier --preset gaussian_fourier --dim 4 --frequencies 1.3:2)
foreach(refusal
    "one --preset whisper --dim 4"
    "three --preset whisper --preset wan --preset edm --dim 4"
    "no_dim --preset whisper --preset wan"
    "unknown --preset whisper --preset llama3 --dim 4"
    "dim_0 --preset whisper --preset wan --dim 0"
    "no_rows --preset whisper --preset wan --dim 4 --rows 0"
    "too_many_rows --preset whisper --preset wan --dim 4 --rows 18446744073709551615"
    "out_of_range --preset whisper --preset wan --dim 4 --first 2147483640"
    "frequencies --preset whisper --preset edm_fourier --dim 4"
    "frequencies_few --preset whisper --preset edm_fourier --dim 4 --frequencies 1"
    "frequency_out_of_range --preset whisper --preset nerf --dim 99")
  separate_arguments(words UNIX_COMMAND "${refusal}")
  list(POP_FRONT words name)
  posenc_add_cli_test(diff.refuses.${name} STATUS 2 RUN diff ${words})
endforeach()

# Finding the preset that made a table.
posenc_add_cli_test(identify.refuses.no_file STATUS 2 RUN identify)
posenc_add_cli_test(identify.refuses.nowhere STATUS 2 STDERR "nowhere" RUN identify nowhere)
posenc_add_cli_test(identify.refuses.not_npy STATUS 2 STDERR "not a NumPy file"
  RUN identify ${CMAKE_CURRENT_SOURCE_DIR}/numbers.txt)
# Dims 320 and 1024 take minutes, so these tests have the label full.
function(posenc_add_identify_test name)
  if(NOT POSENC_BUILD_MODELS)
    return()
  endif()
  add_test(NAME cli.identify.${name} COMMAND ${ARGN} $<TARGET_FILE:posenc_tool> ${CMAKE_CURRENT_BINARY_DIR} 64)
  set_tests_properties(cli.identify.${name} PROPERTIES LABELS "cli;models" SKIP_RETURN_CODE 77 TIMEOUT 600 COST 40)
  add_test(NAME cli.identify.${name}.dims
    COMMAND ${ARGN} $<TARGET_FILE:posenc_tool> ${CMAKE_CURRENT_BINARY_DIR} 320 1024)
  set_tests_properties(cli.identify.${name}.dims PROPERTIES LABELS "full;models" SKIP_RETURN_CODE 77 TIMEOUT 3600)
endfunction()
posenc_add_identify_test(presets sh ${CMAKE_CURRENT_SOURCE_DIR}/identify.sh)

# Debian's Python may have NumPy and PyTorch where another Python does not.
find_program(POSENC_SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
mark_as_advanced(POSENC_SYSTEM_PYTHON)
if(POSENC_SYSTEM_PYTHON)
  posenc_add_identify_test(frameworks ${POSENC_SYSTEM_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/identify_frameworks.py)
  if(POSENC_BUILD_MODELS)
    add_test(NAME cli.programs COMMAND ${POSENC_SYSTEM_PYTHON}
      ${CMAKE_CURRENT_SOURCE_DIR}/programs.py $<TARGET_FILE:posenc_tool> ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(cli.programs PROPERTIES LABELS "cli;models")
  endif()
else()
  message(WARNING "Tables of frameworks are not identified, and JSON is not read: there is no python3")
endif()
