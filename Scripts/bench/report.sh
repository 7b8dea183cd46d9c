# What compare.sh makes of its results: a summary, and from that a table or a chart.
# shellcheck shell=bash disable=SC2154

# label_of CONTENDER: as the table calls it.
label_of() {
  case "$1" in
    aria2c-*) echo "aria2c -x ${1##*-}" ;;
    lftp-*) echo "lftp pget -n ${1##*-}" ;;
    *-*) echo "${1%-*} -n ${1##*-}" ;;
    *) echo "$1" ;;
  esac
}

# Writes $folder/contenders, a line each: contender, label; and sets `versions`.
describe_contenders() {
  local contender programs=()
  for contender in "${contenders[@]}"; do
    printf '%s\t%s\n' "$contender" "$(label_of "$contender")" >>"$folder/contenders"
    programs+=("$(program_of "$contender")")
  done
  versions=$(for program in $(printf '%s\n' "${programs[@]}" | awk '!seen[$0]++') nginx; do
    version_of "$program"
  done | paste -sd, | sed 's/,/, /g')
}

# Writes $folder/summary, a line for each scenario and contender in their order: scenario, what it is, label, median,
# least, most, the median's ratio to that of the best peer, whether it is the best of all, as far as two decimals tell,
# and what to say of failed runs. The figures are of the runs that did not fail; where there are none the median is
# `failed`. Where there is no peer the ratio is `-`.
summarize() {
  awk -F '\t' '
    FILENAME ~ /scenarios$/ { scenario[++scenarios] = $1; about[$1] = $2; next }
    FILENAME ~ /contenders$/ { contender[++contenders] = $1; label[$1] = $2; next }
    { runs[$1, $2]++ }
    $3 == "failed" { next }
    { # Kept in order.
      n = ++count[$1, $2]
      for (; n > 1 && value[$1, $2, n - 1] > $3 + 0; n--) value[$1, $2, n] = value[$1, $2, n - 1]
      value[$1, $2, n] = $3 + 0
    }
    function median(s, c,   n) {
      n = count[s, c]
      return (value[s, c, int((n + 1) / 2)] + value[s, c, int((n + 2) / 2)]) / 2
    }
    function line(s, c,   m, failures) {
      if (!count[s, c]) return "failed\t0\t0\t-\t0\t"
      m = median(s, c)
      failures = runs[s, c] - count[s, c]
      return sprintf("%.3f\t%.3f\t%.3f\t%s\t%d\t%s", m, value[s, c, 1], value[s, c, count[s, c]],
        peer ? sprintf("%.2f", m / peer) : "-", sprintf("%.2f", m) == sprintf("%.2f", best),
        failures ? ", " failures " failed" : "")
    }
    END {
      for (i = 1; i <= scenarios; i++) {
        s = scenario[i]; peer = best = 0
        for (j = 1; j <= contenders; j++) {
          c = contender[j]
          if (!count[s, c]) continue
          m = median(s, c)
          if (!best || m < best) best = m
          if (c !~ /^swoop/ && (!peer || m < peer)) peer = m
        }
        for (j = 1; j <= contenders; j++)
          print s "\t" about[s] "\t" label[contender[j]] "\t" line(s, contender[j])
      }
    }' "$folder/scenarios" "$folder/contenders" "$folder/results" >"$folder/summary"
}

# What the figures were measured with.
conditions() {
  echo "Seconds, medians of $rounds and their ranges; $(nproc) cores; $versions."
}

text_table() {
  conditions
  awk -F '\t' '
    $1 != last { printf "\n%s: %s\n", $1, $2; last = $1 }
    $4 == "failed" { printf "  %-16s   failed\n", $3; next }
    { printf "  %-16s %8.2f   %6.2f to %6.2f   %5s x the best peer%s\n", $3, $4, $5, $6, $7, $9 }' "$folder/summary"
}

