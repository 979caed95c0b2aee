# Turns text files into C string literals: one table entry a file, named by its base name.
BEGIN {
	print "/* generated from keymaps/, runbooks/ and mappings/ by tools/embed.awk */"
	print "/* C17 promises 4,095 bytes of a literal; both compilers take far more. */"
	print "#pragma GCC diagnostic ignored \"-Woverlength-strings\""
	print "static const struct embedded_text embedded_files[] = {"
}
FNR == 1 {
	if (NR > 1)
		print "\t},"
	n = split(FILENAME, part, "/")
	printf "\t{\"%s\",\n", part[n]
}
{
	gsub(/\\/, "&&")
	gsub(/"/, "\\\"")
	gsub(/\t/, "\\t")
	printf "\t\"%s\\n\"\n", $0
}
END {
	print (NR ? "\t},\n" : "") "};"
}
