#!/usr/bin/env bash
# Runs commands in a minimal Debian system, as on a new machine on which the repository has just been cloned.
#
#   scripts/bare.sh [COMMAND...]          default: 'make demo' 'make test'
#
# Each COMMAND is one argument, a command line for bash. The commands run one after the other in a new clone of the commit that is
# checked out here, until one fails; its exit code is that of the script. Uncommitted changes are not part of the clone. The system is
# what debootstrap makes (minbase) with the packages in BARE below and nothing else; scripts/setup.sh has to find all other packages
# that the commands need.
#
# The system is made once, with the apt settings of this machine, and kept for DAYS days in a cache folder, CAMBER_BARE_CACHE or
# camber-bare in the user's cache. It is made under another name and renamed when it is complete. A run works in a copy of it and
# keeps only the packages that it downloads. All mounts are made in a mount namespace that ends with the run, and folders are deleted
# only outside of it, so that nothing is ever mounted below a folder that is deleted.
#
# If the system cannot be made (no root, no debootstrap, no network, no mount namespaces), the script prints the reason and runs the
# commands in place.
set -euo pipefail

readonly BARE=git,gcc,libc6-dev,make,ca-certificates
readonly DAYS=7
readonly CACHE=${CAMBER_BARE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/var}/.cache}/camber-bare}
readonly NEWCOMER_PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=''   # this run's own folder in the cache, removed at the end
reason='' # why no bare Debian can be used

say() { echo "bare: $*"; }

# ---- inside the namespaces: `scripts/bare.sh --inside SYSTEM COMMAND...`

mount_devices() { # SYSTEM
  local device
  mount -t tmpfs -o mode=755 dev "$1/dev"
  for device in null zero full random urandom tty; do
    touch "$1/dev/$device"
    mount --bind "/dev/$device" "$1/dev/$device"
  done
  mkdir "$1/dev/shm" "$1/dev/pts"
  mount -t tmpfs -o mode=1777 shm "$1/dev/shm"
  if mount -t devpts -o newinstance,ptmxmode=666 pts "$1/dev/pts"; then ln -s pts/ptmx "$1/dev/ptmx"; fi
  ln -s /proc/self/fd "$1/dev/fd"
  ln -s fd/0 "$1/dev/stdin"
  ln -s fd/1 "$1/dev/stdout"
  ln -s fd/2 "$1/dev/stderr"
}

in_system() { # SYSTEM COMMAND...: with the environment of a new user, and the proxies of this machine
  local system=$1 name environment=()
  shift
  for name in http_proxy https_proxy ftp_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY JOBS; do
    [[ -n ${!name-} ]] && environment+=("$name=${!name}")
  done
  env -i "${environment[@]}" PATH=$NEWCOMER_PATH HOME=/root LANG=C.UTF-8 CAMBER_BARE=1 chroot "$system" "$@"
}

packages_in() { # SYSTEM FILE
  # shellcheck disable=SC2016 # dpkg-query replaces the names
  in_system "$1" dpkg-query -W -f '${Package} ${Version}\n' | sort >"$2"
}

# Runs the commands in the copy of the system. If apt-get update fails, makes the file `unusable` and runs none of them.
inside() { # SYSTEM COMMAND...
  local system=$1 command status=0 TIMEFORMAT='%R s, %U s of processor time and %S s in the kernel'
  shift
  mount -t proc proc "$system/proc"
  mount_devices "$system"
  if ! in_system "$system" apt-get -qq -o APT::Update::Error-Mode=any update >"$system/../update.log" 2>&1; then
    tail -n 5 "$system/../update.log"
    : >"$system/../unusable"
    return 1
  fi
  in_system "$system" git -c advice.detachedHead=false clone -q file:///srv/camber.git /srv/camber
  packages_in "$system" "$system/../before"
  for command; do
    say "$command"
    { time in_system "$system" bash -c "cd /srv/camber && $command" 2>&3; } 3>&2 2>"$system/../time" || status=$?
    printf '%s, exit code %d: %s\n' "$(<"$system/../time")" "$status" "$command" >>"$system/../times"
    ((status == 0)) || break
  done
  packages_in "$system" "$system/../after"
  return "$status"
}

