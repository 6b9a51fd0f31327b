#!/usr/bin/env bash
# Pictures and films of pages. Small programs take the place of Chromium and ffmpeg; the requests of camber to them, the files that it makes of their answers, and its
# messages if they are missing or fail are checked. If the real programs and the viewer are installed, a picture and a film are also made with them.
set -u
# shellcheck source=../support/cli.sh
. "$SOURCE_DIR/tests/support/cli.sh"
# shellcheck source=../support/pages.sh
. "$SOURCE_DIR/tests/support/pages.sh"

folders() { find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'camber-??????' -user "$(id -u)" | sort; }

mkdir -p bin tools
export TMPDIR=$PWD/temporary
mkdir -p "$TMPDIR"
real_path=$PATH
for tool in bash cat grep; do ln -sf "$(command -v $tool)" tools/$tool; done
real_viewer=$(dirname "$CAMBER")/viewer/viewer.js
check "run" "$CAMBER" run simple-pendulum --t-end 1 --out run.h5 --quiet >stdout

# ---- nothing installed
PATH=$PWD/tools
refuse "drawn by Chromium, which cannot be started; is it installed (Debian: chromium)?" view run.h5 -o run.png
refuse "ffmpeg, which cannot be started; is it installed (Debian: ffmpeg)?" view run.h5 --video run.mp4
PATH=$PWD/bin:$real_path
check "nothing is left" [ ! -e run.png -a ! -e run.mp4 -a -z "$(folders)" ]

