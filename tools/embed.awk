# Turns text files into C string literals: one table entry a file, named by its base name.
BEGIN {
	print "/* generated from keymaps/ by tools/embed.awk */"
	print "static const struct embedded { const char *name, *text; } embedded_files[] = {"
}
FNR == 1 {
	if (NR > 1)
		print "\t},"
	n = split(FILENAME, part, "/")
	printf "\t{\"%s\",\n", part[n]
}
{
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	gsub(/\t/, "\\t")
	printf "\t\"%s\\n\"\n", $0
}
END {
	print (NR ? "\t},\n" : "") "};"
}
