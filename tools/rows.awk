# rows.awk - lists for the build, made from mechanism.def, entry.def, exception.def, part.def.
#
# Given arch, origins (this kernel's), all_archs, all_origins, files (the .asm files of entry/),
# part_files (those of entry/part/), and one of
#
#   want=check     whether the tables, the halves and the functions agree; else a sentence for each
#                  that does not, and status 1
#   want=objects   what is assembled: FILE.ORIGIN, and FILE.ORIGIN.SET
#   want=nasm      %define VECTOR_MECHANISM_VARIANT n
#   want=parts     what SET stands for: %define PARTS, and the files of these
#   want=sets      for people and programs: the parts (name, needed by, what it cannot be with), then the sets
#                  (suffix, parts, source)
#   want=c         ROW(suite, origin, mechanism, way, variant, set, entry, call, label, more) for each id,
#                  and GATE(name, half, set by) for the kinds of gates of this kernel

function trim(text) { gsub(/^[ \t\n]+|[ \t\n]+$/, "", text); return text }

# The arguments of `text`, which is NAME(a, b, ...): arg[1..]; from number `most` on they stay one.
function split_row(text, most,    i, c, depth, quoted, n) {
        for (i in arg) delete arg[i]
        n = 1; depth = 0; quoted = 0; arg[1] = ""
        for (i = index(text, "(") + 1; i <= length(text); i++) {
                c = substr(text, i, 1)
                if (c == "\"") quoted = !quoted
                if (!quoted && c == "(") depth++
                if (!quoted && c == ")" && depth-- == 0) break
                if (!quoted && !depth && c == "," && n < most) { arg[++n] = ""; continue }
                arg[n] = arg[n] c
        }
        for (i = 1; i <= n; i++) arg[i] = trim(arg[i])
        return n
}

function has(list, word) { return index(" " list " ", " " word " ") > 0 }
function clause(name, more,    at) {
        at = match(more, "(^|[^A-Z_])" name "\\(")
        if (!at) return ""
        more = substr(more, RSTART + RLENGTH)
        return trim(substr(more, 1, index(more, ")") - 1))
}
# `more` without the parentheses of its words; and a set, `CX | R11`, as a list.
function bare(more) { while (sub(/\([^()]*\)/, " ", more)) ; return more }
function members(set) { gsub(/\|/, " ", set); return set }
function wrong(where, sentence) { print "make: " where ": " sentence > "/dev/stderr"; failed = 1 }
function once(where, name, seen) {
        if (name in seen) wrong(where, name " is there twice: " seen[name] " has it")
        seen[name] = where
}

