#!/bin/sh
# Prints precision and recall of package code: Go against go/types, the folders given against universal-ctags.
# usage: scripts/score-code/run.sh [folder...]
set -e
cd "$(dirname "$0")"
go run . -oracle go "$(go env GOROOT)/src"
go run . -oracle go -packages ./... ../..
for folder; do
	go run . -oracle ctags "$folder"
done
