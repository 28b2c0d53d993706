#!/usr/bin/env bash
# For scripts that put tools into .tools/, each at the version that it is named with: `. scripts/tools.sh WHAT` from the
# repository's folder. What is there at that version stays; what could not be had is said in one line.
tools=$PWD/.tools
export tools
mkdir -p "$tools"

if ! command -v go > /dev/null; then
  echo "left out: $1, for Go is not here to build what it needs." >&2
  exit 0
fi

# have NAME VERSION: whether the tool is there at that version, as the note beside it says.
have() { [ -e "$tools/$1" ] && [ "$(cat "$tools/.$1.version" 2> /dev/null)" = "$2" ]; }

# attempt NAME VERSION COMMAND…: runs what makes the tool, and takes a note.
attempt() {
  local name=$1 version=$2 log=$tools/.$1.log
  shift 2
  if have "$name" "$version"; then return; fi
  if nice -n 15 "$@" > "$log" 2>&1 && [ -e "$tools/$name" ]; then
    echo "$version" > "$tools/.$name.version"
    rm -f "$log"
    echo "$name $version"
  else
    echo "left out: $name $version could not be built, see $log" >&2
  fi
}

# build NAME MODULE VERSION: a program is named after the last part of its module's path, until it is put in its place.
build() {
  GOBIN=$tools/.$1.new go install "$2@$3" && mv "$tools/.$1.new/${2##*/}" "$tools/$1" && rm -rf "$tools/.$1.new"
}
export -f build

# install NAME MODULE VERSION
install() { attempt "$1" "$3" bash -c 'build "$@"' build "$@"; }