# A row may span several lines.
FNR == 1 { row = "" }
row == "" && /^(MECHANISM|VARIANT|BESIDE|ROW|EXCEPTION|GATE|PART|SET)\(/ { row = $0; start = FILENAME ":" FNR }
row != "" && row != $0 { row = row " " trim($0) }
row != "" {
        text = row; opened = gsub(/\(/, "", text); text = row; closed = gsub(/\)/, "", text)
        if (opened > closed) next
        take(substr(row, 1, index(row, "(") - 1))
        row = ""
}

function take(kind) {
        if (kind == "MECHANISM") {
                split_row(row, 5)
                once(start, arg[1], at_mechanism)
                mechanism[++mechanisms] = arg[1]; said_of[arg[1]] = arg[2]
                origins_of[arg[1]] = here(arg[2])
                arm_of[arg[1]] = arg[3]; manual_of[arg[1]] = arg[4]
                more_of_mechanism[arg[1]] = arg[5]
        } else if (kind == "VARIANT") {
                split_row(row, 3)
                once(start, arg[1], at_variant)
                answers_of[arg[1]] = arg[2]; more_of_variant[arg[1]] = arg[3]
        } else if (kind == "BESIDE") {
                split_row(row, 2)
                beside[++besides] = arg[1]; origins_of[arg[1]] = arg[2]; at_beside[arg[1]] = start
        } else if (kind == "ROW") {
                split_row(row, 4)
                of[++rows] = arg[1]; variant[rows] = arg[2]; label[rows] = arg[3]
                more[rows] = arg[4]; at_row[rows] = start
                only[rows] = clause("ONLY", arg[4])
                armed_as[rows] = clause("AS", arg[4])
                if (armed_as[rows] == "") armed_as[rows] = arg[1]
                else origins_of[arg[1]] = origins_of[armed_as[rows]]
        } else if (kind == "EXCEPTION") {
                split_row(row, 6)
                raised_in[++exceptions] = arg[1]; exception[exceptions] = arg[2]
                vector[exceptions] = arg[3]; name_of[exceptions] = arg[4]
                more_of[exceptions] = arg[6]; at_exception[exceptions] = start
        } else if (kind == "PART") {
                split_row(row, 3)
                once(start, arg[1], at_part)
                part[++all_parts] = arg[1]; needed_by[arg[1]] = arg[2]; more_of_part[arg[1]] = arg[3]
                rank[arg[1]] = all_parts
                if (has(bare(arg[3]), "SWITCHED")) parts_of["switched"] = trim(parts_of["switched"] " " arg[1])
                add_set(start, arg[1], "+" dashes(arg[1]), arg[1], arg[2])
        } else if (kind == "SET") {
                split_row(row, 3)
                add_set(start, arg[1], "@" dashes(arg[1]), arg[2], arg[3])
        } else {
                split_row(row, 4)
                gate[++gates] = arg[1]; kernels[gates] = arg[2]; half[gates] = arg[3]
                setter[gates] = arg[4]
        }
}

# The origins that this kernel has, of a list of ORIGIN and ARCH/ORIGIN.
function here(list,    words, n, i, found) {
        n = split(list, words, " ")
        for (i = 1; i <= n; i++) if (sub("^" arch "/", "", words[i]) || words[i] !~ /\//) found = found " " words[i]
        return trim(found)
}
function dashes(name) { gsub(/_/, "-", name); return name }
function add_set(where, name, end, list, from) {
        once(where, name, at_set)
        set[++all_sets] = name; end_of[name] = end; parts_of[name] = list; from_of[name] = from
}
# Whether mechanism m of an origin has a row with set s: only programs at CPL 3 on amd64 have one.
function has_set(m, origin, s) {
        return arch == "amd64" && origin != "trusted" && has(bare(more_of_mechanism[m]), "PARTED") &&
               has(origins_of[m], origin) && (end_of[s] ~ /^@/ || (m == "syscall" && origin == "user"))
}
# What the parts of a set contribute to a word: their names, or the bits of its clauses.
function of_parts(s, word,    n, list, i, k, m, bits, found, more) {
        n = split(parts_of[s], list, " ")
        for (i = 1; i <= n; i++) {
                more = more_of_part[list[i]]
                m = split(members(clause(word, more)), bits, " ")
                for (k = 1; k <= m; k++) found = found " | 1u << FEATURE_" bits[k]
                if (!m && has(bare(more), word)) found = found " " list[i]
        }
        return found
}

# Whether this kernel's `origin` has row i.
function exists(i, origin) {
        return has(origins_of[of[i]], origin) &&
               (only[i] == "" || has(only[i], origin) || has(only[i], arch "/" origin))
}

# The file with the halves of a mechanism's variant: a separate one if not all its origins have it.
function file_of(m, v,    i, n, words, w, named) {
        for (i = 1; i <= rows; i++)
                if (of[i] == m && variant[i] == v) named = named " " (only[i] == "" ? origins_of[m] : only[i])
        n = split(origins_of[m], words, " ")
        for (w = 1; w <= n; w++)
                if (!has(named, words[w])) return m "_" v
        return m
}

function list_objects(    i, o, n, list, file, seen) {
        n = split(origins, list, " ")
        for (i = 1; i <= mechanisms + besides; i++) {
                file = i <= mechanisms ? mechanism[i] : beside[i - mechanisms]
                for (o = 1; o <= n; o++)
                        if (has(origins_of[file], list[o])) assemble(file, list[o])
        }
        for (i = 1; i <= rows; i++)
                for (o = 1; o <= n; o++)
                        if (exists(i, list[o])) assemble(file_of(of[i], variant[i]), list[o])
        for (o = 1; o <= n; o++)
                for (i = 1; i <= all_sets; i++) list_set(set[i], list[o])
}
function list_set(s, origin,    m) {
        for (m = 1; m <= mechanisms; m++)
                if (has_set(mechanism[m], origin, s)) {
                        assemble(mechanism[m], origin "." s)
                        if (of_parts(s, "RETURNS") != "") assemble("service", origin "." s)
                }
}
function assemble(file, origin) {
        if (has(files, file ".asm") && !assembled[file, origin]++) print file "." origin
}

function list_rows(    i, o, g, n, list, m, v, e) {
        n = split(origins, list, " ")
        print "#ifdef GATE"
        for (g = 1; g <= gates; g++)
                if (has(kernels[g], arch)) print "GATE(" gate[g] ", " half[g] ", " setter[g] ")"
        print "#undef GATE\n#endif\n#ifdef HERE"
        for (m = 1; m <= mechanisms; m++)
                print "HERE(" mechanism[m] ", " (origins_of[mechanism[m]] != "") ")"
        print "#undef HERE\n#endif"
        print "#ifdef SWITCHED"
        for (i = 1; i <= all_parts; i++)
                if (has(parts_of["switched"], part[i])) print "SWITCHED(\"" end_of[part[i]] "\", 0" of_parts(part[i], "NEEDS") ")"
        print "#undef SWITCHED\n#endif\n#ifdef ROW"
        for (o = 1; o <= n; o++) {
                for (i = 1; i <= rows; i++) {
                        m = of[i]; v = variant[i]
                        if (exists(i, list[o]))
                                print "ROW(toll, " list[o] ", " armed_as[i] ", " m ", " v ", \"\", " m "_" v ", " \
                                      m "_" v ", " label[i] ", " more[i] ")"
                        if (v == "standard") standard[m] = i
                        if (of[i + 1] != m)
                                for (e = 1; e <= all_sets; e++)
                                        if (has_set(m, list[o], set[e])) print_set(standard[m], list[o], m, set[e])
                }
                for (e = 1; e <= exceptions; e++)
                        for (g = 1; g <= gates; g++)
                                if (has(kernels[g], arch) && has(origins_of[raised_in[e]], list[o]))
                                        print "ROW(exceptions, " list[o] ", " raised_in[e] ", " \
                                              exception[e] ", " gate[g] ", \"\", " exception[e] "_" half[g] \
                                              ", " exception[e] ", " name_of[e] ", VECTOR(" vector[e] \
                                              ") " more_of[e] ")"
        }
        print "#undef ROW\n#endif"
}

function print_set(i, origin, m, s,    need, returns) {
        need = of_parts(s, "NEEDS"); returns = of_parts(s, "RETURNS")
        if (returns != "") print "RETURNS(" origin ", " s ")"
        print "ROW(toll, " origin ", " m ", " m ", standard, \"" end_of[s] "\", " s "_" m "_standard, " m \
              "_standard, " label[i] ", " more[i] " OF_SET(\"" end_of[s] "\", 0" need ", 0" of_parts(s, "SPARED") ", " (of_parts(s, "SWAPS") != "" ? "true" : "false") \
              ", " (of_parts(s, "ISOLATES") != "" ? "ways_isolate" : "NULL") ")" \
              (returns == "" ? "" : " RETURNS_BY(" origin ", " s ")") ")"
}

function list_parts(    i, p, n, list) {
        set[all_sets + 1] = "switched"
        for (i = 1; i <= all_sets + 1; i++) {
                n = split(parts_of[set[i]], list, " ")
                print "%ifidn SET, " set[i]
                for (p = 1; p <= n; p++) print "%include \"part/" list[p] ".inc\""
                gsub(/ /, ", ", parts_of[set[i]])
                print "%define PARTS " parts_of[set[i]] "\n%endif"
        }
}
function list_sets(    i) {
        for (i = 1; i <= all_parts; i++)
                print "part\t" dashes(part[i]) "\t" needed_by[part[i]] "\t" dashes(clause("NOT", more_of_part[part[i]]))
        for (i = 1; i <= all_sets; i++)
                print "set\t" end_of[set[i]] "\t" dashes(parts_of[set[i]]) "\t" from_of[set[i]]
}

function list_vectors(    i, name, n) {
        for (i = 1; i <= rows; i++) {
                n = clause("VECTOR", more[i]); name = of[i] "_" variant[i]
                if (n != "" && !(name in defined)) print "%define VECTOR_" name " " n
                defined[name]
        }
}

# The labels in a file: kernel halves and user halves, and the INTs in a user half.
function read_halves(file,    path, line, words, n, i) {
        path = "kernel/core/entry/" file ".asm"
        n = 0
        while ((getline line < path) > 0) {
                sub(/ *;.*/, "", line)
                if (line ~ /^(KERNEL|USER) [a-z]/) {
                        n = split(substr(line, index(line, " ") + 1), words, / *, */)
                        if (line ~ /^USER/) for (i = 1; i <= n; i++) user_half[file, words[i]]
                        else {
                                kernel_half[file, words[1]]
                                halves[++half_count] = words[1]; in_file[half_count] = file; n = 0
                        }
                } else if (line ~ /^HALVES /) {
                        split(substr(line, 8), words, / *, */)
                        halves_of[file, words[1]] = words[2]; n = 0
                } else if (line ~ /^%define FIX_UP_/) {
                        sub(/^%define FIX_UP_/, "", line); sub(/\(.*/, "", line)
                        fixed_up[file, line]
                } else if (line ~ /^([a-z.A-Z0-9]+:)?[ \t]+int[ \t]/) {
                        sub(/^.*[ \t]int[ \t]+/, "", line)
                        for (i = 1; i <= n; i++) int_of[file, words[i]] = int_of[file, words[i]] " " trim(line)
                }
        }
        close(path)
}

# Names that C defines for the words in the tables: vector numbers, results and changes of a row,
# CPUID bits, and the words of the last column.
function read_words(    line, name) {
        while ((getline line < "kernel/const.h") > 0)
                if (line ~ /^#define VECTOR/) { split(line, arg, " "); number[arg[2]] = value_of(arg[3]) }
        while ((getline line < "kernel/toll.h") > 0) {
                while (match(line, /(TOLL_ANSWERS_[a-z]+|X\([A-Z0-9]+,)/)) {
                        name = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
                        if (name ~ /^X/) changes = changes " " substr(name, 3, length(name) - 3)
                        else all_answers = all_answers " " substr(name, 14)
                }
        }
        while ((getline line < "kernel/core/cpu/features.def") > 0)
                if (line ~ /^FEATURE\(/) { split_row(line, 2); features = features " " arg[1] }
        while ((getline line < "kernel/core/entry/select.c") > 0)
                if (match(line, /^#define [A-Z][A-Z_0-9]*(\([a-z]+\))? ?(\.[a-z]|$)/)) {
                        split(line, arg, /[ (]/); last_words = last_words " " arg[2]
                }
        close("kernel/core/entry/select.c")
        all_answers = trim(all_answers)
}

# A number, or the value of a name in const.h; "" if it is neither.
function value_of(word,    i, n) {
        if (word in number) return number[word]
        if (word ~ /^[0-9]+$/) return word + 0
        if (word !~ /^0x[0-9a-fA-F]+$/) return ""
        for (i = 3; i <= length(word); i++)
                n = n * 16 + index("0123456789abcdef", tolower(substr(word, i, 1))) - 1
        return n + 0
}

# An INT's vector is 80h or above: below are exceptions, devices, and a program's own.
function check_vector(where, word, from, to, whose,    n) {
        n = value_of(word)
        if (n == "") wrong(where, "`" word "` is no number, and kernel/const.h has no such vector")
        else if (n < from || n > to)
                wrong(where, "vector " word " is out of range: " whose " lies from " from " to " to)
        else return n
        return ""
}

function check_members(where, what, list, all,    words, n, i) {
        n = split(list, words, " ")
        for (i = 1; i <= n; i++)
                if (!has(all, words[i])) wrong(where, "`" words[i] "` is no " what ": they are" all)
}

# Checks the words of a row's last column, and their arguments.
function check_more(where, more,    name, names, n, i) {
        check_members(where, "word of this column", bare(more), last_words)
        check_members(where, "bit of kernel/core/cpu/features.def", clause("NEEDS", more), features)
        n = split("CLOBBERS_64 CLOBBERS_32 USES_64 USES_32", names, " ")
        for (i = 1; i <= n; i++)
                check_members(where, "register or flag of TOLL_CHANGES in kernel/toll.h", \
                              members(clause(names[i], more)), changes)
}

# The origin in ORIGIN, or in ARCH/ORIGIN.
function origin_of(where, word,    kernel) {
        kernel = word
        if (sub(/\/.*/, "", kernel) && !has(all_archs, kernel))
                wrong(where, "of `" word "` there is no kernel `" kernel "`: they are " all_archs)
        sub(/.*\//, "", word)
        return word
}

function check_origins(where, list,    words, n, i) {
        n = split(list, words, " ")
        if (!n) wrong(where, "no origin has it: one of " all_origins)
        for (i = 1; i <= n; i++)
                if (!has(all_origins, words[i] = origin_of(where, words[i])))
                        wrong(where, "there is no origin `" words[i] "`: they are " all_origins)
}

function check_only(i,    words, n, w) {
        n = split(only[i], words, " ")
        for (w = 1; w <= n; w++)
                if (!has(origins_of[of[i]], origin_of(at_row[i], words[w])))
                        wrong(at_row[i], "ONLY names `" words[w] "`, which " of[i] " has not (mechanism.def)")
}

function check_function(where, name, what,    line, found) {
        while ((getline line < "kernel/core/entry/select.c") > 0)
                if (line ~ ("^static void " name "\\(")) found = 1
        close("kernel/core/entry/select.c")
        if (!found) wrong(where, what " " name "(), and kernel/core/entry/select.c has no such function")
}

function check_mechanism(m,    where, j, found) {
        where = at_mechanism[m]
        check_origins(where, said_of[m])
        if (arm_of[m] !~ /^[a-z_0-9]+$/ || manual_of[m] !~ /^"/)
                wrong(where, "MECHANISM(" m ", ...) lacks a column: they are name, origins, armed by, " \
                      "manual, and then the others")
        else check_function(where, arm_of[m], m " is armed by")
        check_more(where, more_of_mechanism[m])
        for (j = 1; j <= rows; j++) found += of[j] == m
        for (j = 1; j <= exceptions; j++) found += raised_in[j] == m
        if (!found) wrong(where, m " has no row: write ROW(" m ", ...) into kernel/core/entry/entry.def")
}

function check_row(i,    where, m, v, j, file, said, made, n) {
        where = at_row[i]; m = of[i]; v = variant[i]; used[v]; expected[m "_" v "_entry"]
        if (!(armed_as[i] in at_mechanism)) {
                wrong(where, "there is no MECHANISM(" armed_as[i] ", ...) in kernel/core/entry/mechanism.def: " \
                      "what arms it, and which origins have it?")
                return
        }
        if (!(v in at_variant))
                wrong(where, "there is no VARIANT(" v ", ...) in kernel/core/entry/mechanism.def: what does it answer?")
        if (label[i] !~ /^"/) wrong(where, m "/" v " has no label: a word in quotation marks")
        check_only(i)
        check_more(where, more[i])
        said = clause("VECTOR", more[i])
        vector_of[i] = said == "" ? "" : check_vector(where, said, number["VECTOR_INT80"], 255, "that of an INT")
        for (j = 1; j < i; j++) check_pair(i, j)
        file = file_of(m, v)
        if (file == m && has(files, m "_" v ".asm")) {
                delete unknown[m "_" v]
                wrong(where, m "/" v " has no ONLY(...), so all origins of " m " have it, and its halves are " \
                      "in kernel/core/entry/" m ".asm. kernel/core/entry/" m "_" v ".asm is for what some of them lack")
                return
        }
        if (!need_file(where, file)) return
        if (!((file, m "_" v "_entry") in kernel_half))
                wrong(where, "kernel/core/entry/" file ".asm has no kernel half for it: KERNEL " m "_" v "_entry")
        if (!((file, m "_" v "_call") in user_half))
                wrong(where, "kernel/core/entry/" file ".asm has no user half for it: USER " m "_" v "_call")
        n = split(int_of[file, m "_" v "_call"], made, " ")
        if (n && said == "")
                wrong(where, m "/" v " has no VECTOR(n), and its user half makes INT " made[1])
        for (j = 1; j <= n; j++)
                if (made[j] != "VECTOR_" m "_" v)
                        wrong(where, "the user half of " m "/" v " makes INT " made[j] \
                              ": its own is VECTOR_" m "_" v)
}

function check_exception(i,    where, m, v) {
        where = at_exception[i]; m = raised_in[i]; v = exception[i]; raised[m, v]
        check_more(where, more_of[i])
        check_vector(where, vector[i], 0, number["VECTOR_INT80"] - 1, "that of an exception")
        if (!(m in at_mechanism))
                wrong(where, "there is no MECHANISM(" m ", ...) in kernel/core/entry/mechanism.def")
        else if (need_file(where, m)) {
                if (!((m, v "_call") in user_half))
                        wrong(where, "kernel/core/entry/" m ".asm has no user half for it: USER " v "_call")
                if (!((m, v) in fixed_up))
                        wrong(where, "kernel/core/entry/" m ".asm does not say what its way back needs: %define FIX_UP_" v "(ip, flags)")
                if (halves_of[m, v] != vector[i])
                        wrong(where, "kernel/core/entry/" m ".asm has no kernel halves for it: HALVES " v ", " vector[i])
        }
}

# Checks that a part has its file and bits, and a set's parts are in order and compatible.
function check_sets(    i, p, q, n, list, name) {
        for (i = 1; i <= all_parts; i++) {
                name = part[i]
                if (!has(part_files, name ".inc")) wrong(at_part[name], "there is no kernel/core/entry/part/" name ".inc")
                check_members(at_part[name], "bit of kernel/core/cpu/features.def", clause("NEEDS", more_of_part[name]) " " \
                              members(clause("SPARED", more_of_part[name])), features)
                check_members(at_part[name], "word of this column", bare(more_of_part[name]), " NEEDS SPARED NOT RETURNS SWAPS SWITCHED ISOLATES")
                if (clause("NOT", more_of_part[name]) != "" && !(clause("NOT", more_of_part[name]) in at_part))
                        wrong(at_part[name], "there is no PART(" clause("NOT", more_of_part[name]) ", ...) for it to be without")
        }
        n = split(part_files, list, " ")
        for (i = 1; i <= n; i++)
                if (sub(/\.inc$/, "", list[i]) && !(list[i] in at_part))
                        wrong("kernel/core/entry/part/" list[i] ".inc", "no table names it: it needs a PART(" list[i] ", ...) in kernel/core/entry/part.def")
        for (i = 1; i <= all_sets; i++) {
                n = split(parts_of[set[i]], list, " ")
                for (p = 1; p <= n; p++) {
                        if (!(list[p] in at_part)) wrong(at_set[set[i]], "there is no PART(" list[p] ", ...) in kernel/core/entry/part.def")
                        for (q = 1; q < p; q++)
                                if (list[q] == list[p]) wrong(at_set[set[i]], list[p] " is there twice")
                                else if (rank[list[q]] > rank[list[p]]) wrong(at_set[set[i]], list[p] " stands before " list[q] " in kernel/core/entry/part.def, and so must it here")
                                else if (clause("NOT", more_of_part[list[p]]) == list[q] || clause("NOT", more_of_part[list[q]]) == list[p])
                                        wrong(at_set[set[i]], list[q] " and " list[p] " cannot be in one set")
                }
        }
}

function check_tables(    i, j, v, file, n, list) {
        read_words()
        n = split(files, list, " ")
        for (i = 1; i <= n; i++) { sub(/\.asm$/, "", list[i]); read_halves(list[i]); unknown[list[i]] }
        for (i = 1; i <= besides; i++) {
                check_origins(at_beside[beside[i]], origins_of[beside[i]])
                need_file(at_beside[beside[i]], beside[i])
        }
        for (v in at_variant) {
                if (!has(all_answers, answers_of[v]))
                        wrong(at_variant[v], v " answers `" answers_of[v] "`: it is one of " all_answers)
                check_more(at_variant[v], more_of_variant[v])
        }
        for (i = 1; i <= mechanisms; i++) check_mechanism(mechanism[i])
        for (i = 1; i <= rows; i++) check_row(i)
        check_sets()
        for (i = 1; i <= exceptions; i++) check_exception(i)
        for (v in at_variant)
                if (!(v in used)) wrong(at_variant[v], "no row has it: write ROW(MECHANISM, " v ", ...) into kernel/core/entry/entry.def")
        for (i = 1; i <= half_count; i++)
                if (halves[i] ~ /_entry$/ && !(halves[i] in expected))
                        wrong("kernel/core/entry/" in_file[i] ".asm", "`KERNEL " halves[i] "` belongs to no row of kernel/core/entry/entry.def")
        for (i in halves_of) {
                split(i, list, SUBSEP)
                if (!((list[1], list[2]) in raised))
                        wrong("kernel/core/entry/" list[1] ".asm", "`HALVES " list[2] ", " halves_of[i] \
                              "` belongs to no row of kernel/core/entry/exception.def")
        }
        for (file in unknown)
                wrong("kernel/core/entry/" file ".asm", "no table names it: it needs a MECHANISM(" file ", ...) in kernel/core/entry/mechanism.def")
        exit failed
}
function need_file(where, file) {
        if (has(files, file ".asm")) { delete unknown[file]; return 1 }
        wrong(where, "there is no kernel/core/entry/" file ".asm: it has both halves of each row" \
              (file ~ /_/ ? " that not all origins of its mechanism have" : ""))
        return 0
}
function check_pair(i, j) {
        if (of[i] == of[j] && variant[i] == variant[j]) {
                if (only[i] == "" || only[j] == "" || only[i] == only[j])
                        wrong(at_row[i], of[i] "/" variant[i] " is there twice")
        } else if (vector_of[i] != "" && vector_of[i] == vector_of[j])
                wrong(at_row[i], "vector " clause("VECTOR", more[i]) " is that of " of[j] "/" variant[j])
}

END {
        if (want == "check") check_tables()
        else if (want == "objects") list_objects()
        else if (want == "nasm") list_vectors()
        else if (want == "parts") list_parts()
        else if (want == "sets") list_sets()
        else list_rows()
}
