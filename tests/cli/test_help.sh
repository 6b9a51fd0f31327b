#!/usr/bin/env bash
# The help agrees with the program: the options that a command's --help lists are those that it accepts; the
# man page is formatted without warnings and has every command, option and method; the completion scripts have
# no errors, and bash completes the options that --help lists.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"

quietly() { "$@" >stdout 2>stderr && [ -s stdout ] && [ ! -s stderr ]; }
same() { [ "$1" = "$2" ] || { echo "  '$1' is not '$2'" && false; }; }
not() { ! "$@"; }
options_of() { awk '$1 ~ /^-.,$/ { print $2 } $1 ~ /^--/ { print $1 }' "help.$1"; }
has_word() { # TEXT WORD... : as grep -w, without a process for each of thousands of words
  local text=$1 word
  shift
  for word; do
    [[ $text =~ (^|[^[:alnum:]_])"$word"($|[^[:alnum:]_]) ]] || { echo "  no '$word'" && return 1; }
  done
}

# ---- --help
for words in --help -h help --version; do
  check "camber $words" quietly "$CAMBER" "$words"
done
"$CAMBER" --help >help
commands=$(awk '/^  camber / { print $2 }' help)
for command in run check list bench manpage completion; do
  check "--help has $command" grep -qx "$command" <<<"$commands"
done
for command in $commands; do
  check "$command --help" quietly "$CAMBER" "$command" --help
  cp stdout "help.$command"
  check "$command -h is the same" same "$("$CAMBER" "$command" -h)" "$(cat "help.$command")"
  check "$command --help: usage" grep -q "^usage: camber $command" "help.$command"
  check "$command --help: options" [ "$(options_of "$command" | wc -l)" -gt 0 ]
  check "$command --help: each option explained" not grep -E '^  --[a-z-]+( [A-Z=]+)? *$' "help.$command"
done
for option in method rtol atol t-end step max-steps set start option out every repeat realtime json quiet help; do
  check "run --help has --$option" grep -qE "^  (-[a-z], )?--$option " help.run
done

# ---- lines are filled up to at most 80 characters
cat >lines.py <<'END'
import re, sys

lines = [line for name in sys.argv[1:] for line in open(name).read().split("\n") if not line.startswith("usage")]
assert max(map(len, lines)) <= 80, max(lines, key=len)
for line, after in zip(lines, lines[1:]):
    goes_on = re.match(r" {25}(\S+)", after) if line.startswith("  ") else re.match(r"(\S+)", after)
    assert not (line and goes_on) or len(line) + 1 + len(goes_on[1]) > 80, (line, after)
END
# shellcheck disable=SC2046 # several words
check "lines of help" python3 lines.py $(printf 'help.%s ' $commands)

# ---- the explanation of an option that several commands have fits the command
check "tyre --help: its own --plot" not grep -qiE 'trajectory|sweep|bench|eigenvalue' help.tyre
check "plot --help: its own --out" same "$(grep -A1 -- --out help.plot | tr -s ' ' | head -n 1)" " -o, --out FILE the picture, which must end in .svg or .png"
check "kinematics --help: its own --out" not grep -qE '\.h5|\.mat|\.html' help.kinematics
check "run --help: --quiet prints the summary" grep -qE '^  --quiet +no progress bar$' help.run
for words in x=1:2:20000 x=10:10:3 'x=1:2:3 --vary y=1:2:3'; do
  # shellcheck disable=SC2086 # several words
  "$CAMBER" linearize caraxis --vary $words >stdout 2>stderr
  check "--vary $words: $(cat stderr)" grep -q 'expected one NAME=A:B:N, with A other than B and N from 2 to 10000' stderr
done

# ---- the listed options are the accepted ones
all=$(for command in $commands; do options_of "$command"; done | sort -u)
said() { "$CAMBER" "$1" "$2" 2>&1 >/dev/null </dev/null; }
refused() { [[ $(said "$1" "$2") == "camber: 'camber $1' takes no option $2"* ]]; }
accepted() { [[ $(said "$1" "$2") != *@('takes no option'|'unknown option')* ]]; }
for command in $commands; do
  listed=" $(options_of "$command" | xargs) "
  for option in $all; do
    if [[ $listed == *" $option "* ]]; then
      check "$command $option is listed, so it is accepted" accepted "$command" "$option"
    elif [ -z "${CAMBER_SANITIZED-}" ] || [ "$command" = list ]; then # all commands use the same parser
      check "$command $option is not listed, so it is refused" refused "$command" "$option"
    fi
  done