# ---- a browser that answers with two of the 40 pictures of the film
cat >bin/chromium <<'EOT'
#!/usr/bin/env bash
address=''
for word in "$@"; do [[ $word == file://* ]] && address=$word; done
printf '%s\n' "${address#*#}" >>requests
page=${address#file://}
cp "${page%%#*}" page-seen.html
[[ -e broken ]] && exit 3
printf '<!DOCTYPE html>\n<html><body><pre>\n'
[[ -e failing ]] && printf 'camber-failure the motion has no time 9\n'
if [[ $address == *at=* ]]; then
  printf 'camber-picture cGljdHVyZQ==\n'
else
  first=${address#*first=} first=${first%%&*} count=${address#*count=} count=${count%%&*}
  [[ -e endless ]] && printf 'camber-total 1000000\n' || printf 'camber-total 40\n'
  for ((k = first; k < first + count && k < 40; k++)); do printf 'camber-picture YWI=\n'; done
fi
printf '</pre></body></html>\n'
EOT
cat >bin/ffmpeg <<'EOT'
#!/usr/bin/env bash
[[ $1 == -version ]] && exit 0
[[ -e no-film ]] && exit 1
for word in "$@"; do last=$word; done
printf '%s\n' "$*" >ffmpeg-words
cat >"$last"
EOT
chmod +x bin/*
check "a picture" "$CAMBER" view run.h5 -o run.png --at 0.5 --size 320x200
check "its bytes" [ "$(cat run.png)" = picture ]
check "what was asked for: $(cat requests)" grep -q '^camber-film=1&width=320&height=200&at=0.5$' requests
check "the page was there" grep -q 'viewer();' page-seen.html
check "a picture of the start" "$CAMBER" view run.h5 -o run.png
check "the start" grep -q 'width=1280&height=720&at=start$' requests
check "a film" "$CAMBER" view run.h5 --video run.mp4 --speed 0.25
check "all pictures, each once" [ "$(cat run.mp4)" = "$(printf 'ab%.0s' {1..40})" ]
check "its speed" grep -q 'first=1&count=25&rate=25&speed=0.25$' requests
check "MP4 has the pixel format that all players support" grep -q 'yuv420p' ffmpeg-words
check "a film as GIF, and the page" "$CAMBER" view run.h5 --video run.gif -o kept.html
check "both" [ -s run.gif -a -s kept.html ]
check "no page that nobody asked for" [ ! -e run.h5.html ]

# ---- failures
refuse "option --at is the time of a picture" view run.h5 --at 1
refuse "option --speed is for a film" view run.h5 -o x.png --speed 2
refuse "option --size is for a picture or film" view run.h5 --size 100x100
refuse "expected WIDTHxHEIGHT" view run.h5 -o x.png --size 10x100000
refuse "ends in .mp4 or .gif" view run.h5 --video x.avi
refuse "cannot write" view run.h5 --video no/folder.mp4
refuse "option --equilibrium is for a model" view run.h5 --equilibrium -o x.png
refuse "option --steady is for a model" view run.h5 --steady v=1
refuse "option --video is for results" view simple-pendulum --video x.mp4
touch failing
refuse "camber: the motion has no time 9" view run.h5 -o x.png
rm failing
touch broken
refuse "Chromium could not open the page" view run.h5 -o x.png
rm broken
touch endless
refuse "the film would have 1000000 pictures, but at most 15000 are possible" view run.h5 --video x.mp4
rm endless
touch no-film
refuse "ffmpeg has failed" view run.h5 --video x.mp4
refuse "cannot write 'no/folder.png'" view run.h5 -o no/folder.png
check "nothing is left" [ ! -e x.png -a ! -e x.mp4 -a -z "$(folders)" ]
PATH=$real_path

# ---- Ctrl-C, SIGTERM and SIGHUP end the browser and its processes, and no file is left
cat >bin/chromium <<'EOT'
#!/usr/bin/env bash
sleep 300 &
printf '%s %s\n' "$$" "$!" >processes
wait
EOT
PATH=$PWD/bin:$real_path
for signal in INT TERM HUP; do
  rm -f processes
  env --default-signal=HUP "$CAMBER" view run.h5 -o x.png 2>stderr &
  program=$!
  for ((i = 0; i < 100; i++)); do [[ -s processes ]] && break; sleep 0.1; done
  kill -$signal $program
  wait $program
  check "$signal: exit code 1" [ $? -eq 1 ]
  check "$signal: message: $(cat stderr)" grep -qx 'camber: interrupted' stderr
  read -r browser other <processes
  for ((i = 0; i < 20; i++)); do [ ! -d "/proc/$other" ] && break; sleep 0.1; done
  check "$signal: the browser is gone" [ ! -d "/proc/$browser" ]
  check "$signal: what it has started is gone" [ ! -d "/proc/$other" ]
  check "$signal: nothing is left" [ ! -e x.png -a -z "$(folders)" ]
done
PATH=$real_path

# ---- a picture of a mechanism that cannot be assembled
cp "$SOURCE_DIR/tests/support/open-four-bar.yaml" open.yaml

# ---- the real programs
there() { # COMMAND
  command -v "$1" >/dev/null && return
  check "$1 is installed, as CAMBER_NEEDS_BROWSER requires" [ -z "${CAMBER_NEEDS_BROWSER-}" ]
  return 1
}
if [ -e "$real_viewer" ] && there chromium; then
  export CAMBER_VIEWER=$real_viewer
  check "a real picture" "$CAMBER" view run.h5 -o real.png --at 0.5 --size 320x200
  check "a PNG of that size" [ "$(head -c 24 real.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a0000000d49484452$(printf '%08x%08x' 320 200) ]
  check "it shows something" [ "$(stat -c %s real.png)" -gt 4000 ]
  "$CAMBER" view run.h5 -o late.png --at 7 2>stderr
  check "a time outside of the motion: $(cat stderr)" grep -q 'the motion has no time 7; it goes from 0 to 1 s' stderr
  "$CAMBER" view open.yaml -o open.png >stdout 2>stderr
  check "not assembled: exit code 2" [ $? -eq 2 ]
  check "not assembled: a picture" [ "$(head -c 4 open.png | tail -c 3)" = PNG ]
  if there ffmpeg; then
    check "a real film" "$CAMBER" view run.h5 --video real.gif --speed 5 --size 160x100
    check "a GIF" [ "$(head -c 6 real.gif)" = GIF89a ]
    check "a real MP4" "$CAMBER" view run.h5 --video real.mp4 --speed 5 --size 160x100
    check "an MP4" [ "$(head -c 8 real.mp4 | tail -c 4)" = ftyp ]
  fi
  "$CAMBER" view run.h5 -o x.png --size 3000x3000 2>stderr &
  program=$!
  for ((i = 0; i < 100; i++)); do compgen -G "$TMPDIR/camber-*/profile/*" >/dev/null && break; sleep 0.05; done
  kill -TERM $program
  wait $program
  check "a real picture that is stopped: exit code 1" [ $? -eq 1 ]
  sleep 0.5
  check "no browser goes on: $(pgrep -f "$TMPDIR")" [ -z "$(pgrep -f "$TMPDIR")" ]
  check "nothing is left of the browser: $(folders)" [ -z "$(folders)" ]
fi
finish
