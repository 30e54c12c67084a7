# Makes Doxygen's comments of plain ones. A comment on lines of its own is about what follows (the first one about the
# file), one at the end of a line about what stands before it.
s,^// (NOLINT|clang-format).*,,
1s|^// |/// @file^|
s|^( *)//( .*)?$|\1///\2|
s|^([^/].*[,;{})]) *// (.*)$|\1  ///< \2|
1s|\^|\n/// |
# C++'s names say by themselves what they are.
s|(k[A-Z][A-Za-z0-9]*) = (POSENC_[A-Z0-9_]+)([,;])|\1 = \2\3 /**< \2 */|g