done

# ---- list
for what in methods models parts benches; do
  check "list $what" quietly "$CAMBER" list $what
done
"$CAMBER" list methods >list.methods
"$CAMBER" list models >list.models
methods=$(awk '/^[a-z]/ { print $1 }' list.methods)
models=$(awk '/^[a-z]/ { print $1 }' list.models)
for method in $methods; do # each option of each method with each of its values
  awk -v method="$method" '/^[a-z]/ { on = $1 == method }
    on && $1 == "--option" { split($2, o, "="); n = split(o[2], word, "|")
                             for (i = 1; i <= n; i++) print o[1] "=" word[i] }' list.methods >words
  check "$method has options" [ -s words ]
  while read -r setting; do
    with=() # another option that the value needs
    [ "$setting" != stabilization=ggl ] || with=(--option index=2)
    case "$method $setting" in radau*" control=classic") with=(--option form=ggl) ;; esac # with index 3 they warn
    [ "$method $setting" != "auto control=classic" ] || with=(--option implicit=bdf)
    check "$method with $setting" quietly "$CAMBER" run pendulum --t-end 0.1 --step 0.01 \
      --method "$method" --option "${setting/NUMBER/20}" "${with[@]}"
  done <words
done
checks() { "$CAMBER" check "$@" >/dev/null 2>warnings && ! grep -qv "^camber: warning: " warnings; } # warnings are fine
check "the five-link suspension has parameters" grep -q "set speed=30" list.models
for model in $models; do # all parameters with their defaults
  mapfile -t words < <(awk -v model="$model" '/^[a-z]/ { on = $1 == model } on && $1 == "--set" { print "--set"; print $2 }' list.models)
  check "$model with ${words[*]-}" checks "$model" "${words[@]}"
done

# ---- the man page
check "manpage" quietly "$CAMBER" manpage
cp stdout camber.1
if command -v groff >/dev/null; then
  LC_ALL=C.UTF-8 groff -man -Tutf8 -ww -P-c -rLL=200n camber.1 2>warnings | sed 's/.\x08//g' >page
  check "man page: no warnings from groff" same "$(cat warnings)" ""
  for heading in NAME SYNOPSIS COMMANDS METHODS 'EXIT STATUS' EXAMPLES; do
    check "man page: $heading" grep -qx "$heading" page
  done
  for command in $commands; do
    check "man page: $command" grep -qE "^ +camber $command( |$)" page
    from=$(awk -v command="$command" '$1 == "camber" && $2 == command && /^   [^ ]/ { print NR; exit }' page)
    to=$(awk -v from="$from" 'NR > from && (/^   camber / || /^[A-Z]/) { print NR; exit }' page)
    part=$'\n'$(sed -n "${from},${to}p" page)$'\n'
    for option in $(options_of "$command"); do
      pattern=$'\n +(-., )?'"$option"$'[ \n]'
      check "man page: $command $option" eval '[[ $part =~ $pattern ]]'
    done
  done
  # shellcheck disable=SC2086 # one a word
  check "man page: methods" has_word "$(<page)" $methods
else
  echo "groff is not installed: the man page is not rendered"
fi
if command -v man >/dev/null; then
  MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l camber.1 >page 2>warnings
  check "man page: no warnings from man" same "$(cat warnings)" ""
fi

