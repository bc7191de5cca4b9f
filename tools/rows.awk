# rows.awk - what the build makes of kernel/entry's tables: mechanism.def, entry.def, exception.def.
#
# Given arch, origins (this kernel's), all_origins, files (the .asm files of entry/) and one of
#
#   want=check     whether the tables, the halves and the functions agree; else a sentence for each
#                  that does not, and status 1
#   want=objects   what is assembled: FILE.ORIGIN
#   want=nasm      %define VECTOR_MECHANISM_VARIANT n
#   want=c         ROW(suite, origin, mechanism, way, variant, entry, call, label, more) for each id,
#                  and GATE(name, half, set by) for the kinds of gates of this kernel

function trim(text) { gsub(/^[ \t\n]+|[ \t\n]+$/, "", text); return text }

# The arguments of `text`, which is NAME(a, b, ...): arg[1..], the last one from `most` on whole.
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
function wrong(where, sentence) { print "make: " where ": " sentence > "/dev/stderr"; failed = 1 }

# A row may go on over several lines.
FNR == 1 { row = "" }
row == "" && /^(MECHANISM|VARIANT|BESIDE|ROW|EXCEPTION|GATE)\(/ { row = $0; start = FILENAME ":" FNR }
row != "" && row != $0 { row = row " " trim($0) }
row != "" {
        text = row; opened = gsub(/\(/, "", text); text = row; closed = gsub(/\)/, "", text)
        if (opened > closed) next
        take(substr(row, 1, index(row, "(") - 1))
        row = ""
}

function take(kind) {
        if (kind == "MECHANISM") {
                split_row(row, 6)
                mechanism[++mechanisms] = arg[1]; origins_of[arg[1]] = arg[2]
                arm_of[arg[1]] = arg[3]; shut_of[arg[1]] = arg[4]; at_mechanism[arg[1]] = start
        } else if (kind == "VARIANT") {
                split_row(row, 3)
                at_variant[arg[1]] = start
        } else if (kind == "BESIDE") {
                split_row(row, 2)
                beside[++besides] = arg[1]; origins_of[arg[1]] = arg[2]; at_beside[arg[1]] = start
        } else if (kind == "ROW") {
                split_row(row, 4)
                of[++rows] = arg[1]; variant[rows] = arg[2]; label[rows] = arg[3]
                more[rows] = arg[4]; at_row[rows] = start
                only[rows] = clause("ONLY", arg[4])
        } else if (kind == "EXCEPTION") {
                split_row(row, 6)
                raised_in[++exceptions] = arg[1]; exception[exceptions] = arg[2]
                vector[exceptions] = arg[3]; name_of[exceptions] = arg[4]
                more_of[exceptions] = arg[6]; at_exception[exceptions] = start
        } else {
                split_row(row, 4)
                gate[++gates] = arg[1]; kernels[gates] = arg[2]; half[gates] = arg[3]
                setter[gates] = arg[4]
        }
}

# Whether this kernel's `origin` has row i.
function exists(i, origin) {
        return has(origins_of[of[i]], origin) &&
               (only[i] == "" || has(only[i], origin) || has(only[i], arch "/" origin))
}

# Where the halves of a mechanism's variant are: a file of its own if not all its origins have it.
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
}
function assemble(file, origin) {
        if (has(files, file ".asm") && !assembled[file, origin]++) print file "." origin
}

function list_rows(    i, o, g, n, list, m, v, e) {
        n = split(origins, list, " ")
        print "#ifdef GATE"
        for (g = 1; g <= gates; g++)
                if (has(kernels[g], arch)) print "GATE(" gate[g] ", " half[g] ", " setter[g] ")"
        print "#undef GATE\n#endif"
        print "#ifdef ROW"
        for (o = 1; o <= n; o++) {
                for (i = 1; i <= rows; i++) {
                        m = of[i]; v = variant[i]
                        if (exists(i, list[o]))
                                print "ROW(toll, " list[o] ", " m ", " m ", " v ", " m "_" v ", " \
                                      m "_" v ", " label[i] ", " more[i] ")"
                }
                for (e = 1; e <= exceptions; e++)
                        for (g = 1; g <= gates; g++)
                                if (has(kernels[g], arch) && has(origins_of[raised_in[e]], list[o]))
                                        print "ROW(exceptions, " list[o] ", " raised_in[e] ", " \
                                              exception[e] ", " gate[g] ", " exception[e] "_" half[g] \
                                              ", " exception[e] ", " name_of[e] ", VECTOR(" vector[e] \
                                              ") " more_of[e] ")"
        }
        print "#undef ROW\n#endif"
}

function list_vectors(    i, name, n) {
        for (i = 1; i <= rows; i++) {
                n = clause("VECTOR", more[i]); name = of[i] "_" variant[i]
                if (n != "" && !(name in defined)) print "%define VECTOR_" name " " n
                defined[name]
        }
}

# The labels of a file: kernel halves and user halves.
function read_halves(file,    path, line, words, n, i) {
        path = "kernel/entry/" file ".asm"
        while ((getline line < path) > 0) {
                if (line !~ /^(KERNEL|USER) [a-z]/) continue
                sub(/ *;.*/, "", line)
                n = split(substr(line, index(line, " ") + 1), words, / *, */)
                if (line ~ /^USER/) for (i = 1; i <= n; i++) user_half[file, words[i]]
                else { kernel_half[file, words[1]]; halves[++half_count] = words[1]; in_file[half_count] = file }
        }
        close(path)
}