if [[ ${1-} == --inside ]]; then
  shift
  inside "$@"
  exit
fi

# ---- the cached Debian

# Checks what a bare Debian needs. Sets `reason` to the first thing that is missing, and fails if there is one.
look_for_obstacles() {
  if ((EUID != 0)); then
    reason='only root can make one'
  elif ! command -v apt-get >/dev/null; then
    reason='this is not a Debian system'
  elif ! unshare --mount --propagation private --pid --fork true 2>/dev/null; then
    reason='this machine does not allow mount namespaces'
  elif ! command -v debootstrap >/dev/null && ! install_debootstrap >/dev/null 2>&1; then
    reason='debootstrap is not installed and cannot be'
  elif ! mkdir -p "$CACHE" 2>/dev/null; then
    reason="the folder $CACHE cannot be made"
  fi
  [[ -z $reason ]]
}

install_debootstrap() {
  say 'installing debootstrap'
  apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends debootstrap
}

# Prints the suite and the address from which this machine's apt gets its packages.
machine_suite() {
  local codename
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
  # shellcheck disable=SC2016 # apt-get replaces the names
  apt-get indextargets --format '$(RELEASE) $(REPO_URI) $(CREATED_BY)' |
    awk -v codename="$codename" '$3 == "Packages" && $1 == codename { print $1, $2; exit }'
}

machine_proxy() { # PROTOCOL
  local proxy
  eval "$(apt-config shell proxy "Acquire::$1::Proxy")"
  [[ ${proxy-} == DIRECT ]] || echo "${proxy-}"
}

# Makes the Debian in a folder `making` and renames it when it is complete. Sets `reason` and fails if that is not possible.
make_debian() { # SUITE ADDRESS
  local new="$CACHE/making" proxy
  rm -rf --one-file-system "$new"
  mkdir -p "$new/archives"
  say "making a bare Debian ($1) in $CACHE; some minutes"
  proxy=$(machine_proxy http)
  if ! http_proxy=${proxy:-${http_proxy-}} unshare --mount --propagation private --pid --fork --kill-child \
    debootstrap --variant=minbase --include="$BARE" --cache-dir="$new/archives" "$1" "$new/system" "$2" >"$new/log" 2>&1; then
    tail -n 5 "$new/log"
    reason='debootstrap failed'
    return 1
  fi
  rm -f "$new/system/var/cache/apt/archives/"*.deb
  rm -rf --one-file-system "$CACHE/debian"
  if ! { echo "$1 $2 $BARE" >"$new/made" && mv "$new" "$CACHE/debian"; }; then
    reason="the folder $CACHE cannot be written to"
    return 1
  fi
}

have_debian() { # SUITE ADDRESS: whether the cached Debian is complete, from this source, and not older than DAYS days
  [[ -e $CACHE/debian/made && $(<"$CACHE/debian/made") == "$1 $2 $BARE" ]] &&
    [[ -n $(find "$CACHE/debian/made" -mtime -"$DAYS") ]]
}

ensure_debian() {
  local suite address
  read -r suite address < <(machine_suite) || {
    reason='apt lists no package source of this machine'
    return 1
  }
  if have_debian "$suite" "$address"; then
    say "using the Debian that was made on $(date -r "$CACHE/debian/made" '+%Y-%m-%d %H:%M')"
  else
    make_debian "$suite" "$address"
  fi
}

# ---- the copy of this run

remove_leftovers() { # removes the folders of runs that were killed; a run holds a lock on its folder while one of its processes lives
  local folder
  for folder in "$CACHE"/run.*; do
    [[ -d $folder ]] || continue
    flock --nonblock "$folder" rm -rf --one-file-system "$folder" || true
  done
}

