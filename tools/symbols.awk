# symbols.awk - converts `nm -n` of the first link to a nasm table of (address, name), text only,
# with room for the image's own SHA-256 (64 zeros at first, so its size does not change).
BEGIN {
        n = 0
        print "section .symbols alloc noexec nowrite"
        print "global symbols, symbols_end, kernel_sha256\nalign 8, db 0\nsymbols:"
}
$2 ~ /^[tT]$/ && $3 !~ /\.(\.|L|[A-Za-z0-9_]*$)/ && $1 ~ /^(ffffffff8|c)/ {
        print word " 0x" $1 ", name_" n; names[n++] = $3
}
END {
        print "symbols_end:"
        for (i = 0; i < n; i++) print "name_" i ": db \"" names[i] "\", 0"
        print "%ifndef SHA256\n%define SHA256 \"" sprintf("%064d", 0) "\"\n%endif"
        print "kernel_sha256: db SHA256, 0"
}
