# symbols.awk - from `nm -n` of the first link to a nasm table of (address, name), text only.
BEGIN { n = 0; print "section .symbols alloc noexec nowrite\nglobal symbols, symbols_end\nsymbols:" }
$2 ~ /^[tT]$/ && $3 !~ /\.(\.|L|[A-Za-z0-9_]*$)/ && $1 ~ /^(ffffffff8|c)/ {
        print word " 0x" $1 ", name_" n; names[n++] = $3
}
END {
        print "symbols_end:"
        for (i = 0; i < n; i++) print "name_" i ": db \"" names[i] "\", 0"
}
