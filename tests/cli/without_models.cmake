# Tests of a command that was built without models. --help does not list what needs models, and it is refused with the reason.
set(reason "this posenc was built without models .POSENC_BUILD_MODELS=OFF.")
posenc_add_cli_test(without_models.help STATUS 0 STDOUT "targets.*table.*plot.*verify.*and --config\nare missing: ${reason}[.]\n$" RUN --help)
foreach(asked
    "preset --preset table --preset fairseq --dim 8 --rows 2"
    "rotary --rotary.llama3 table --rotary llama3 --dim 8 --rows 2"
    "config --config table --config config.json --rows 2"
    "plot --preset plot --preset fairseq --dim 8 --rows 2 --out out.png")
  string(REPLACE " " ";" asked ${asked})
  list(POP_FRONT asked name option)
  posenc_add_cli_test(without_models.${name} STATUS 2 PRODUCT core
    STDERR "^posenc: ${option}: ${reason}; set each member by its option instead\n$" RUN ${asked})
endforeach()
posenc_add_cli_test(without_models.list STATUS 2 PRODUCT core STDERR "^posenc: --presets: ${reason}\n$" RUN table --presets)
posenc_add_cli_test(without_models.source STATUS 2 STDERR "--phase-rounding source: ${reason}"
  RUN table --phase-rounding source --dim 8 --rows 2)
foreach(command presets "config config.json" "diff --preset a --preset b" "identify table.npy --first 1")
  string(REPLACE " " ";" words ${command})
  list(GET words 0 name)
  posenc_add_cli_test(without_models.${name}_command STATUS 2 PRODUCT core STDERR "^posenc: ${name}: ${reason}\n$" RUN ${words})
endforeach()

# Members of the spec make what a preset would make.
posenc_add_cli_test(without_models.members STATUS 0 STDOUT "0.84147096   0.5403023    0.009999833  0.99995"
  RUN table --dim 4 --rows 2)
posenc_add_cli_test(without_models.rotary_members STATUS 0 PRODUCT core STDOUT "^1.3465735902799727\n$"
  RUN table --rotary --dim 128 --scaling yarn --factor 32 --original-length 4096 --amplitude)
