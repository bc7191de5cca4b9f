# lines.awk - debug information for the entry halves, for gas: the source line of each instruction
#
# For an instruction made by a macro nasm records the line in the macro's definition or, for a
# .nolist macro, the line of the macro's use. Each file of entry/ is therefore assembled twice. The
# input, for each object:
#
#   OBJECT            then the line numbers of a definition's object, as readelf decodes them
#   USES              those of the object whose macros are all .nolist
#   SECTIONS          readelf's relocations of .debug_line: the sections, in the order of the lines
#   SYMBOLS           its global symbols: address, name, section
#   SOURCE file       the file itself
#
# The output: the line of every instruction; each half as a function, and in it each use of a macro
# as a function that was inlined there. So gdb shows both by itself: the macro's line, and in the
# frame above the line that uses it. An entry as a whole is inlined, too, under its name without the
# copy, because its own frame is a signal frame (cfi.inc), for which gdb shows neither name nor
# line. (DWARF 4; nasm's own is dropped, because it assumes a single section.) -v word=.quad or
# .long, -v dir=the source tree

function hex(text,   i, n) {
        n = 0
        text = tolower(text)
        sub(/^0x/, "", text)
        for (i = 1; i <= length(text); i++)
                n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
        return n
}

function file_number(name) {
        sub(/^.*\/nolist\//, "", name)
        sub(/^\.\//, "", name)
        if (!(name in number)) {
                number[name] = ++files
                named[files] = name
        }
        return number[name]
}

function emit(text) { out[++outs] = text }
function row(text) { program[++programs] = text }

# The macro that a source line uses: its first word that is not a label.
function macro(line,   text, words) {
        text = source[line]
        sub(/^[ \t]*[%.$A-Za-z_0-9@]+:[ \t]*/, "", text)
        split(text, words, /[ \t]+/)
        return words[1] != "" ? words[1] : words[2]
}

function origin(name, file, line) {
        if (!(name in origins)) {
                origins[name] = ++originated
                macros = macros sprintf(".Lmacro_%d:\t.uleb128 2\n\t.asciz \"%s\"\n\t.uleb128 %d\n\t.uleb128 %d\n\t.byte 1\n", originated, name, file, line)
        }
        return origins[name]
}

function calls(s, i,   name, line, n) {
        name = named[defines[s, i, "file"]]
        if (!(name in have)) {
                have[name] = 1
                for (n = 1; (getline line < name) > 0; n++)
                        if (line ~ /(^|[ \t:])call[ \t]/)
                                calling[name, n] = 1
                close(name)
        }
        return (name, defines[s, i, "line"]) in calling
}

# One section of an object, from its symbols and its two lists of line numbers.
function section(s,   i, k, base, end, from, use, at, first, place) {
        if (!defs[s] || !(s in globals))
                return
        split(globals[s], names, " ")
        base = names[1]
        place = base " - " value[base] " + "
        end = defines[s, defs[s], "at"]
        ranged = ranged "\t" word " " place defines[s, 1, "at"] "\n\t" word " " place end "\n"
        functions(s, place, end)
        row("\t.byte 0\n\t.uleb128 " bytes + 1 "\n\t.byte 2\n\t" word " " place defines[s, 1, "at"])
        now = 1; where = 1; was = defines[s, 1, "at"]
        for (i = 1; i < defs[s]; i++) {
                at = defines[s, i, "at"]
                row("\t.byte 4\n\t.uleb128 " defines[s, i, "file"] "\n\t.byte 3\n\t.sleb128 " defines[s, i, "line"] - where "\n\t.byte 2\n\t.uleb128 " at - was "\n\t.byte 1")
                where = defines[s, i, "line"]; was = at
        }
        row("\t.byte 2\n\t.uleb128 " end - was "\n\t.byte 0, 1, 1")
}

# An instruction outside of inlined functions.
function plain(s, i) { flat[s, i] = 1 }

function use_at(s, at,   line) {
        while (used + 1 <= uses[s] && usage[s, used + 1, "at"] <= at)
                used++
        while (used > 0 && usage[s, used, "at"] > at)
                used--
        return used
}

# A function inlined from one address to another, the line of its call, and whether others are
# inlined in it.
function inlined(place, from, to, name, file, line, at_file, at_line, nested) {
        emit("\t.uleb128 " (nested ? 5 : 4) "\n\t.long .Lmacro_" origin(name, file, line) " - .Linfo\n\t" word " " place from "\n\t.long " to - from "\n\t.uleb128 " at_file "\n\t.uleb128 " at_line)
}

function functions(s, place, end,   i, k, n, low, high, u, start, line, open) {
        n = split(globals[s], names, " ")
        used = 0; i = 1
        for (k = 1; k <= n; k++) {
                low = value[names[k]]
                high = k < n ? value[names[k + 1]] : end
                if (low >= high)
                        continue
                while (i < defs[s] && defines[s, i, "at"] < low)
                        i++
                if (!(u = use_at(s, low)))
                        continue
                emit("\t.uleb128 3\n\t.asciz \"" names[k] "\"\n\t.uleb128 " usage[s, u, "file"] "\n\t.uleb128 " usage[s, u, "line"] "\n\t" word " " names[k] "\n\t.long " high - low)
                if (whole = (names[k] ~ /_entry$/)) {
                        own = names[k]
                        sub(/^[a-z]+_/, "", own)
                        inlined(place, low, high, own, usage[s, u, "file"], usage[s, u, "line"], usage[s, u, "file"], usage[s, u, "line"], 1)
                }
                while (i < defs[s] && defines[s, i, "at"] < high) {
                        start = defines[s, i, "at"]
                        u = use_at(s, start)
                        line = usage[s, u, "line"]
                        if ((s, i) in flat || defines[s, i, "line"] == line && defines[s, i, "file"] == usage[s, u, "file"]) {
                                i++
                                continue
                        }
                        # gdb 13 fails if a call returns to the border of an inlined function.
                        if (i > 1 && calls(s, i - 1)) {
                                plain(s, i++)
                                continue
                        }
                        first = i
                        while (i < defs[s] && defines[s, i, "at"] < high && use_at(s, defines[s, i, "at"]) == u)
                                i++
                        while (i > first && calls(s, i - 1))
                                plain(s, --i)
                        stop = i < defs[s] ? defines[s, i, "at"] : end
                        if (stop > high)
                                stop = high
                        if (i == first) {
                                i++
                                continue
                        }
                        inlined(place, start, stop, macro(line), defines[s, first, "file"], defines[s, first, "line"], usage[s, u, "file"], line)
                }
                if (whole)
                        emit("\t.byte 0")
                emit("\t.byte 0")
        }
}

function object(   s) {
        for (s = 1; s <= sections; s++)
                section(s)
        delete defines; delete defs; delete usage; delete uses; delete globals; delete value; delete source; delete index_of; delete known; delete flat
        sections = 0
}

BEGIN { bytes = word == ".quad" ? 8 : 4 }
/^OBJECT$/ { object(); mode = "defines"; seq = 1; next }
/^USES$/ { mode = "usage"; seq = 1; next }
/^SECTIONS$/ { mode = "sections"; taken = 0; next }
/^SYMBOLS$/ { mode = "symbols"; next }
/^SOURCE$/ { mode = "source"; at_line = 0; next }

mode == "source" { source[++at_line] = $0; next }
(mode == "defines" || mode == "usage") && /^CU: / { sub(/^CU: /, ""); sub(/:$/, ""); file = file_number($0); next }
(mode == "defines" || mode == "usage") && /:\[\+\+\]$/ { sub(/:\[\+\+\]$/, ""); file = file_number($0); next }
(mode == "defines" || mode == "usage") && NF >= 3 && ($2 == "-" || $2 ~ /^[0-9]+$/) && $3 ~ /^(0x[0-9a-f]+|0)$/ {
        if (mode == "defines") {
                defs[seq]++
                defines[seq, defs[seq], "at"] = hex($3); defines[seq, defs[seq], "line"] = $2; defines[seq, defs[seq], "file"] = file
        } else if ($2 != "-") {
                uses[seq]++
                usage[seq, uses[seq], "at"] = hex($3); usage[seq, uses[seq], "line"] = $2; usage[seq, uses[seq], "file"] = file
        }
        if ($2 == "-")
                seq++
        next
}
mode == "sections" && match($0, / \.[a-z_0-9]+( |$)/) {
        split(substr($0, RSTART + 1), part, " ")
        if (/\.rela?\./ || part[1] ~ /^\.debug/)
                next
        index_of[part[1]] = ++sections
        next
}
# The address, the name, the section. Of several names for one address the first counts.
mode == "symbols" && NF == 3 && ($3 in index_of) {
        value[$2] = hex($1)
        place = index_of[$3] SUBSEP value[$2]
        if (place in known)
                next
        known[place] = 1
        globals[index_of[$3]] = globals[index_of[$3]] " " $2
}
END {
        object()
        print "\t.section .debug_line,\"\",@progbits\n.Lline:\t.long .Lline_end - .Lline_start\n.Lline_start:\n\t.short 2\n\t.long .Lprogram - .Lheader\n.Lheader:\n\t.byte 1, 1, 0, 1, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1\n\t.byte 0"
        for (i = 1; i <= files; i++)
                printf "\t.asciz \"%s\"\n\t.byte 0, 0, 0\n", named[i]
        print "\t.byte 0\n.Lprogram:"
        for (i = 1; i <= programs; i++)
                print program[i]
        print ".Lline_end:"
        print "\t.section .debug_ranges,\"\",@progbits\n.Lranges:\n" ranged "\t" word " 0, 0"
        print "\t.section .debug_abbrev,\"\",@progbits\n.Labbrev:"
        print "\t.byte 1, 0x11, 1, 0x25, 8, 0x13, 5, 3, 8, 0x1b, 8, 0x11, 1, 0x55, 0x17, 0x10, 0x17, 0, 0"
        print "\t.byte 2, 0x2e, 0, 3, 8, 0x3a, 0x0f, 0x3b, 0x0f, 0x20, 0x0b, 0, 0"
        print "\t.byte 3, 0x2e, 1, 3, 8, 0x3a, 0x0f, 0x3b, 0x0f, 0x11, 1, 0x12, 6, 0, 0"
        print "\t.byte 4, 0x1d, 0, 0x31, 0x13, 0x11, 1, 0x12, 6, 0x58, 0x0f, 0x59, 0x0f, 0, 0"
        print "\t.byte 5, 0x1d, 1, 0x31, 0x13, 0x11, 1, 0x12, 6, 0x58, 0x0f, 0x59, 0x0f, 0, 0, 0"
        print "\t.section .debug_info,\"\",@progbits\n.Linfo:\t.long .Linfo_end - .Linfo_start\n.Linfo_start:\n\t.short 4\n\t.long .Labbrev\n\t.byte " bytes
        print "\t.uleb128 1\n\t.asciz \"NASM\"\n\t.short 0x8001\n\t.asciz \"kernel/core/entry\"\n\t.asciz \"" dir "\"\n\t" word " 0\n\t.long .Lranges\n\t.long .Lline"
        printf "%s", macros
        for (i = 1; i <= outs; i++)
                print out[i]
        print "\t.byte 0\n.Linfo_end:\n\t.section .note.GNU-stack,\"\",@progbits"
}
