# shellcheck shell=bash
# Sourced by ops/buy, ops/reconcile and ops/amend, which run what is installed and install nothing. They follow links to
# themselves: people link them into a folder of their PATH.
# Leaves $ROOT (the repository) and $NODE (the pinned Node that runs everything).

set -euo pipefail
ROOT="$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
NODE="$ROOT/node_modules/.bin/node"

if [ ! -x "$NODE" ]; then
  echo "The packages are not installed yet: run ./ops/start once, or npm ci." >&2
  exit 2
fi