# ---- completion
for shell in bash zsh fish; do
  check "completion $shell" quietly "$CAMBER" completion $shell
  cp stdout "completion.$shell"
  if command -v $shell >/dev/null; then
    check "completion $shell: syntax" $shell -n "completion.$shell"
  else
    echo "$shell is not installed: its completion script is not checked for syntax"
  fi
  # shellcheck disable=SC2086
  check "completion $shell has all words" has_word "$(<"completion.$shell")" $commands $methods $models ${all//--/}
done

complete_words() { # WORD... : what bash offers for the last word, sorted
  bash -c 'source ./completion.bash || exit 1
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _camber && printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort | xargs
}
check "bash registers the function" bash -c 'source ./completion.bash && complete -p camber | grep -q _camber'
check "completes commands" same "$(complete_words camber '')" "$(xargs -n1 <<<"$commands" | sort | xargs)"
check "completes ru" same "$(complete_words camber ru)" run
check "completes models" same "$(complete_words camber run pend)" "pendulum pendulum-chain"
check "completes methods" same "$(complete_words camber run pendulum --method mdop)" "mdop5 mdop853"
check "completes methods after =" same "$(complete_words camber run pendulum --method = mdop)" "mdop5 mdop853"
check "completes benches" same "$(complete_words camber bench simeon-t)" simeon-table1
check "completes formulations" same "$(complete_words camber run chain --formulation '')" "cartesian explicit residual"
check "completes names of options" same "$(complete_words camber run pendulum --option proj)" "projection="
check "completes values of options" same "$(complete_words camber run pendulum --option projection = e)" "every"
check "completes values after =" same "$(complete_words camber run pendulum --option projection =)" \
  "$("$CAMBER" list methods | grep -o 'projection=[a-z|]*' | cut -d= -f2 | tr '|' '\n' | sort -u | xargs)"
check "completes no numbers" same "$(complete_words camber run pendulum --rtol '')" ""
: >mine.yaml
check "completes model files" same "$(complete_words camber run mi)" mine.yaml
mkdir -p target
check "completes folders" same "$(complete_words camber export c fivelink --folder tar)" target
check "completes list" same "$(complete_words camber list m)" "methods models"
check "completes shells" same "$(complete_words camber completion b)" bash
: >trajectory.csv
for option in --out --plot; do
  check "completes files after $option" same "$(complete_words camber run pendulum $option traj)" trajectory.csv
done
check "completes nothing unknown" same "$(complete_words camber xyzzy '')" ""
for command in $commands; do
  check "completes the options of $command" \
    same "$(complete_words camber "$command" --)" "$(options_of "$command" | sort | xargs)"
done

# zsh: its completion functions are replaced by functions that print their arguments
complete_zsh() { # WORD... : what zsh offers for the last word, sorted
  zsh -f -c 'compadd() { shift; print -l -- ${(M)@:#${words[CURRENT]}*} }
    compset() { true }
    _files() { print FILES }
    words=("$@") CURRENT=$# PREFIX=${@[-1]}
    source ./completion.zsh' zsh "$@" | sort | xargs
}
if command -v zsh >/dev/null; then
  check "zsh completes commands" same "$(complete_zsh camber ru)" run
  check "zsh completes models" same "$(complete_zsh camber run pend)" "FILES pendulum pendulum-chain"
  check "zsh completes methods" same "$(complete_zsh camber run pendulum --method mdop)" "mdop5 mdop853"
  check "zsh completes benches" same "$(complete_zsh camber bench simeon-t)" simeon-table1
  check "zsh completes settings" same "$(complete_zsh camber run pendulum --option projection=e)" "projection=every"
  check "zsh completes formulations" same "$(complete_zsh camber run chain --formulation c)" cartesian
  check "zsh completes files" same "$(complete_zsh camber run pendulum --out '')" FILES
  check "zsh completes switches" same "$(complete_zsh camber run pendulum --no-e)" "--no-equilibrium FILES"
fi
complete_fish() { # WORDS: what fish offers for the last of them, sorted
  fish --no-config -c "source ./completion.fish; complete -C '$1'" 2>/dev/null | cut -f 1 | sort | xargs
}
if command -v fish >/dev/null; then
  check "fish completes commands" same "$(complete_fish 'camber ru')" run
  check "fish completes models" same "$(complete_fish 'camber run pend')" "pendulum pendulum-chain"
  check "fish completes methods" same "$(complete_fish 'camber run pendulum --method mdop')" "mdop5 mdop853"
  check "fish completes benches" same "$(complete_fish 'camber bench simeon-t')" simeon-table1
  check "fish completes settings" same "$(complete_fish 'camber run pendulum --option projection=e')" "projection=every"
  check "fish completes formulations" same "$(complete_fish 'camber run chain --formulation c')" cartesian
  check "fish completes switches" same "$(complete_fish 'camber run pendulum --no-e')" --no-equilibrium
  check "fish completes model files" same "$(complete_fish 'camber run mi')" mine.yaml
fi

finish