markdown_table() {
  local text='Bars of the medians in this table, a group for each column: shorter is better'
  [ -z "$svg" ] || printf '![%s](%s)\n\n' "$text" "$svg"
  awk -F '\t' '
    !($1 in about) { about[$1] = $2; scenario[++scenarios] = $1 }
    !($3 in seen) { seen[$3] = 1; label[++labels] = $3 }
    {
      text = $4 == "failed" ? "failed" : sprintf("%.2f (%.2f–%.2f)%s", $4, $5, $6, $9)
      if ($8 == 1) sub(/^[0-9.]+/, "**&**", text)
      cell[$1, $3] = text
      ratio[$1, $3] = $7
    }
    function row(name, values,   i, line) {
      line = "| " name " |"
      for (i = 1; i <= scenarios; i++) line = line " " (values == "names" ? "`" scenario[i] "`" : \
        values == "ratios" ? ratio[scenario[i], name] : cell[scenario[i], name]) " |"
      return line
    }
    END {
      print row("", "names")
      line = "|---|"
      for (i = 1; i <= scenarios; i++) line = line "---|"
      print line
      for (j = 1; j <= labels; j++) print row(label[j], "")
      for (j = 1; j <= labels; j++) if (label[j] ~ /^swoop/) {
        line = row(label[j], "ratios")
        sub(/^[|] [^|]* [|]/, "| *" label[j] " ÷ best peer* |", line)
        print line
      }
      print ""
      for (i = 1; i <= scenarios; i++) printf "- `%s`: %s\n", scenario[i], about[scenario[i]]
    }' "$folder/summary"
  printf '\n%s Made by\n`Scripts/bench/compare.sh %s`.\n' "$(conditions)" "$words"
}

# Bars, a group for each scenario, each with its own scale. Light and dark as the reader has it.
chart() {
  awk -F '\t' -v conditions="$(conditions)" -v versions="$versions" -v rounds="$rounds" '
    function text(x, y, class, words) {
      gsub(/&/, "\\&amp;", words); gsub(/</, "\\&lt;", words)
      body = body sprintf("<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, words)
    }
    function bar(y, class, median, least, most,   scale) {
      scale = 380 / top[group]
      body = body sprintf("<rect x=\"150\" y=\"%d\" width=\"%.1f\" height=\"13\" class=\"%s\"/>\n", \
        y - 11, median * scale, class)
      body = body sprintf("<path d=\"M%.1f %dh%.1f\"/>\n", 150 + least * scale, y - 4, (most - least) * scale)
    }
    NR == FNR { if ($6 > top[$1]) top[$1] = $6 + 0; next }
    $1 != group { group = $1; y += y ? 44 : 74; text(16, y, "group", $1); text(80, y, "about", $2) }
    {
      y += 19
      class = $3 ~ /^swoop/ ? "own" : "peer"
      text(142, y, "label", $3)
      if ($4 == "failed") { text(156, y, "value", "failed"); next }
      bar(y, class, $4, $5, $6)
      text(150 + $6 * 380 / top[group] + 8, y, "value", sprintf("%.2f s (%.2f–%.2f)%s", $4, $5, $6, $9))
    }
    END {
      height = y + 50
      print "<svg xmlns=\"http://www.w3.org/2000/svg\""
      print "viewBox=\"0 0 760 " height "\" width=\"760\" height=\"" height "\""
      print "role=\"img\" aria-labelledby=\"t d\">"
      print "<title id=\"t\">Seconds to fetch a file, swoop beside other downloaders: shorter is better</title>"
      print "<desc id=\"d\">" conditions " Each group of bars has a scale of its own; a line shows the range.</desc>"
      print "<style>"
      print "text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-size:16px;font-weight:600}"
      print ".group{font-weight:600}.about,.foot{fill:#59636e}.foot{font-size:11px}.label{text-anchor:end}"
      print ".value{font-size:12px}.back{fill:#fff}.own{fill:#0969da}.peer{fill:#b1b9c2}"
      print "path{stroke:#1f2328;stroke-width:1.5}"
      print "@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.about,.foot{fill:#9198a1}.back{fill:#0d1117}"
      print ".own{fill:#4493f8}.peer{fill:#565e68}path{stroke:#f0f6fc}}"
      print "</style>"
      print "<rect width=\"760\" height=\"" height "\" class=\"back\"/>"
      text(16, 28, "title", "Seconds to fetch a file: shorter is better")
      text(16, 46, "about", "Medians of " rounds ", and ranges (the thin lines). Each group has its own scale.")
      text(16, height - 16, "foot", versions)
      printf "%s</svg>\n", body
    }' "$folder/summary" "$folder/summary"
}
