# Makes Doxygen's comments of plain ones. A comment on lines of its own is about what follows (the first one about the
# file), one at the end of a line about what stands before it.
s|^// NOLINT.*||
1s|^// |/// @file^|
s|^( *)//( .*)?$|\1///\2|
s|^([^/].*[,;{})]) *// (.*)$|\1  ///< \2|
1s|\^|\n/// |