function check_origins(where, list,    words, n, i) {
        n = split(list, words, " ")
        if (!n) wrong(where, "no origin has it: one of " all_origins)
        for (i = 1; i <= n; i++)
                if (!has(all_origins, words[i]))
                        wrong(where, "there is no origin `" words[i] "`: they are " all_origins)
}

function check_only(i,    words, n, w) {
        n = split(only[i], words, " ")
        for (w = 1; w <= n; w++) {
                sub(/.*\//, "", words[w])
                if (!has(origins_of[of[i]], words[w]))
                        wrong(at_row[i], "ONLY names `" words[w] "`, which " of[i] " has not (mechanism.def)")
        }
}

function check_function(where, name, what,    line, found) {
        while ((getline line < "kernel/entry/select.c") > 0)
                if (line ~ ("^static void " name "\\(")) found = 1
        close("kernel/entry/select.c")
        if (!found) wrong(where, what " " name "(), and kernel/entry/select.c has no such function")
}

function check_tables(    i, j, m, v, file, n, list) {
        n = split(files, list, " ")
        for (i = 1; i <= n; i++) { sub(/\.asm$/, "", list[i]); read_halves(list[i]); unknown[list[i]] }
        for (i = 1; i <= besides; i++) {
                check_origins(at_beside[beside[i]], origins_of[beside[i]])
                need_file(at_beside[beside[i]], beside[i])
        }
        for (i = 1; i <= mechanisms; i++) {
                m = mechanism[i]; found = 0
                check_origins(at_mechanism[m], origins_of[m])
                check_function(at_mechanism[m], arm_of[m], m " is armed by")
                check_function(at_mechanism[m], shut_of[m], m " is shut by")
                for (j = 1; j <= rows; j++) found += of[j] == m
                for (j = 1; j <= exceptions; j++) found += raised_in[j] == m
                if (!found) wrong(at_mechanism[m], m " has no row: write ROW(" m ", ...) into kernel/entry/entry.def")
        }
        for (i = 1; i <= rows; i++) {
                m = of[i]; v = variant[i]; used[v]
                if (!(m in at_mechanism)) {
                        wrong(at_row[i], "there is no MECHANISM(" m ", ...) in kernel/entry/mechanism.def: " \
                              "what arms it, and which origins have it?")
                        continue
                }
                if (!(v in at_variant))
                        wrong(at_row[i], "there is no VARIANT(" v ", ...) in kernel/entry/mechanism.def: what does it answer?")
                check_only(i)
                for (j = 1; j < i; j++) check_pair(i, j)
                file = file_of(m, v)
                if (!need_file(at_row[i], file)) continue
                if (!((file, m "_" v "_entry") in kernel_half))
                        wrong(at_row[i], "kernel/entry/" file ".asm has no kernel half for it: KERNEL " m "_" v "_entry")
                if (!((file, m "_" v "_call") in user_half))
                        wrong(at_row[i], "kernel/entry/" file ".asm has no user half for it: USER " m "_" v "_call")
                expected[m "_" v "_entry"]
        }
        for (i = 1; i <= exceptions; i++) {
                m = raised_in[i]; v = exception[i]
                if (!(m in at_mechanism)) wrong(at_exception[i], "there is no MECHANISM(" m ", ...) in kernel/entry/mechanism.def")
                else if (need_file(at_exception[i], m) && !((m, v "_call") in user_half))
                        wrong(at_exception[i], "kernel/entry/" m ".asm has no user half for it: USER " v "_call")
        }
        for (v in at_variant)
                if (!(v in used)) wrong(at_variant[v], "no row has it: write ROW(MECHANISM, " v ", ...) into kernel/entry/entry.def")
        for (i = 1; i <= half_count; i++)
                if (halves[i] ~ /_entry$/ && !(halves[i] in expected))
                        wrong("kernel/entry/" in_file[i] ".asm", "`KERNEL " halves[i] "` belongs to no row of kernel/entry/entry.def")
        for (file in unknown)
                wrong("kernel/entry/" file ".asm", "no table names it: it needs a MECHANISM(" file ", ...) in kernel/entry/mechanism.def")
        exit failed
}
function need_file(where, file) {
        if (has(files, file ".asm")) { delete unknown[file]; return 1 }
        wrong(where, "there is no kernel/entry/" file ".asm: it has both halves of each row")
        return 0
}
function check_pair(i, j,    vector_i) {
        if (of[i] == of[j] && variant[i] == variant[j]) {
                if (only[i] == "" || only[j] == "" || only[i] == only[j])
                        wrong(at_row[i], of[i] "/" variant[i] " is there twice")
                return
        }
        vector_i = clause("VECTOR", more[i])
        if (vector_i != "" && vector_i == clause("VECTOR", more[j]))
                wrong(at_row[i], "vector " vector_i " is that of " of[j] "/" variant[j])
}

END {
        if (want == "check") check_tables()
        else if (want == "objects") list_objects()
        else if (want == "nasm") list_vectors()
        else list_rows()
}