# Copies the apt settings of this machine: sources, keys, pins and logins as they are, and of apt.conf only the settings of downloads
# (Acquire::, such as proxies), because its hooks may call programs that a bare Debian does not have.
copy_apt_settings() { # SYSTEM
  local path
  rm -rf "$1/etc/apt/sources.list"
  for path in /etc/apt/{sources.list,sources.list.d,preferences,preferences.d,keyrings,trusted.gpg,trusted.gpg.d,auth.conf,auth.conf.d} \
    /usr/share/keyrings /usr/local/share/keyrings /usr/local/share/ca-certificates; do
    [[ -e $path ]] || continue
    mkdir -p "$1$(dirname "$path")"
    cp -aT "$path" "$1$path" || return
  done
  apt-config dump | grep '^Acquire::' | grep -v 'Auto-\?Detect' >"$1/etc/apt/apt.conf.d/00machine" &&
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/" &&
    chroot "$1" update-ca-certificates >/dev/null 2>&1
}

# Clones the commit into the system as a bare repository. safe.directory lets git read a repository of another owner, which is no risk
# here: no hook or program of it runs.
copy_commit() { # SYSTEM
  printf '[safe]\n\tdirectory = *\n' >"$work/gitconfig"
  GIT_CONFIG_GLOBAL="$work/gitconfig" git clone -q --bare --depth 1 "file://$repository" "$1/srv/camber.git"
}

copy_debian() {
  work=$(mktemp -d "$CACHE/run.XXXXXX") && exec 8<"$work" && flock 8 &&
    cp -a --reflink=auto "$CACHE/debian/system" "$work/system" &&
    cp -al "$CACHE/debian/archives/." "$work/system/var/cache/apt/archives/" &&
    echo force-unsafe-io >"$work/system/etc/dpkg/dpkg.cfg.d/throw-away" && # no syncing to disk: the copy is temporary
    copy_apt_settings "$work/system" &&
    copy_commit "$work/system"
}

keep_packages() { # keeps the downloaded packages for the next run
  flock 9
  cp -aln "$work/system/var/cache/apt/archives/"*.deb "$CACHE/debian/archives/" 2>/dev/null || true
  flock -u 9
}

show_result() {
  local line
  say "$(comm -13 "$work/before" "$work/after" | wc -l) packages were installed"
  comm -13 "$work/before" "$work/after" | awk '{ print $1 }' | xargs echo | fold -s -w 120 | sed 's/^/    /'
  while read -r line; do say "$line"; done <"$work/times"
}

remove_work() {
  [[ -z $work ]] || rm -rf --one-file-system "$work"
}

run_in_debian() { # COMMAND...
  local status=0 child
  trap remove_work EXIT
  copy_debian || {
    reason='the copy of the Debian could not be made'
    return 0
  }
  flock -u 9
  unshare --mount --propagation private --pid --fork --kill-child \
    bash "$repository/scripts/bare.sh" --inside "$work/system" "$@" 9>&- &
  child=$!
  trap 'kill -KILL "$child"; wait "$child" || true; exit 130' INT TERM HUP # unshare ignores SIGTERM
  wait "$child" || status=$?
  trap - INT TERM HUP
  if [[ -e $work/unusable ]]; then
    reason='apt-get update fails in the bare Debian'
    return 0
  fi
  keep_packages
  [[ -e $work/after ]] && show_result
  exit "$status"
}

run_in_place() { # COMMAND...
  local command
  cd "$repository"
  for command; do
    say "$command"
    time bash -c "$command"
  done
}

(($#)) || set -- 'make demo' 'make test'
if look_for_obstacles; then
  exec 9>"$CACHE/lock"
  flock --nonblock 9 || { say 'waiting for another run to make its copy' && flock 9; }
  remove_leftovers
  if ensure_debian; then run_in_debian "$@"; fi
  flock -u 9
fi
say "no bare Debian: $reason. Running in place, with the software that is installed on this machine."
run_in_place "$@"
