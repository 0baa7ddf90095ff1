# shellcheck shell=bash
# Sourced by ops/start and ops/test. Installs what is missing on a fresh Debian, Ubuntu or macOS with
# Node 20 or newer, and says what it does; does nothing where everything is there.
# Leaves $ROOT (the repository) and $NODE (the pinned Node that runs everything).

set -euo pipefail
ROOT="$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
NODE="$ROOT/node_modules/.bin/node"

say() { printf '· %s\n' "$*" >&2; }
give_up() {
  printf '✗ %s\n' "$*" >&2
  exit 1
}

need_node() {
  command -v node >/dev/null 2>&1 || give_up "Node.js 20 or newer is needed first: https://nodejs.org"
  local major
  major="$(node -p 'process.versions.node.split(".")[0]')"
  [ "$major" -ge 20 ] || give_up "Node.js 20 or newer is needed; this is $(node --version)"
  command -v npm >/dev/null 2>&1 || give_up "npm is needed; it comes with Node.js"
}

# `npm ci` insists on lock entries for the binaries of every platform, also of those that this lock file was
# never written on, and refuses otherwise. `npm install --no-save` then installs the same versions with the same
# checksums from the same lock file, adds what this platform needs, and leaves the file alone.
install_packages() {
  local quiet=(--no-audit --no-fund --loglevel=error) words
  words="$(cd "$ROOT" && npm ci "${quiet[@]}" 2>&1)" && return
  case "$words" in
    *"from lock file"*) say "npm ci wants entries for other platforms; npm install takes the same lock file …" ;;
    *) printf '%s\n' "$words" >&2 ;;
  esac
  (cd "$ROOT" && npm install --no-save "${quiet[@]}" >&2)
}

# The stamp holds the checksum of the lock file that node_modules was installed from, so that another lock
# file (a pull, a branch) installs again and nothing else does.
need_packages() {
  local stamp="$ROOT/node_modules/.installed-from" lock
  lock="$(cksum <"$ROOT/package-lock.json")"
  if [ -x "$NODE" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$lock" ]; then return; fi
  # somebody ran npm ci by hand: npm's own note is newer than the lock file
  if [ -x "$NODE" ] && [ ! -e "$stamp" ] && [ "$ROOT/node_modules/.package-lock.json" -nt "$ROOT/package-lock.json" ]; then
    printf '%s\n' "$lock" >"$stamp"
    return
  fi
  need_node
  say "installing packages (npm ci; a minute or two) …"
  install_packages || give_up "the packages could not be installed; npm said why, above"
  "$NODE" --version >/dev/null 2>&1 || give_up "the pinned Node does not run: were install scripts switched off?"
  printf '%s\n' "$lock" >"$stamp"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get install -y -qq --no-install-recommends "$1" >/dev/null 2>&1 ||
    { as_root apt-get update -qq >&2 && as_root apt-get install -y -qq --no-install-recommends "$1" >&2; }
}

need_redis() {
  command -v redis-server >/dev/null 2>&1 && return
  if command -v apt-get >/dev/null 2>&1; then
    say "installing redis-server with apt-get (we start our own on sockets; the system's service is not used) …"
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null 2>&1 ||
      give_up "redis-server is missing and installing it needs root: apt-get install redis-server"
    apt_install redis-server || give_up "apt-get could not install redis-server"
  elif command -v brew >/dev/null 2>&1; then
    say "installing redis with brew …"
    brew install --quiet redis >&2 || give_up "brew could not install redis"
  else
    give_up "redis-server is missing: install Redis 7 with this system's package manager"
  fi
  command -v redis-server >/dev/null 2>&1 || give_up "redis-server is installed but not on PATH"
}

# Only the tests of pages want a browser; without one they say that they were skipped.
want_chromium() {
  command -v chromium >/dev/null 2>&1 && return
  command -v apt-get >/dev/null 2>&1 || return 0
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null 2>&1 || return 0
  say "installing chromium with apt-get, for the tests of pages (a minute) …"
  apt_install chromium || say "chromium could not be installed: the tests of pages will be skipped"
}

need_packages
need_redis
